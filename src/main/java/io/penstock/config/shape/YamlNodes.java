package io.penstock.config.shape;

import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Kinds of YAML nodes: tells them apart, and names them in faults. */
public final class YamlNodes {
  private static final Set<Tag> SCALAR_TAGS =
      Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL, Tag.TIMESTAMP, Tag.MERGE);

  private YamlNodes() {}

  /** Returns whether {@code node} is a non-empty scalar with a standard tag. */
  static boolean plainScalar(Node node) {
    return node instanceof ScalarNode
        && SCALAR_TAGS.contains(node.getTag())
        && !node.getTag().equals(Tag.NULL);
  }

  /** Returns the text of a key if it is plain text. */
  public static Optional<String> key(Node node) {
    return node instanceof ScalarNode scalar
            && plainScalar(node)
            && !node.getTag().equals(Tag.MERGE)
        ? Optional.of(scalar.getValue())
        : Optional.empty();
  }

  /** Returns the kind of {@code node} in words, without its content. */
  static String kind(Node node) {
    Tag tag = node.getTag();
    if (tag.equals(Tag.NULL)) {
      return "empty";
    }
    return switch (node) {
      case MappingNode mapping when tag.equals(Tag.MAP) -> "a mapping";
      case SequenceNode sequence when tag.equals(Tag.SEQ) -> "a list";
      case ScalarNode scalar when SCALAR_TAGS.contains(tag) -> ScalarValue.quote(scalar.getValue());
      default -> "of type " + ScalarValue.quote(tag.getValue());
    };
  }
}
