package io.penstock.config;

import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ScalarValue;
import io.penstock.config.shape.SourceFile;
import io.penstock.config.shape.SourceFindings;
import io.penstock.config.shape.SourcePlace;
import io.penstock.config.shape.ValueShape;
import io.penstock.config.shape.VariableExpansion;
import io.penstock.config.shape.WordShapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import tools.jackson.databind.JsonNode;

/**
 * JSON as the tree that settings are read from. The first fault is thrown; its message shows no
 * text of the JSON, since what was written in a wrong place may be a secret. Not thread-safe.
 */
final class JsonTree implements SourceFindings {
  private static final Mark NOWHERE = new Mark("", 0, 0, 0, new int[0], 0);
  private static final String HIDDEN = ScalarValue.quote("…");

  private final List<String> texts = new ArrayList<>();

  /** Returns the source for reading {@link #mapping} and {@link #node}. */
  SourceFile source() {
    return new SourceFile(
        "", new VariableExpansion(Map.of()), address -> {}, this, UnknownKeys::describe, false);
  }

  MappingNode mapping(Iterable<Map.Entry<String, JsonNode>> members) {
    List<NodeTuple> tuples = new ArrayList<>();
    for (Map.Entry<String, JsonNode> member : members) {
      tuples.add(new NodeTuple(key(member.getKey()), node(member.getValue())));
    }
    return new MappingNode(Tag.MAP, true, tuples, NOWHERE, NOWHERE, FlowStyle.FLOW);
  }

  /** Reads a value, or the items of a list, from words of a command line, which faults show. */
  static <T> T read(RouteSetting<T> setting, String name, List<String> words) {
    boolean bare =
        setting.shape() instanceof NumberShapes.Whole || setting.shape() instanceof WordShapes.Flag;
    List<Node> nodes = words.stream().map(word -> scalar(bare ? Tag.INT : Tag.STR, word)).toList();
    Node node = setting.shape() instanceof ValueShape.OfScalar ? nodes.getFirst() : list(nodes);
    return setting.shape().read(node, new JsonTree().source(), name).orElseThrow();
  }

  /** Returns the node of a name, which is shown if it looks like one of a setting. */
  private Node key(String name) {
    return name.matches("[a-z_]{1,30}") ? scalar(Tag.STR, name) : text(name);
  }

  private Node node(JsonNode json) {
    if (json.isObject()) {
      return mapping(json.properties());
    }
    if (json.isArray()) {
      List<Node> items = new ArrayList<>();
      json.forEach(item -> items.add(node(item)));
      return list(items);
    }
    if (json.isString()) {
      return text(json.stringValue());
    }
    Tag number = json.isIntegralNumber() ? Tag.INT : Tag.FLOAT;
    return scalar(json.isNull() ? Tag.NULL : json.isBoolean() ? Tag.BOOL : number, json.toString());
  }

  private Node text(String text) {
    texts.add(text);
    return scalar(Tag.STR, text);
  }

  private static Node list(List<Node> items) {
    return new SequenceNode(Tag.SEQ, true, items, NOWHERE, NOWHERE, FlowStyle.FLOW);
  }

  private static Node scalar(Tag tag, String text) {
    if (text.contains("${")) {
      throw new KeyTermsJson.Unclear("a text has ${, expected one without variables");
    }
    return new ScalarNode(tag, true, text, NOWHERE, NOWHERE, ScalarStyle.PLAIN);
  }

  @Override
  public void fault(SourcePlace place, String message) {
    String shown = message;
    for (String text : texts) {
      shown = shown.replace(ScalarValue.quote(text), HIDDEN);
    }
    throw new KeyTermsJson.Unclear(shown);
  }

  @Override
  public boolean full() {
    return false; // the first fault ends the reading
  }

  @Override
  public void warn(SourcePlace place, String message) {
    fault(place, message);
  }

  @Override
  public void variables(List<String> names) {
    // there are none
  }
}
