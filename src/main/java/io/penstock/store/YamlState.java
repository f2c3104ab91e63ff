package io.penstock.store;

import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.usage.CachedInput;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Parses a YAML state file. It only composes nodes and never constructs an object from a tag. */
final class YamlState {
  /** The format version. */
  static final int VERSION = 1;

  /** Thrown for an invalid file; the message describes the error in one line, with its place. */
  static final class Unreadable extends IOException {
    private static final long serialVersionUID = 1L;

    private Unreadable(String message) {
      super(message);
    }
  }

  private static final int DEEPEST = 10;

  private static final Set<String> USAGE =
      Set.of(
          "day",
          "key",
          "group",
          "model",
          "requests",
          "input",
          "output",
          "cache_read",
          "cache_write",
          "cache_write_1h");

  private final Path file;
  private final StateRows rows;

  YamlState(Path file, long minuteNanos) {
    this.file = file;
    this.rows = new StateRows(minuteNanos);
  }

  Snapshot read(byte[] bytes) throws IOException {
    Node root = compose(text(bytes));
    if (root == null) {
      throw new Unreadable(file + ":1:1: the file is empty, expected a state");
    }
    checkFormat(root);
    Map<String, Node> top =
        fields(root, "the file", Set.of("version", "rows", "quotas", "state", "spend", "usage"));
    for (NodeTuple quota : entries(top.get("quotas"), "quotas")) {
      quota(quota);
    }
    for (NodeTuple model : entries(top.get("state"), "state")) {
      model(model);
    }
    for (Node row : items(top.get("spend"), "spend")) {
      spend(row);
    }
    usage(top.get("usage"));
    Node count = top.get("rows");
    if (count != null && number(count, "rows") != rows.count()) {
      throw at(
          count,
          "the file is not whole: %d rows, expected %s"
              .formatted(rows.count(), number(count, "rows")));
    }
    return rows.snapshot();
  }

  /** Refuses another format before anything else of the file is looked at. */
  private void checkFormat(Node root) throws Unreadable {
    for (NodeTuple entry : entries(root, "the file")) {
      if (text(entry.getKeyNode(), "a key").equals("version")) {
        long format = number(entry.getValueNode(), "version");
        if (format != VERSION) {
          throw at(
              entry.getValueNode(),
              StoredFormat.refusal("the file", format, VERSION, "another file"));
        }
      }
    }
  }

