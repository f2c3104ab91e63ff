package io.penstock.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Endpoints as a tree of the segments of their paths. */
final class Tree {
  /** Maximum number of levels; deeper ones are drawn at the last level. */
  private static final int MOST_LEVELS = 6;

  /**
   * One row.
   *
   * @param branches lines that connect it to the row above
   * @param endpoint null for a segment that only has children
   */
  record Row(String branches, String label, @Nullable Watched endpoint) {}

  private static final class Node {
    private final Map<String, Node> below = new TreeMap<>();
    private @Nullable Watched endpoint;
  }

  private final Look look;
  private final List<Row> rows = new ArrayList<>();

  private Tree(Look look) {
    this.look = look;
  }

  /** Returns the rows from top to bottom. */
  static List<Row> rows(Collection<Watched> endpoints, Look look) {
    Node root = new Node();
    for (Watched each : endpoints) {
      Node node = root;
      for (String segment : each.path().split("/", -1)) {
        if (!segment.isEmpty()) {
          node = node.below.computeIfAbsent(segment, any -> new Node());
        }
      }
      node.endpoint = each;
    }
    Tree tree = new Tree(look);
    if (root.endpoint != null) {
      tree.rows.add(new Row("", "/", root.endpoint));
    }
    root.below.forEach((segment, node) -> tree.add("", "", "/" + segment, node, 0));
    return tree.rows;
  }

  private void add(String branches, String trunks, String label, Node node, int level) {
    String name = label;
    Node shown = node;
    while (shown.endpoint == null && shown.below.size() == 1) {
      Map.Entry<String, Node> only = shown.below.entrySet().iterator().next();
      name += "/" + only.getKey();
      shown = only.getValue();
    }
    rows.add(new Row(branches, name, shown.endpoint));
    int left = shown.below.size();
    for (Map.Entry<String, Node> each : shown.below.entrySet()) {
      left--;
      boolean deep = level >= MOST_LEVELS;
      String lead = deep ? branches : trunks + look.branch(left == 0);
      String trunk = deep ? trunks : trunks + look.trunk(left == 0);
      add(lead, trunk, each.getKey(), each.getValue(), level + 1);
    }
  }
}
