package io.penstock.cost;

/** The sizes of a {@link Cost} that limits compare with their room. */
public enum CostDimension {
  /** Input tokens. */
  INPUT(0),
  /** Expected output tokens. */
  OUTPUT(1),
  /** Input plus expected output. */
  TOTAL(2),
  /** The larger of the stated maximum and the input. */
  STATED(3),
  /** Input plus the larger of the stated maximum and the expected output. */
  MOST(4),
  /** Input plus the stated maximum. */
  CEILING(5),
  /** Input without what is expected to be read from a cache. */
  UNCACHED(6),
  /** {@link #UNCACHED} plus expected output. */
  UNCACHED_TOTAL(7),
  /** Input plus the output that a budget must have room for. */
  NEEDED(8),
  /** {@link #NEEDED} plus the input that the body does not contain. */
  UNSEEN(9);

  /** Number of dimensions. */
  public static final int COUNT = 10;

  private final int index;

  CostDimension(int index) {
    this.index = index;
  }

  /** Returns the position of this dimension among all, 0 to {@link #COUNT} − 1. */
  public int index() {
    return index;
  }

  /** Returns the size of {@code cost} in this dimension, in tokens. */
  public long of(Cost cost) {
    return switch (this) {
      case INPUT -> cost.inputTokens();
      case OUTPUT -> cost.outputTokens();
      case TOTAL -> cost.totalTokens();
      case STATED -> Math.max(cost.statedOutputTokens(), cost.inputTokens());
      case CEILING -> cost.inputTokens() + cost.statedOutputTokens();
      case UNCACHED -> cost.uncachedTokens();
      case UNCACHED_TOTAL -> cost.uncachedTokens() + cost.outputTokens();
      case MOST -> cost.inputTokens() + Math.max(cost.statedOutputTokens(), cost.outputTokens());
      case NEEDED -> cost.inputTokens() + cost.neededOutputTokens();
      case UNSEEN -> cost.inputTokens() + cost.neededOutputTokens() + cost.unseenTokens();
    };
  }
}
