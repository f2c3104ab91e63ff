package io.penstock.config.shape;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;

/** Headers that are set on every request to an upstream. */
public record HeadersSetting() implements ValueShape<Map<String, HeadersSetting.Header>> {
  /** Valid header names (RFC 9110, §5.1). */
  static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}");

  private static final Pattern SECRET =
      Pattern.compile("auth|key|token|cookie|secret|passw|credential|signature");
  private static final int LONGEST = 8192;

  /** Headers that belong to one connection, or that the gateway sets itself. */
  private static final Set<String> REFUSED =
      Set.of(
          "accept-encoding",
          "connection",
          "content-length",
          "expect",
          "host",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** One header's value. */
  public record Header(String value, boolean secret) {
    @Override
    public String toString() {
      return secret ? CredentialSetting.MASK : value;
    }
  }

  @Override
  public Optional<Map<String, Header>> read(Node node, SourceFile source, String name) {
    Optional<MappingNode> mapping = source.mapping(node, name, "a mapping of names to values");
    if (mapping.isEmpty()) {
      return Optional.empty();
    }
    Map<String, Header> headers = new LinkedHashMap<>();
    Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    boolean good = true;
    for (NodeTuple tuple : mapping.get().getValue()) {
      Optional<String> key = name(tuple.getKeyNode(), source, seen);
      Optional<Header> value = key.flatMap(k -> value(tuple.getValueNode(), source, k));
      value.ifPresent(header -> headers.put(key.orElseThrow(), header));
      good &= value.isPresent();
    }
    return good ? Optional.of(headers) : Optional.empty();
  }

  private static Optional<String> name(Node node, SourceFile source, Set<String> seen) {
    String problem = "";
    String name = YamlNodes.key(node).orElse("");
    String shown = ScalarValue.quote(name);
    if (!NAME.matcher(name).matches()) {
      problem = "a header's name is " + YamlNodes.kind(node) + ", expected one such as X-Team";
    } else if (REFUSED.contains(name.toLowerCase(Locale.ROOT))) {
      problem = "header " + shown + " is the gateway's own, expected another";
    } else if (!seen.add(name)) {
      problem = "header " + shown + " is there twice, expected it once";
    }
    if (!problem.isEmpty()) {
      source.fault(node, problem);
      return Optional.empty();
    }
    return Optional.of(name);
  }

  private static Optional<Header> value(Node node, SourceFile source, String name) {
    String shown = "header " + ScalarValue.quote(name);
    // Faults name only the kind of a list or mapping, and never show a value, which may be a
    // secret.
    Optional<ScalarValue> scalar = source.secret(node, shown, "text");
    if (scalar.isEmpty()) {
      return Optional.empty();
    }
    String text = scalar.get().text();
    if (!scalar.get().textual()) {
      source.fault(node, shown + " is a number or a truth value, expected text: put it in quotes");
      return Optional.empty();
    }
    if (text.isEmpty() || text.length() > LONGEST || !text.equals(text.strip()) || !visible(text)) {
      source.fault(
          node, shown + " cannot be sent, expected up to 8192 visible ASCII characters and spaces");
      return Optional.empty();
    }
    WrittenCredential.problem(scalar.get().raw())
        .ifPresent(what -> source.findings().warn(source.place(node), shown + " " + what));
    boolean secret =
        scalar.get().fromVariable() || SECRET.matcher(name.toLowerCase(Locale.ROOT)).find();
    return Optional.of(new Header(text, secret));
  }

  private static boolean visible(String text) {
    return text.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t');
  }

  @Override
  public Object show(Map<String, Header> value) {
    Map<String, Object> shown = new LinkedHashMap<>();
    value.forEach((name, header) -> shown.put(name, header.toString()));
    return Collections.unmodifiableMap(shown);
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.keywords(
        "type", "object",
        "propertyNames", ValueShape.keywords("pattern", "^" + NAME.pattern() + "$"),
        "additionalProperties", ValueShape.keywords("type", "string", "minLength", 1));
  }

  /** Returns the headers to send. */
  public static Map<String, String> values(Map<String, Header> headers) {
    Map<String, String> values = new LinkedHashMap<>();
    headers.forEach((name, header) -> values.put(name, header.value()));
    return values;
  }
}
