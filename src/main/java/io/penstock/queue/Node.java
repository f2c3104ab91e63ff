package io.penstock.queue;

import io.penstock.cost.Cost;
import io.penstock.cost.Dimension;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A place in a {@link Treap}: what it is ordered by, and what is known of it and of all below it.
 * Sizes are fields and no arrays, because one visit of a node is one read of memory then.
 */
abstract class Node {
  @Nullable Node left;
  @Nullable Node right;

  /**
   * Smaller goes first; of equal ranks the smaller order. Neither changes while it is in a treap.
   */
  long rank;

  long order;

  /** Its own sizes. */
  private long input;

  private long output;
  private long total;
  private long stated;

  /** {@link Dimension#MOST}: what is {@code most} here counts skips. */
  private long whole;

  /** The least of its subtree. */
  private long leastInput;

  private long leastOutput;
  private long leastTotal;
  private long leastStated;
  private long leastWhole;

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

  /** Makes a node of the sizes of a cost. */
  Node(long order, Cost cost) {
    this(order, order);
    input = Dimension.INPUT.of(cost);
    output = Dimension.OUTPUT.of(cost);
    total = Dimension.TOTAL.of(cost);
    stated = Dimension.STATED.of(cost);
    whole = Dimension.MOST.of(cost);
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

  /** Takes the least sizes below another node for its own. */
  final void sizesOf(Node top) {
    input = top.leastInput;
    output = top.leastOutput;
    total = top.leastTotal;
    stated = top.leastStated;
    whole = top.leastWhole;
  }

  final void sizesInto(Sizes into) {
    into.set(input, output, total, stated, whole);
  }

  final void leastInto(Sizes into) {
    into.set(leastInput, leastOutput, leastTotal, leastStated, leastWhole);
  }

  /** Whether something in its subtree may be within {@code room}. */
  final boolean mayFit(Sizes room) {
    return room.admits(leastInput, leastOutput, leastTotal, leastStated, leastWhole);
  }

  /** Whether it, or something in it, is within {@code room}. */
  boolean fits(Sizes room) {
    return room.admits(input, output, total, stated, whole);
  }

  /** Returns {@code instant} of its sizes, or the smallest over what is in it. */
  long soonest(ToLongFunction<Sizes> instant, Sizes probe) {
    sizesInto(probe);
    return instant.applyAsLong(probe);
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
    most = skips;
    leastInput = input;
    leastOutput = output;
    leastTotal = total;
    leastStated = stated;
    leastWhole = whole;
    include(left);
    include(right);
  }

  private void include(@Nullable Node child) {
    if (child != null) {
      most = Math.max(most, child.most);
      leastInput = Math.min(leastInput, child.leastInput);
      leastOutput = Math.min(leastOutput, child.leastOutput);
      leastTotal = Math.min(leastTotal, child.leastTotal);
      leastStated = Math.min(leastStated, child.leastStated);
      leastWhole = Math.min(leastWhole, child.leastWhole);
    }
  }

  /** Is in no treap any more. */
  final void clear() {
    left = null;
    right = null;
    owed = 0;
    skips = 0;
    most = 0;
  }
}
