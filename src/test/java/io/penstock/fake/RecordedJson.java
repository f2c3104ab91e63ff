package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * The form of the JSON in an {@link AgentRecord}. A string that may be a sentence is replaced by
 * its length, such as {@code ‹1234 bytes›}, and a member that the body before has too by {@code ‹as
 * before›}. Names, numbers, flags, short words and their order stay. A value that fits on a line is
 * on one.
 *
 * <p>One object writes or reads the bodies of one record, in order.
 */
public final class RecordedJson {
  private static final int LONGEST = 40;
  private static final int MOST_WORDS = 3;
  private static final int WIDTH = 100;
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern LENGTH = Pattern.compile("‹(\\d+) bytes›");
  private static final StringNode AS_BEFORE = StringNode.valueOf("‹as before›");
  private static final String FILLER = "words that fill the place of others and say nothing ";

  private ObjectNode before = JsonMapper.shared().createObjectNode();

  /** Returns the form of a body; {@code stable} replaces what differs from run to run. */
  public String recorded(String json, UnaryOperator<String> stable) {
    String text = stable.apply(json);
    ObjectNode whole =
        (ObjectNode)
            strings(
                JsonMapper.shared().readTree(text), each -> isShort(each) ? each : length(each));
    ObjectNode shown = JsonMapper.shared().createObjectNode();
    whole.forEachEntry(
        (name, value) -> {
          boolean again = value.isContainer() && value.equals(before.get(name));
          shown.set(name, again ? AS_BEFORE : value);
        });
    before = whole;
    return lines(shown, 0);
  }

  /** Returns a body of the recorded form and lengths, as clients write it. */
  public String expanded(String recorded) {
    ObjectNode shown = (ObjectNode) JsonMapper.shared().readTree(recorded);
    ObjectNode whole = JsonMapper.shared().createObjectNode();
    shown.forEachEntry(
        (name, value) ->
            whole.set(
                name,
                value.equals(AS_BEFORE) ? before.get(name) : strings(value, RecordedJson::filled)));
    before = whole;
    return whole.toString();
  }

  private static boolean isShort(String text) {
    return text.length() <= LONGEST && BLANKS.split(text.strip()).length <= MOST_WORDS;
  }

  private static String length(String text) {
    return "‹" + text.getBytes(UTF_8).length + " bytes›";
  }

  private static String filled(String text) {
    Matcher length = LENGTH.matcher(text);
    if (!length.matches()) {
      return text;
    }
    int bytes = Integer.parseInt(length.group(1));
    return FILLER.repeat(bytes / FILLER.length() + 1).substring(0, bytes);
  }

  /** Returns a copy with other strings. */
  private static JsonNode strings(JsonNode tree, UnaryOperator<String> change) {
    return switch (tree) {
      case StringNode text -> StringNode.valueOf(change.apply(text.stringValue()));
      case ArrayNode array -> {
        ArrayNode copy = JsonMapper.shared().createArrayNode();
        array.forEach(each -> copy.add(strings(each, change)));
        yield copy;
      }
      case ObjectNode object -> {
        ObjectNode copy = JsonMapper.shared().createObjectNode();
        object.forEachEntry((name, value) -> copy.set(name, strings(value, change)));
        yield copy;
      }
      default -> tree;
    };
  }

  private static String lines(JsonNode tree, int column) {
    String line = tree.toString();
    if (line.length() + column <= WIDTH || !tree.isContainer() || tree.isEmpty()) {
      return line;
    }
    List<String> members = new ArrayList<>();
    if (tree instanceof ObjectNode object) {
      object.forEachEntry((name, value) -> members.add(member(name, value)));
      return "{\n" + String.join(",\n", members) + "\n}";
    }
    tree.forEach(each -> members.add(lines(each, 1).indent(1).stripTrailing()));
    return "[\n" + String.join(",\n", members) + "\n]";
  }

  private static String member(String name, JsonNode value) {
    String start = StringNode.valueOf(name) + ": ";
    return (start + lines(value, start.length() + 1)).indent(1).stripTrailing();
  }
}
