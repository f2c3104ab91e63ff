package io.penstock.queue;

import io.penstock.cost.Dimension;
import java.util.Arrays;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A place in a {@link Treap}: what it is ordered by, and what is known of it and of all below it.
 */
abstract class Node {
  @Nullable Node left;
  @Nullable Node right;
  @Nullable Node earlier;
  @Nullable Node later;

  /**
   * Smaller goes first; of equal ranks the smaller order. Neither changes while it is in a treap.
   */
  long rank;

  long order;

  /** Its own sizes, and the least of its subtree. */
  final long[] sizes = new long[Dimension.COUNT];

  private final long[] least = new long[Dimension.COUNT];

  /** How often it was skipped, and the most of its subtree; what both children do not know yet. */
  private int skips;

  private int most;
  private int owed;
  private final int heap;

  /**
   * Makes a node that is in no treap.
   *
   * @param seed unique among the nodes of a treap: it decides the shape, nothing else
   */
  Node(long order, long seed) {
    this.order = order;
    // The finisher of MurmurHash3: well mixed without a random source.
    long mixed = seed * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    heap = (int) (mixed ^ (mixed >>> 33));
  }

  final boolean before(long otherRank, long otherOrder) {
    return rank != otherRank ? rank < otherRank : order < otherOrder;
  }

  final boolean before(Node other) {
    return before(other.rank, other.order);
  }

  /** Whether it has that place: no two nodes of a treap do. */
  final boolean at(long otherRank, long otherOrder) {
    return rank == otherRank && order == otherOrder;
  }

  final boolean above(Node other) {
    return heap > other.heap;
  }

  final long[] least() {
    return least;
  }

  final int most() {
    return most;
  }

  /** As of the last time {@link #settle} was called on the way here. */
  final int skips() {
    return skips;
  }

  final void skips(int count) {
    skips = count;
  }

  /** Everything in the subtree was skipped so often more. */
  final void skipped(int times) {
    passed(times);
    most += times;
    owed += times;
  }

  /** It was itself skipped so often more. */
  void passed(int times) {
    skips += times;
  }

  /** Whether it, or something in it, is within {@code room}. */
  boolean fits(Sizes room) {
    return room.admit(sizes);
  }

  /** Returns {@code instant} of its sizes, or the smallest over what is in it. */
  long soonest(ToLongFunction<Sizes> instant, Sizes probe) {
    probe.set(sizes);
    return instant.applyAsLong(probe);
  }

  /** Tells the children what they do not know yet. */
  final void settle() {
    if (owed != 0) {
      if (left != null) {
        left.skipped(owed);
      }
      if (right != null) {
        right.skipped(owed);
      }
      owed = 0;
    }
  }

  /** Sums its subtree up again. */
  final void sum() {
    System.arraycopy(sizes, 0, least, 0, sizes.length);
    most = skips;
    include(left);
    include(right);
  }

  private void include(@Nullable Node child) {
    if (child != null) {
      most = Math.max(most, child.most);
      for (int at = 0; at < least.length; at++) {
        least[at] = Math.min(least[at], child.least[at]);
      }
    }
  }

  /** Is in no treap any more. */
  void clear() {
    left = null;
    right = null;
    earlier = null;
    later = null;
    owed = 0;
    skips = 0;
    most = 0;
    Arrays.fill(least, 0);
  }
}
