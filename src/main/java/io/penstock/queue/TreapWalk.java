package io.penstock.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Iteration over a treap in order, amortized O(1) a node. The treap must not change meanwhile.
 *
 * @param <N> the kind of node
 */
final class TreapWalk<N extends TreapNode> {
  /** Nodes that are still to come after their left subtrees, the next on top. */
  private final Deque<TreapNode> open = new ArrayDeque<>();

  TreapWalk(Treap<N> treap) {
    descend(treap.top());
  }

  private void descend(@Nullable TreapNode from) {
    for (TreapNode treapNode = from; treapNode != null; treapNode = treapNode.left) {
      open.push(treapNode);
    }
  }

  /** Returns the next node without moving on; null at the end. */
  @SuppressWarnings("unchecked") // only nodes of the treap are linked
  @Nullable N peek() {
    return (N) open.peek();
  }

  /** Returns the next node and moves on; null at the end. */
  @Nullable N next() {
    N next = peek();
    if (next != null) {
      open.pop();
      descend(next.right);
    }
    return next;
  }
}
