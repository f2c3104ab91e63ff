package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Measure;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Contract of all count stores. Wall time is initially at the start of cell 100 of one-minute
 * cells.
 */
public abstract class CountsContract {
  protected static final long MINUTE_MILLIS = 60_000;
  static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", Measure.TOKENS, MINUTE_MILLIS * 1_000_000);
  static final LimitId OTHER_ID =
      new LimitId(LimitId.Kind.KEY, "other", "", Measure.TOKENS, MINUTE_MILLIS * 1_000_000);

  protected abstract Counts counts();

  /** Sets the wall time. */
  protected abstract void clock(long unixMillis);

  static Counts.Count count(long cell, long amount) {
    return new Counts.Count(ID, cell, amount);
  }

  static List<Counts.Count> exchange(Counts counts, String writer, Counts.Count... own) {
    return counts
        .exchange(writer, List.of(own))
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  @Test
  void own_neverComeBack() {
    Counts counts = counts();
    assertThat(exchange(counts, "a", count(100, 5))).isEmpty();
    assertThat(exchange(counts, "a")).isEmpty();
  }

  @Test
  void others_areSummedUp() {
    Counts counts = counts();
    exchange(counts, "a", count(100, 5));
    exchange(counts, "b", count(100, 7));
    assertThat(exchange(counts, "c", count(100, 1_000))).containsExactly(count(100, 12));
    assertThat(exchange(counts, "a")).containsExactly(count(100, 1_007));
  }

  @Test
  void smallerCountThatComesLate_changesNothing() {
    Counts counts = counts();
    exchange(counts, "a", count(100, 9));
    exchange(counts, "a", count(100, 4));
    assertThat(exchange(counts, "b")).containsExactly(count(100, 9));
  }

  @Test
  void repeatedCount_countsOnce() {
    Counts counts = counts();
    exchange(counts, "a", count(100, 9));
    exchange(counts, "a", count(100, 9));
    assertThat(exchange(counts, "b")).containsExactly(count(100, 9));
  }

  @Test
  void cellsAndLimits_areApart() {
    Counts counts = counts();
    exchange(counts, "a", count(99, 1), count(100, 2), new Counts.Count(OTHER_ID, 100, 3));
    assertThat(exchange(counts, "b"))
        .containsExactlyInAnyOrder(count(99, 1), count(100, 2), new Counts.Count(OTHER_ID, 100, 3));
  }

  @Test
  void cellAfterItsOwnEnded_isForgotten() {
    Counts counts = counts();
    exchange(counts, "a", count(100, 5));
    clock(102 * MINUTE_MILLIS - 1);
    assertThat(exchange(counts, "b")).containsExactly(count(100, 5));
    clock(102 * MINUTE_MILLIS);
    assertThat(exchange(counts, "b")).isEmpty();
  }

  @Test
  void hugeCounts_sumUpToTheLargestNumber() {
    Counts counts = counts();
    exchange(counts, "a", count(100, Long.MAX_VALUE));
    exchange(counts, "b", count(100, Long.MAX_VALUE));
    assertThat(exchange(counts, "c")).containsExactly(count(100, Long.MAX_VALUE));
  }

  @Test
  void limitWithoutWindow_cannotBeCounted() {
    LimitId none = new LimitId(LimitId.Kind.KEY, "k", "", Measure.TOKENS, 0);
    assertThatThrownBy(() -> new Counts.Count(none, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
