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
final class Treap<N extends TreapNode> {
  private @Nullable TreapNode root;
  private @Nullable TreapNode first;
  private int size;

  int size() {
    return size;
  }

  @Nullable N first() {
    return cast(first);
  }

  @SuppressWarnings("unchecked") // only nodes given to add are linked
  private @Nullable N cast(@Nullable TreapNode treapNode) {
    return (N) treapNode;
  }

  /** Returns the first node after a place, or null. */
  @Nullable N after(long rank, long order) {
    TreapNode found = null;
    TreapNode treapNode = root;
    while (treapNode != null) {
      if (treapNode.before(rank, order) || treapNode.at(rank, order)) {
        treapNode = treapNode.right;
      } else {
        found = treapNode;
        treapNode = treapNode.left;
      }
    }
    return cast(found);
  }

  @Nullable N after(N node) {
    return after(node.rank, node.order);
  }

  /** Returns the root, which has the smallest sizes of all; null when empty. */
  @Nullable TreapNode top() {
    return root;
  }

  void add(N node) {
    root = insert(root, node);
    if (first == null || node.before(first)) {
      first = node;
    }
    size++;
  }

  /** Removes a node. It keeps its number of skips, with which it may be added again. */
  void remove(N node) {
    root = erase(root, node);
    if (first != null && first.at(node.rank, node.order)) {
      first = leftmost();
    }
    size--;
    node.clear();
  }

  private @Nullable TreapNode leftmost() {
    TreapNode treapNode = root;
    while (treapNode != null && treapNode.left != null) {
      treapNode = treapNode.left;
    }
    return treapNode;
  }

  /** Counts a skip of all nodes before a place. */
  void skipBefore(long rank, long order) {
    skipBefore(root, rank, order);
  }

  private static void skipBefore(@Nullable TreapNode treapNode, long rank, long order) {
    if (treapNode == null) {
      return;
    }
    treapNode.settle();
    if (treapNode.before(rank, order)) {
      treapNode.passed(1);
      if (treapNode.left != null) {
        treapNode.left.skipped(1);
      }
      skipBefore(treapNode.right, rank, order);
    } else {
      skipBefore(treapNode.left, rank, order);
    }
    treapNode.sum();
  }

  /** Counts {@code times} skips of all nodes. */
  void skip(int times) {
    if (root != null) {
      root.skipped(times);
    }
  }

  /** Returns the largest number of skips of a node; 0 when empty. */
  int mostSkips() {
    return root == null ? 0 : root.mostSkips();
  }

  /** Returns how often a node was skipped. */
  int skips(N node) {
    if (mostSkips() == 0) {
      return 0;
    }
    TreapNode at = root;
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

  private static @Nullable TreapNode skipped(
      @Nullable TreapNode treapNode, long rank, long order, int times) {
    if (treapNode == null || treapNode.mostSkips() < times) {
      return null;
    }
    treapNode.settle();
    if (treapNode.before(rank, order) || treapNode.at(rank, order)) {
      return skipped(treapNode.right, rank, order, times);
    }
    TreapNode found = skipped(treapNode.left, rank, order, times);
    if (found != null) {
      return found;
    }
    return treapNode.skips() >= times ? treapNode : skipped(treapNode.right, rank, order, times);
  }

  /** Runs a change of a node's own sizes or skips, and updates the nodes above it. */
  void changed(N node, Runnable change) {
    changed(root, node, change);
  }

  private static void changed(@Nullable TreapNode at, TreapNode treapNode, Runnable change) {
    if (at == null) {
      throw new IllegalStateException("node " + treapNode.order + " is not here");
    }
    at.settle();
    if (at.at(treapNode.rank, treapNode.order)) {
      change.run();
    } else {
      changed(treapNode.before(at) ? at.left : at.right, treapNode, change);
    }
    at.sum();
  }

  /** Returns the first node in order that is within {@code room} in all dimensions, or null. */
  @Nullable N firstWithin(DimensionSizes room) {
    return cast(firstWithin(root, room));
  }

  private static @Nullable TreapNode firstWithin(
      @Nullable TreapNode treapNode, DimensionSizes room) {
    if (treapNode == null || !treapNode.mayFit(room)) {
      return null;
    }
    TreapNode found = firstWithin(treapNode.left, room);
    if (found != null) {
      return found;
    }
    return treapNode.fits(room) ? treapNode : firstWithin(treapNode.right, room);
  }

  /**
   * Returns the smallest value of {@code instant} over the sizes of all nodes, where larger sizes
   * never give smaller values; {@link Long#MAX_VALUE} when empty.
   *
   * @param probe sizes to use as an argument, of any content
   */
  long soonest(ToLongFunction<DimensionSizes> instant, DimensionSizes probe) {
    return soonest(root, instant, probe, Long.MAX_VALUE);
  }

  private static long soonest(
      @Nullable TreapNode treapNode,
      ToLongFunction<DimensionSizes> instant,
      DimensionSizes probe,
      long best) {
    if (treapNode == null) {
      return best;
    }
    treapNode.leastInto(probe);
    if (instant.applyAsLong(probe) >= best) {
      return best;
    }
    long found = Math.min(best, treapNode.soonest(instant, probe));
    found = soonest(treapNode.left, instant, probe, found);
    return soonest(treapNode.right, instant, probe, found);
  }

  private static TreapNode insert(@Nullable TreapNode treapNode, TreapNode added) {
    if (treapNode == null || added.above(treapNode)) {
      split(treapNode, added);
      added.sum();
      return added;
    }
    treapNode.settle();
    if (added.before(treapNode)) {
      treapNode.left = insert(treapNode.left, added);
    } else {
      treapNode.right = insert(treapNode.right, added);
    }
    treapNode.sum();
    return treapNode;
  }

  /** Splits a subtree around {@code at}: the two parts become its children. */
  private static void split(@Nullable TreapNode treapNode, TreapNode at) {
    if (treapNode == null) {
      at.left = null;
      at.right = null;
      return;
    }
    treapNode.settle();
    if (treapNode.before(at)) {
      split(treapNode.right, at);
      treapNode.right = at.left;
      at.left = treapNode;
    } else {
      split(treapNode.left, at);
      treapNode.left = at.right;
      at.right = treapNode;
    }
    treapNode.sum();
  }

  private static @Nullable TreapNode erase(@Nullable TreapNode treapNode, TreapNode erased) {
    if (treapNode == null) {
      throw new IllegalStateException("node " + erased.order + " is not here");
    }
    treapNode.settle();
    if (treapNode.at(erased.rank, erased.order)) {
      return merge(treapNode.left, treapNode.right);
    }
    if (erased.before(treapNode)) {
      treapNode.left = erase(treapNode.left, erased);
    } else {
      treapNode.right = erase(treapNode.right, erased);
    }
    treapNode.sum();
    return treapNode;
  }

  private static @Nullable TreapNode merge(@Nullable TreapNode before, @Nullable TreapNode after) {
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
