package io.penstock.mock;

import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/**
 * Schedule for the tokens of one answer: token k is due at k ÷ rate, in at most 100 ticks a second,
 * with the last tick when the last token is due.
 *
 * @param totalNanos from the answer's first byte to its last token; 0 means all at once
 * @param ticks number of writes, ≥ 1
 * @param tokens number of tokens of the answer, ≥ 0
 */
record MockPace(long totalNanos, int ticks, int tokens) {
  private static final int TICKS_PER_SECOND = 100;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Tokens in one write when an answer is sent at once, so that no answer fills the memory. */
  private static final int TOKENS_AT_ONCE = 1_024;

  /** Returns the pace of {@code tokens} at a rate; a rate of 0 means all at once. */
  static MockPace of(int tokens, double tokensPerSecond) {
    long totalNanos =
        tokensPerSecond == 0 ? 0 : Math.round(tokens / tokensPerSecond * NANOS_PER_SECOND);
    if (totalNanos == 0) {
      return new MockPace(0, Math.max(1, Math.ceilDiv(tokens, TOKENS_AT_ONCE)), tokens);
    }
    double mostTicks = Math.floor(totalNanos / NANOS_PER_SECOND * TICKS_PER_SECOND + 1e-6);
    return new MockPace(totalNanos, (int) Math.clamp(mostTicks, 1, tokens), tokens);
  }

  /** Returns whether the whole answer is sent at once in a single piece. */
  boolean atOnce() {
    return totalNanos == 0 && ticks == 1;
  }

  /**
   * Emits, at each tick, the number of tokens due by then. A slow subscriber misses ticks but no
   * tokens: the next tick that it sees includes them.
   */
  Flux<Integer> dueTokens(Scheduler timers) {
    if (totalNanos == 0) {
      return Flux.range(1, ticks).map(this::dueBy);
    }
    return Flux.interval(Duration.ofNanos((totalNanos + ticks - 1) / ticks), timers)
        .take(ticks)
        .map(tick -> dueBy(tick.intValue() + 1))
        .onBackpressureLatest();
  }

  private int dueBy(int tick) {
    return (int) ((long) tokens * tick / ticks);
  }
}
