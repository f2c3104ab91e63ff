package io.penstock.queue;

import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Nodes in order, with an index on their sizes and one on how often they were skipped. A treap
 * (Seidel and Aragon, 1996) whose links are the nodes' own fields. Adding, removing, skipping all
 * earlier nodes and finding the next that was skipped enough take O(log n). So does finding the
 * first that fits, if only one dimension is short.
 *
 * <p>Belongs to one thread at a time. No node is in two treaps.
 *
 * @param <N> the kind of node
 */
final class Treap<N extends Node> {
  private @Nullable Node root;
  private @Nullable Node first;
  private int size;

  int size() {
    return size;
  }

  @Nullable N first() {
    return cast(first);
  }

  @SuppressWarnings("unchecked") // only nodes given to add are linked
  private @Nullable N cast(@Nullable Node node) {
    return (N) node;
  }

  /** Returns the first node after a place, or null. */
  @Nullable N after(long rank, long order) {
    Node found = null;
    Node node = root;
    while (node != null) {
      if (node.before(rank, order) || node.at(rank, order)) {
        node = node.right;
      } else {
        found = node;
        node = node.left;
      }
    }
    return cast(found);
  }

  @Nullable N after(N node) {
    return after(node.rank, node.order);
  }

  /** Returns the root, which has the smallest sizes of all; null when empty. */
  @Nullable Node top() {
    return root;
  }

  void add(N node) {
    root = insert(root, node);
    if (first == null || node.before(first)) {
      first = node;
    }
    size++;
  }

  /** Removes a node. Its number of skips is lost. */
  void remove(N node) {
    root = erase(root, node);
    if (first != null && first.at(node.rank, node.order)) {
      first = leftmost();
    }
    size--;
    node.clear();
  }

  private @Nullable Node leftmost() {
    Node node = root;
    while (node != null && node.left != null) {
      node = node.left;
    }
    return node;
  }

  /** Counts a skip of all nodes before a place. */
  void skipBefore(long rank, long order) {
    skipBefore(root, rank, order);
  }

  private static void skipBefore(@Nullable Node node, long rank, long order) {
    if (node == null) {
      return;
    }
    node.settle();
    if (node.before(rank, order)) {
      node.passed(1);
      if (node.left != null) {
        node.left.skipped(1);
      }
      skipBefore(node.right, rank, order);
    } else {
      skipBefore(node.left, rank, order);
    }
    node.sum();
  }

  /** Counts {@code times} skips of all nodes. */
  void skip(int times) {
    if (root != null) {
      root.skipped(times);
    }
  }

  /** Returns the largest number of skips of a node; 0 when empty. */
  int mostSkips() {
    return root == null ? 0 : root.most();
  }

  /** Returns how often a node was skipped. */
  int skips(N node) {
    if (mostSkips() == 0) {
      return 0;
    }
    Node at = root;
    while (at != null && !at.at(node.rank, node.order)) {
      at.settle();
      at = node.before(at) ? at.left : at.right;
    }
    return node.skips();
  }

  /**
   * Returns the first node after a place that was skipped at least {@code times} times, or null.
   */
  @Nullable N skipped(long rank, long order, int times) {
    return cast(skipped(root, rank, order, times));
  }

  private static @Nullable Node skipped(@Nullable Node node, long rank, long order, int times) {
    if (node == null || node.most() < times) {
      return null;
    }
    node.settle();
    if (node.before(rank, order) || node.at(rank, order)) {
      return skipped(node.right, rank, order, times);
    }
    Node found = skipped(node.left, rank, order, times);
    if (found != null) {
      return found;
    }
    return node.skips() >= times ? node : skipped(node.right, rank, order, times);
  }

  /** Runs a change of a node's own sizes or skips, and updates the nodes above it. */
  void changed(N node, Runnable change) {
    changed(root, node, change);
  }

  private static void changed(@Nullable Node at, Node node, Runnable change) {
    if (at == null) {
      throw new IllegalStateException("node " + node.order + " is not here");
    }
    at.settle();
    if (at.at(node.rank, node.order)) {
      change.run();
    } else {
      changed(node.before(at) ? at.left : at.right, node, change);
    }
    at.sum();
  }

  /** Returns the first node in order that is within {@code room} in all dimensions, or null. */
  @Nullable N firstWithin(Sizes room) {
    return cast(firstWithin(root, room));
  }

  private static @Nullable Node firstWithin(@Nullable Node node, Sizes room) {
    if (node == null || !node.mayFit(room)) {
      return null;
    }
    Node found = firstWithin(node.left, room);
    if (found != null) {
      return found;
    }
    return node.fits(room) ? node : firstWithin(node.right, room);
  }

  /**
   * Returns the smallest value of {@code instant} over the sizes of all nodes, where larger sizes
   * never give smaller values; {@link Long#MAX_VALUE} when empty.
   *
   * @param probe sizes to use as an argument, of any content
   */
  long soonest(ToLongFunction<Sizes> instant, Sizes probe) {
    return soonest(root, instant, probe, Long.MAX_VALUE);
  }

  private static long soonest(
      @Nullable Node node, ToLongFunction<Sizes> instant, Sizes probe, long best) {
    if (node == null) {
      return best;
    }
    node.leastInto(probe);
    if (instant.applyAsLong(probe) >= best) {
      return best;
    }
    long found = Math.min(best, node.soonest(instant, probe));
    found = soonest(node.left, instant, probe, found);
    return soonest(node.right, instant, probe, found);
  }

  private static Node insert(@Nullable Node node, Node added) {
    if (node == null || added.above(node)) {
      split(node, added);
      added.sum();
      return added;
    }
    node.settle();
    if (added.before(node)) {
      node.left = insert(node.left, added);
    } else {
      node.right = insert(node.right, added);
    }
    node.sum();
    return node;
  }

  /** Splits a subtree around {@code at}: the two parts become its children. */
  private static void split(@Nullable Node node, Node at) {
    if (node == null) {
      at.left = null;
      at.right = null;
      return;
    }
    node.settle();
    if (node.before(at)) {
      split(node.right, at);
      node.right = at.left;
      at.left = node;
    } else {
      split(node.left, at);
      node.left = at.right;
      at.right = node;
    }
    node.sum();
  }

  private static @Nullable Node erase(@Nullable Node node, Node gone) {
    if (node == null) {
      throw new IllegalStateException("node " + gone.order + " is not here");
    }
    node.settle();
    if (node.at(gone.rank, gone.order)) {
      return merge(node.left, node.right);
    }
    if (gone.before(node)) {
      node.left = erase(node.left, gone);
    } else {
      node.right = erase(node.right, gone);
    }
    node.sum();
    return node;
  }

  private static @Nullable Node merge(@Nullable Node before, @Nullable Node after) {
    if (before == null) {
      return after;
    }
    if (after == null) {
      return before;
    }
    if (before.above(after)) {
      before.settle();
      before.right = merge(before.right, after);
      before.sum();
      return before;
    }
    after.settle();
    after.left = merge(before, after.left);
    after.sum();
    return after;
  }
}
