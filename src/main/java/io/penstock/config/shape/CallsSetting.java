package io.penstock.config.shape;

import io.penstock.cost.AllowedCalls;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.nodes.Node;

/** The calls that pass: all, weighed, or a list of weighed and of paths. */
public record CallsSetting() implements ValueShape<AllowedCalls> {
  /** The expected form, in words that follow "expected". */
  public static final String EXPECTED =
      "all, weighed, or a list of weighed and paths of calls, such as [weighed, /v1/files]";

  private static final Entry ENTRY = new Entry();
  private static final WordShapes.Choice<AllowedCalls> WORD =
      WordShapes.Choice.of(
          List.of(AllowedCalls.ALL, AllowedCalls.WEIGHED), calls -> String.valueOf(calls.shown()));

  @Override
  public Optional<AllowedCalls> read(Node node, SourceFile source, String name) {
    if (YamlNodes.plainScalar(node)) {
      return new Word().read(node, source, name);
    }
    Optional<List<Node>> items = source.items(node, name, EXPECTED);
    if (items.isEmpty()) {
      return Optional.empty();
    }
    Set<String> words = new LinkedHashSet<>();
    for (Node item : items.get()) {
      Optional<String> word = ENTRY.read(item, source, "a call");
      if (word.isPresent() && !words.add(word.get())) {
        source.fault(
            item, "call " + ScalarValue.quote(word.get()) + " is there twice, expected once");
      }
    }
    if (items.get().isEmpty()) {
      source.fault(node, name + " is empty, expected " + EXPECTED);
    }
    boolean good = !words.isEmpty() && words.size() == items.get().size();
    return good ? Optional.of(AllowedCalls.of(words)) : Optional.empty();
  }

  @Override
  public Object show(AllowedCalls value) {
    return value.shown();
  }

  @Override
  public Map<String, Object> schema() {
    Map<String, Object> list =
        ValueShape.keywords(
            "type", "array", "items", ENTRY.schema(), "minItems", 1, "uniqueItems", true);
    return ValueShape.keywords("anyOf", List.of(WORD.schema(), list));
  }

  /** All calls, or those that are weighed. */
  private record Word() implements ValueShape.OfScalar<AllowedCalls> {
    @Override
    public String expected() {
      return EXPECTED;
    }

    @Override
    public ParsedValue<AllowedCalls> parse(ScalarValue scalar, SourceFile source) {
      AllowedCalls calls = WORD.names().get(scalar.text());
      return calls == null ? bad(scalar) : new ParsedValue.Good<>(calls);
    }

    @Override
    public Object show(AllowedCalls value) {
      return value.shown();
    }

    @Override
    public Map<String, Object> schema() {
      return WORD.schema();
    }
  }

  /** An entry of the list. */
  private record Entry() implements ValueShape.OfText {
    @Override
    public String expected() {
      return "weighed, or the path of a call, such as /v1/files";
    }

    @Override
    public ParsedValue<String> parse(ScalarValue scalar, SourceFile source) {
      return AllowedCalls.isEntry(scalar.text())
          ? new ParsedValue.Good<>(scalar.text())
          : bad(scalar);
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.orVariable(
          ValueShape.keywords(
              "type",
              "string",
              "pattern",
              "^(" + AllowedCalls.WEIGHED_WORD + "|" + AllowedCalls.PATH.pattern() + ")$"));
    }
  }
}
