package io.penstock.config.shape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * The entries of a mapping with merge keys. Visits each mapping once, because a second visit adds
 * nothing new.
 */
final class MergedEntries {
  private final BiConsumer<Node, String> faults;
  private final List<NodeTuple> entries = new ArrayList<>();
  private final Set<String> keys = new HashSet<>();
  private final Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private MergedEntries(BiConsumer<Node, String> faults) {
    this.faults = faults;
  }

  /**
   * Returns the entries of {@code node}, followed by the merged entries that it does not have
   * itself.
   */
  static List<NodeTuple> of(MappingNode node, BiConsumer<Node, String> faults) {
    MergedEntries merged = new MergedEntries(faults);
    merged.add(node);
    return merged.entries;
  }

  private void add(MappingNode node) {
    if (!seen.add(node)) {
      return;
    }
    Set<String> before = Set.copyOf(keys);
    List<Node> merged = new ArrayList<>();
    for (NodeTuple entry : node.getValue()) {
      Optional<String> key = YamlNodes.key(entry.getKeyNode());
      if (entry.getKeyNode().getTag().equals(Tag.MERGE)) {
        merged.add(entry.getValueNode());
      } else if (key.isEmpty() || !before.contains(key.get())) {
        key.ifPresent(keys::add);
        entries.add(entry);
      }
    }
    merged.forEach(this::follow);
  }

  private void follow(Node value) {
    switch (value) {
      case MappingNode mapping -> add(mapping);
      case SequenceNode sequence when sequence.getTag().equals(Tag.SEQ) && seen.add(sequence) ->
          sequence.getValue().forEach(this::follow);
      default ->
          faults.accept(value, "<< is " + YamlNodes.kind(value) + ", expected aliases of mappings");
    }
  }
}
