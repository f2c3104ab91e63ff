package io.penstock.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Iteration over a treap in order, amortized O(1) a node. The treap must not change meanwhile.
 *
 * @param <N> the kind of node
 */
final class Walk<N extends Node> {
  /** Nodes that are still to come after their left subtrees, the next on top. */
  private final Deque<Node> open = new ArrayDeque<>();

  Walk(Treap<N> treap) {
    descend(treap.top());
  }

  private void descend(@Nullable Node from) {
    for (Node node = from; node != null; node = node.left) {
      open.push(node);
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
