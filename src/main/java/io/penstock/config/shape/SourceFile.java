package io.penstock.config.shape;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * The file being read: reads its nodes and knows their places.
 *
 * @param file its name in faults
 * @param variables expands references to variables
 * @param addressCheck checks {@code mock} addresses; throws IllegalArgumentException
 * @param findings receives faults, warnings and the names of variables
 * @param unknownKeys says what was expected in place of an unknown key
 * @param rls whether it is a configuration of rls: unknown keys only cause warnings, zeros and
 *     empty values mean unset, and merge keys are followed
 */
public record SourceFile(
    String file,
    VariableExpansion variables,
    Consumer<URI> addressCheck,
    SourceFindings findings,
    UnknownKeyAdvice unknownKeys,
    boolean rls) {
  /** Matches a setting whose colon has no space behind it, which YAML reads as text. */
  private static final Pattern NO_SPACE = Pattern.compile("[a-z_]+:\\S.*");

  /** Returns the same file, to be read as a configuration of rls. */
  public SourceFile asRls() {
    return new SourceFile(file, variables, addressCheck, findings, unknownKeys, true);
  }

  public SourcePlace place(Node node) {
    return SourcePlace.of(file, node.getStartMark());
  }

  public void fault(Node node, String message) {
    findings.fault(place(node), message);
  }

  /**
   * Reports the unknown key {@code node}: as a fault, or as a warning in a configuration of rls.
   */
  public void unknown(Node node, String message) {
    if (rls) {
      findings.warn(place(node), "ignored: " + message);
    } else {
      fault(node, message);
    }
  }

  /** Returns the entries of a mapping; in a configuration of rls, with those it merges. */
  public List<NodeTuple> entries(MappingNode node) {
    return rls ? MergedEntries.of(node, this::fault) : node.getValue();
  }

  /** Reads a mapping, or adds a fault. */
  public Optional<MappingNode> mapping(Node node, String name, String expected) {
    if (node instanceof MappingNode mapping && node.getTag().equals(Tag.MAP)) {
      return Optional.of(mapping);
    }
    boolean setting =
        node instanceof ScalarNode scalar && NO_SPACE.matcher(scalar.getValue()).matches();
    String space = setting ? ", with a space behind each colon" : "";
    fault(node, name + " is " + YamlNodes.kind(node) + ", expected " + expected + space);
    return Optional.empty();
  }

  /** Reads the items of a list, or adds a fault. */
  Optional<List<Node>> items(Node node, String name, String expected) {
    if (node instanceof SequenceNode sequence && node.getTag().equals(Tag.SEQ)) {
      return Optional.of(sequence.getValue());
    }
    String dash = node instanceof MappingNode ? ", each behind a dash" : "";
    fault(node, name + " is " + YamlNodes.kind(node) + ", expected " + expected + dash);
    return Optional.empty();
  }

  /** Reads a value that is neither list nor mapping, or adds a fault. */
  Optional<ScalarValue> scalar(Node node, String name, String expected) {
    return scalar(node, name, expected, false);
  }

  /** Reads a value that may come from a file, or adds a fault. */
  Optional<ScalarValue> secret(Node node, String name, String expected) {
    return scalar(node, name, expected, true);
  }

  private Optional<ScalarValue> scalar(Node node, String name, String expected, boolean files) {
    Optional<ScalarValue> scalar = Optional.empty();
    if (!YamlNodes.plainScalar(node)) {
      fault(node, name + " is " + YamlNodes.kind(node) + ", expected " + expected);
      return scalar;
    }
    String raw = ((ScalarNode) node).getValue();
    switch (variables.expand(raw, files)) {
      case VariableExpansion.Expansion.Text text -> {
        findings.variables(text.names());
        scalar =
            Optional.of(
                new ScalarValue(raw, text.text(), text.names(), text.replaced(), node.getTag()));
      }
      case VariableExpansion.Expansion.Unset unset ->
          fault(
              node,
              "%s takes environment variable %s, which is not set, expected it to be set or %s"
                  .formatted(name, unset.name(), "a default: ${" + unset.name() + ":default}"));
      case VariableExpansion.Expansion.NoFile(String path, String why) ->
          fault(
              node,
              "%s takes file %s, which %s; expected ${file:PATH} of a file with nothing but the value"
                  .formatted(name, ScalarValue.quote(path), why));
      case VariableExpansion.Expansion.Malformed malformed ->
          fault(node, name + " has a broken ${, expected ${NAME} or ${NAME:default}");
    }
    return scalar;
  }
}