  private String text(byte[] bytes) throws Unreadable {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new Unreadable(file + ":1:1: bytes that are not UTF-8, expected YAML");
    }
  }

  private @Nullable Node compose(String text) throws Unreadable {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE);
    options.setMaxAliasesForCollections(0);
    options.setNestingDepthLimit(DEEPEST);
    try {
      return new Yaml(options).compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      throw at(e.getProblemMark(), String.valueOf(e.getProblem()));
    } catch (YAMLException e) {
      throw new Unreadable(
          file + ":1:1: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
    }
  }

  private void quota(NodeTuple quota) throws Unreadable {
    String model = text(quota.getKeyNode(), "a model");
    Map<String, Node> fields =
        fields(quota.getValueNode(), "a quota", Set.of("max_rpm", "max_tpm", "max_rpd"));
    rows.quotas.put(
        model,
        new ModelLimits(
            atLeast(0, fields, "max_rpm", quota.getKeyNode()),
            atLeast(0, fields, "max_tpm", quota.getKeyNode()),
            atLeast(0, fields, "max_rpd", quota.getKeyNode())));
  }

  private void model(NodeTuple tuple) throws Unreadable {
    StateRows.ModelState model = rows.model(text(tuple.getKeyNode(), "a model"));
    Map<String, Node> fields =
        fields(
            tuple.getValueNode(),
            "the state of a model",
            Set.of("requests", "tokens", "day_start", "day_count"));
    for (Node request : items(fields.get("requests"), "requests")) {
      model.requests.add(instant(request, "a request"));
    }
    for (Node row : items(fields.get("tokens"), "tokens")) {
      Map<String, Node> token = fields(row, "tokens", Set.of("time", "count"));
      long count = atLeast(0, token, "count", row);
      long time = instant(present(token, "time", row), "time");
      if (count > 0) {
        model.tokens.add(new Spent(time, count));
      }
    }
    if (fields.containsKey("day_count")) {
      model.dayCount = atLeast(0, fields, "day_count", tuple.getKeyNode());
      model.dayStart = instant(present(fields, "day_start", tuple.getKeyNode()), "day_start");
    }
  }

  private void spend(Node row) throws Unreadable {
    Map<String, Node> fields =
        fields(row, "a row of spend", Set.of("kind", "id", "measure", "cell_start", "amount"));
    LimitId id;
    try {
      id =
          LimitId.parse(
              text(present(fields, "kind", row), "kind"),
              text(present(fields, "id", row), "id"),
              text(present(fields, "measure", row), "measure"));
    } catch (IllegalArgumentException e) {
      throw at(row, String.valueOf(e.getMessage()));
    }
    long at = instant(present(fields, "cell_start", row), "cell_start");
    rows.spend.add(new StateRows.SpendRow(id, new Spent(at, atLeast(1, fields, "amount", row))));
  }

  private void usage(@Nullable Node all) throws Unreadable {
    Set<List<Object>> seen = new HashSet<>();
    for (Node row : items(all, "usage")) {
      Map<String, Node> fields = fields(row, "a row of usage", USAGE);
      UsageLedger.Row read =
          new UsageLedger.Row(
              day(present(fields, "day", row)),
              text(present(fields, "key", row), "key"),
              text(present(fields, "group", row), "group"),
              text(present(fields, "model", row), "model"),
              atLeast(0, fields, "requests", row),
              atLeast(0, fields, "input", row),
              atLeast(0, fields, "output", row),
              cached(fields, row));
      if (!seen.add(List.of(read.day(), read.key(), read.group(), read.model()))) {
        throw at(row, "usage of this day, key, group and model is there twice, expected it once");
      }
      rows.usage.add(read);
    }
  }

  private CachedInput cached(Map<String, Node> fields, Node row) throws Unreadable {
    if (!fields.containsKey("cache_read")) {
      return CachedInput.NONE;
    }
    long hour = atLeast(0, fields, "cache_write_1h", row);
    return new CachedInput(
        atLeast(0, fields, "cache_read", row), atLeast(hour, fields, "cache_write", row), hour);
  }

  private LocalDate day(Node node) throws Unreadable {
    String text = text(node, "day");
    try {
      return LocalDate.parse(text);
    } catch (DateTimeException e) {
      throw at(node, "day is '" + text + "', expected one such as 2026-01-31");
    }
  }

  private long instant(Node node, String name) throws Unreadable {
    long nanos = number(node, name);
    if (nanos < 0 || nanos > StateRows.LATEST) {
      throw at(node, name + " is " + nanos + ", expected nanoseconds since 1970");
    }
    return nanos;
  }

  private long atLeast(long least, Map<String, Node> fields, String name, Node of)
      throws Unreadable {
    Node node = present(fields, name, of);
    long number = number(node, name);
    if (number < least) {
      throw at(node, name + " is " + number + ", expected at least " + least);
    }
    return number;
  }

  private Node present(Map<String, Node> fields, String name, Node of) throws Unreadable {
    Node node = fields.get(name);
    if (node == null) {
      throw at(of, name + " is missing");
    }
    return node;
  }

  private long number(Node node, String name) throws Unreadable {
    String text = node instanceof ScalarNode scalar ? scalar.getValue() : "";
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw at(node, name + " is '" + text + "', expected a whole number");
    }
  }

  private String text(Node node, String name) throws Unreadable {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw at(node, name + " is no text");
  }

  private Map<String, Node> fields(Node node, String name, Set<String> known) throws Unreadable {
    Map<String, Node> fields = new HashMap<>();
    for (NodeTuple entry : entries(node, name)) {
      String key = text(entry.getKeyNode(), "a key");
      if (!known.contains(key)) {
        throw at(entry.getKeyNode(), key + " is not known in " + name);
      }
      fields.put(key, entry.getValueNode());
    }
    return fields;
  }

  /** Returns the entries of a mapping, none if it is missing; repeated keys are an error. */
  private List<NodeTuple> entries(@Nullable Node node, String name) throws Unreadable {
    if (nothing(node)) {
      return List.of();
    }
    if (!(node instanceof MappingNode mapping)) {
      throw at(node, name + " is no mapping");
    }
    Set<String> keys = new HashSet<>();
    for (NodeTuple entry : mapping.getValue()) {
      if (!keys.add(text(entry.getKeyNode(), "a key"))) {
        throw at(entry.getKeyNode(), text(entry.getKeyNode(), "a key") + " is there twice");
      }
    }
    return mapping.getValue();
  }

  private List<Node> items(@Nullable Node node, String name) throws Unreadable {
    if (nothing(node)) {
      return List.of();
    }
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    throw at(node, name + " is no list");
  }

  private static boolean nothing(@Nullable Node node) {
    return node == null || node.getTag().equals(Tag.NULL);
  }

  private Unreadable at(@Nullable Node node, String what) {
    return at(node == null ? null : node.getStartMark(), what);
  }

  private Unreadable at(@Nullable Mark mark, String what) {
    String place = mark == null ? "1:1" : (mark.getLine() + 1) + ":" + (mark.getColumn() + 1);
    return new Unreadable(file + ":" + place + ": " + what.replaceAll("\\s+", " "));
  }
}
