package io.penstock.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a treap in order, O(1) a node all in all. Nothing of the treap may change meanwhile.
 *
 * @param <N> the kind of node
 */
final class Walk<N extends Node> {
  /** Those not visited whose left parts have been, the next on top. */
  private final Deque<Node> open = new ArrayDeque<>();

  Walk(Treap<N> treap) {
    descend(treap.top());
  }

  private void descend(@Nullable Node from) {
    for (Node node = from; node != null; node = node.left) {
      open.push(node);
    }
  }

  /** Returns the next, and stays in front of it; null at the end. */
  @SuppressWarnings("unchecked") // only nodes of the treap are linked
  @Nullable N peek() {
    return (N) open.peek();
  }

  /** Returns the next and goes on; null at the end. */
  @Nullable N next() {
    N next = peek();
    if (next != null) {
      open.pop();
      descend(next.right);
    }
    return next;
  }
}
