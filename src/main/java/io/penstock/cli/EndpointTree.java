package io.penstock.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Endpoints as a tree of the segments of their paths. */
final class EndpointTree {
  /** Maximum number of levels; deeper ones are drawn at the last level. */
  private static final int MOST_LEVELS = 6;

  /**
   * One row.
   *
   * @param branches lines that connect it to the row above
   * @param endpoint null for a segment that only has children
   */
  record Row(String branches, String label, @Nullable WatchedEndpoint endpoint) {}

  private static final class Node {
    private final Map<String, Node> below = new TreeMap<>();
    private @Nullable WatchedEndpoint endpoint;
  }

  private final TerminalStyle terminalStyle;
  private final List<Row> rows = new ArrayList<>();

  private EndpointTree(TerminalStyle terminalStyle) {
    this.terminalStyle = terminalStyle;
  }

  /** Returns the rows from top to bottom. */
  static List<Row> rows(Collection<WatchedEndpoint> endpoints, TerminalStyle terminalStyle) {
    Node root = new Node();
    for (WatchedEndpoint each : endpoints) {
      Node node = root;
      for (String segment : each.path().split("/", -1)) {
        if (!segment.isEmpty()) {
          node = node.below.computeIfAbsent(segment, any -> new Node());
        }
      }
      node.endpoint = each;
    }
    EndpointTree endpointTree = new EndpointTree(terminalStyle);
    if (root.endpoint != null) {
      endpointTree.rows.add(new Row("", "/", root.endpoint));
    }
    root.below.forEach((segment, node) -> endpointTree.add("", "", "/" + segment, node, 0));
    return endpointTree.rows;
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
      String lead = deep ? branches : trunks + terminalStyle.branch(left == 0);
      String trunk = deep ? trunks : trunks + terminalStyle.trunk(left == 0);
      add(lead, trunk, each.getKey(), each.getValue(), level + 1);
    }
  }
}
