package io.penstock.queue;

import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Node of a {@link Treap}: its place in the order, its sizes and skips, and those of its subtree.
 * Sizes are fields and not arrays, so that one visit of a node is one read of memory.
 */
public abstract class TreapNode {
  @Nullable TreapNode left;
  @Nullable TreapNode right;

  /**
   * Smaller goes first; with equal ranks the smaller order. Neither changes while the node is in a
   * treap.
   */
  long rank;

  long order;

  /** Sizes of this node. */
  private long input;

  private long output;
  private long total;
  private long stated;

  /** {@link CostDimension#MOST}; the field {@code most} is the number of skips. */
  private long whole;

  private long ceiling;
  private long uncached;
  private long uncachedTotal;
  private long needed;
  private long unseen;

  /** Smallest sizes in the subtree. */
  private long leastInput;

  private long leastOutput;
  private long leastTotal;
  private long leastStated;
  private long leastWhole;
  private long leastCeiling;
  private long leastUncached;
  private long leastUncachedTotal;
  private long leastNeeded;
  private long leastUnseen;

  /**
   * Skips of this node, the largest number of skips in the subtree, and skips that both children
   * lack.
   */
  private int skips;

  private int mostSkips;
  private int owed;
  private final int heap;

  /**
   * Creates a node that is in no treap.
   *
   * @param seed unique among the nodes of a treap: it decides the shape, nothing else
   */
  TreapNode(long order, long seed) {
    this.order = order;
    // The finisher of MurmurHash3: well mixed without a random source.
    long mixed = seed * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    heap = (int) (mixed ^ (mixed >>> 33));
  }

  /** Creates a node with the sizes of a cost. */
  TreapNode(long order, Cost cost) {
    this(order, order);
    sizesOf(cost);
  }

  /** Sets the sizes to those of a cost; the node must be in no treap. */
  final void sizesOf(Cost cost) {
    input = CostDimension.INPUT.of(cost);
    output = CostDimension.OUTPUT.of(cost);
    total = CostDimension.TOTAL.of(cost);
    stated = CostDimension.STATED.of(cost);
    whole = CostDimension.MOST.of(cost);
    ceiling = CostDimension.CEILING.of(cost);
    uncached = CostDimension.UNCACHED.of(cost);
    uncachedTotal = CostDimension.UNCACHED_TOTAL.of(cost);
    needed = CostDimension.NEEDED.of(cost);
    unseen = CostDimension.UNSEEN.of(cost);
  }

  final boolean before(long otherRank, long otherOrder) {
    return rank != otherRank ? rank < otherRank : order < otherOrder;
  }

  final boolean before(TreapNode other) {
    return before(other.rank, other.order);
  }

  /** Returns whether this node has that place. No two nodes of a treap have the same. */
  final boolean at(long otherRank, long otherOrder) {
    return rank == otherRank && order == otherOrder;
  }

  final boolean above(TreapNode other) {
    return heap > other.heap;
  }

  /** Copies the smallest sizes of the subtree of {@code top} to this node. */
  final void sizesOf(TreapNode top) {
    input = top.leastInput;
    output = top.leastOutput;
    total = top.leastTotal;
    stated = top.leastStated;
    whole = top.leastWhole;
    ceiling = top.leastCeiling;
    uncached = top.leastUncached;
    uncachedTotal = top.leastUncachedTotal;
    needed = top.leastNeeded;
    unseen = top.leastUnseen;
  }

  /** Copies the sizes of this node to {@code into}. */
  public final void sizesInto(DimensionSizes into) {
    into.set(input, output, total, stated, whole, ceiling, uncached, uncachedTotal, needed, unseen);
  }

  final void leastInto(DimensionSizes into) {
    into.set(
        leastInput,
        leastOutput,
        leastTotal,
        leastStated,
        leastWhole,
        leastCeiling,
        leastUncached,
        leastUncachedTotal,
        leastNeeded,
        leastUnseen);
  }

  /** Returns whether something in the subtree may be within {@code room}. */
  final boolean mayFit(DimensionSizes room) {
    return room.admits(
        leastInput,
        leastOutput,
        leastTotal,
        leastStated,
        leastWhole,
        leastCeiling,
        leastUncached,
        leastUncachedTotal,
        leastNeeded,
        leastUnseen);
  }

  /** Returns whether this node, or something in it, is within {@code room}. */
  boolean fits(DimensionSizes room) {
    return room.admits(
        input, output, total, stated, whole, ceiling, uncached, uncachedTotal, needed, unseen);
  }

  /** Returns {@code instant} of the sizes of this node, or the smallest over what is in it. */
  long soonest(ToLongFunction<DimensionSizes> instant, DimensionSizes probe) {
    sizesInto(probe);
    return instant.applyAsLong(probe);
  }

  final int mostSkips() {
    return mostSkips;
  }

  /** Returns the skips of this node, as of the last {@link #settle} on the way from the root. */
  final int skips() {
    return skips;
  }

  final void skips(int count) {
    skips = count;
  }

  /** Adds skips to everything in the subtree. */
  final void skipped(int times) {
    passed(times);
    mostSkips += times;
    owed += times;
  }

  /** Adds skips to this node alone. */
  void passed(int times) {
    skips += times;
  }

  /** Passes skips on to the children that lack them. */
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

  /** Computes the values of the subtree from those of this node and its children. */
  final void sum() {
    mostSkips = skips;
    leastInput = input;
    leastOutput = output;
    leastTotal = total;
    leastStated = stated;
    leastWhole = whole;
    leastCeiling = ceiling;
    leastUncached = uncached;
    leastUncachedTotal = uncachedTotal;
    leastNeeded = needed;
    leastUnseen = unseen;
    include(left);
    include(right);
  }

  private void include(@Nullable TreapNode child) {
    if (child != null) {
      mostSkips = Math.max(mostSkips, child.mostSkips);
      leastInput = Math.min(leastInput, child.leastInput);
      leastOutput = Math.min(leastOutput, child.leastOutput);
      leastTotal = Math.min(leastTotal, child.leastTotal);
      leastStated = Math.min(leastStated, child.leastStated);
      leastWhole = Math.min(leastWhole, child.leastWhole);
      leastCeiling = Math.min(leastCeiling, child.leastCeiling);
      leastUncached = Math.min(leastUncached, child.leastUncached);
      leastUncachedTotal = Math.min(leastUncachedTotal, child.leastUncachedTotal);
      leastNeeded = Math.min(leastNeeded, child.leastNeeded);
      leastUnseen = Math.min(leastUnseen, child.leastUnseen);
    }
  }

  /** Resets this node, which has been removed from its treap; it keeps its own skips. */
  final void clear() {
    left = null;
    right = null;
    owed = 0;
    mostSkips = skips;
  }
}
