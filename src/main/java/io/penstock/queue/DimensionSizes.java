package io.penstock.queue;

import io.penstock.cost.CostDimension;

/**
 * One number for each {@link CostDimension}: a room to compare tickets with, or the sizes of
 * tickets. Belongs to one thread at a time.
 */
public final class DimensionSizes {
  private long input;
  private long output;
  private long total;
  private long stated;
  private long most;
  private long ceiling;
  private long uncached;
  private long uncachedTotal;
  private long needed;
  private long unseen;

  /** Creates sizes that are all {@link Long#MAX_VALUE}. */
  public DimensionSizes() {
    reset();
  }

  /** Sets all to {@link Long#MAX_VALUE}. */
  public void reset() {
    setAll(Long.MAX_VALUE);
  }

  /** Sets all to one size. */
  public void setAll(long size) {
    set(size, size, size, size, size, size, size, size, size, size);
  }

  /** Lowers one dimension to {@code size} if it is larger. */
  public void lower(CostDimension costDimension, long size) {
    switch (costDimension) {
      case INPUT -> input = Math.min(input, size);
      case OUTPUT -> output = Math.min(output, size);
      case TOTAL -> total = Math.min(total, size);
      case STATED -> stated = Math.min(stated, size);
      case MOST -> most = Math.min(most, size);
      case CEILING -> ceiling = Math.min(ceiling, size);
      case UNCACHED -> uncached = Math.min(uncached, size);
      case UNCACHED_TOTAL -> uncachedTotal = Math.min(uncachedTotal, size);
      case NEEDED -> needed = Math.min(needed, size);
      case UNSEEN -> unseen = Math.min(unseen, size);
    }
  }

  /** Raises each size to that of {@code other} if it is smaller. */
  public void raise(DimensionSizes other) {
    set(
        Math.max(input, other.input),
        Math.max(output, other.output),
        Math.max(total, other.total),
        Math.max(stated, other.stated),
        Math.max(most, other.most),
        Math.max(ceiling, other.ceiling),
        Math.max(uncached, other.uncached),
        Math.max(uncachedTotal, other.uncachedTotal),
        Math.max(needed, other.needed),
        Math.max(unseen, other.unseen));
  }

  /** Lowers each size to that of {@code other} if it is larger. */
  public void lower(DimensionSizes other) {
    set(
        Math.min(input, other.input),
        Math.min(output, other.output),
        Math.min(total, other.total),
        Math.min(stated, other.stated),
        Math.min(most, other.most),
        Math.min(ceiling, other.ceiling),
        Math.min(uncached, other.uncached),
        Math.min(uncachedTotal, other.uncachedTotal),
        Math.min(needed, other.needed),
        Math.min(unseen, other.unseen));
  }

  /** Adds {@code sign} times {@code other}. */
  public void add(DimensionSizes other, int sign) {
    set(
        input + sign * other.input,
        output + sign * other.output,
        total + sign * other.total,
        stated + sign * other.stated,
        most + sign * other.most,
        ceiling + sign * other.ceiling,
        uncached + sign * other.uncached,
        uncachedTotal + sign * other.uncachedTotal,
        needed + sign * other.needed,
        unseen + sign * other.unseen);
  }

  /** Sets the sizes to those of a ticket that expects to read nothing from a cache. */
  public void expectNoCache() {
    uncached = input;
    uncachedTotal = total;
  }

  /** Returns the size in a dimension. */
  public long get(CostDimension costDimension) {
    return switch (costDimension) {
      case INPUT -> input;
      case OUTPUT -> output;
      case TOTAL -> total;
      case STATED -> stated;
      case MOST -> most;
      case CEILING -> ceiling;
      case UNCACHED -> uncached;
      case UNCACHED_TOTAL -> uncachedTotal;
      case NEEDED -> needed;
      case UNSEEN -> unseen;
    };
  }

  void set(
      long ofInput,
      long ofOutput,
      long ofTotal,
      long ofStated,
      long ofMost,
      long ofCeiling,
      long ofUncached,
      long ofUncachedTotal,
      long ofNeeded,
      long ofUnseen) {
    input = ofInput;
    output = ofOutput;
    total = ofTotal;
    stated = ofStated;
    most = ofMost;
    ceiling = ofCeiling;
    uncached = ofUncached;
    uncachedTotal = ofUncachedTotal;
    needed = ofNeeded;
    unseen = ofUnseen;
  }

  /** Returns whether no size of {@code other} is larger than its own. */
  public boolean admits(DimensionSizes other) {
    return admits(
        other.input,
        other.output,
        other.total,
        other.stated,
        other.most,
        other.ceiling,
        other.uncached,
        other.uncachedTotal,
        other.needed,
        other.unseen);
  }

  boolean admits(
      long ofInput,
      long ofOutput,
      long ofTotal,
      long ofStated,
      long ofMost,
      long ofCeiling,
      long ofUncached,
      long ofUncachedTotal,
      long ofNeeded,
      long ofUnseen) {
    return ofInput <= input
        && ofOutput <= output
        && ofTotal <= total
        && ofStated <= stated
        && ofMost <= most
        && ofCeiling <= ceiling
        && ofUncached <= uncached
        && ofUncachedTotal <= uncachedTotal
        && ofNeeded <= needed
        && ofUnseen <= unseen;
  }
}
