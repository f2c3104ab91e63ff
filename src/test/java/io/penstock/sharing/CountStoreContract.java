package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.PatientWaits;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Contract of all count stores. Wall time is initially at the start of cell 100 of one-minute
 * cells.
 */
public abstract class CountStoreContract {
  public static final long MINUTE_MILLIS = 60_000;
  static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, MINUTE_MILLIS * 1_000_000);
  static final LimitId OTHER_ID =
      new LimitId(LimitId.Kind.KEY, "other", "", LimitMeasure.TOKENS, MINUTE_MILLIS * 1_000_000);

  protected abstract CountStore counts();

  /** Sets the wall time. */
  protected abstract void clock(long unixMillis);

  static CountStore.Count count(long cell, long amount) {
    return new CountStore.Count(ID, cell, amount);
  }

  static List<CountStore.Count> exchange(
      CountStore countStore, String writer, CountStore.Count... own) {
    return PatientWaits.join(countStore.exchange(writer, List.of(own)));
  }

  @Test
  void own_neverComeBack() {
    CountStore countStore = counts();
    assertThat(exchange(countStore, "a", count(100, 5))).isEmpty();
    assertThat(exchange(countStore, "a")).isEmpty();
  }

  @Test
  void others_areSummedUp() {
    CountStore countStore = counts();
    exchange(countStore, "a", count(100, 5));
    exchange(countStore, "b", count(100, 7));
    assertThat(exchange(countStore, "c", count(100, 1_000))).containsExactly(count(100, 12));
    assertThat(exchange(countStore, "a")).containsExactly(count(100, 1_007));
  }

  @Test
  void smallerCountThatComesLate_changesNothing() {
    CountStore countStore = counts();
    exchange(countStore, "a", count(100, 9));
    exchange(countStore, "a", count(100, 4));
    assertThat(exchange(countStore, "b")).containsExactly(count(100, 9));
  }

  @Test
  void repeatedCount_countsOnce() {
    CountStore countStore = counts();
    exchange(countStore, "a", count(100, 9));
    exchange(countStore, "a", count(100, 9));
    assertThat(exchange(countStore, "b")).containsExactly(count(100, 9));
  }

  @Test
  void cellsAndLimits_areApart() {
    CountStore countStore = counts();
    exchange(countStore, "a", count(99, 1), count(100, 2), new CountStore.Count(OTHER_ID, 100, 3));
    assertThat(exchange(countStore, "b"))
        .containsExactlyInAnyOrder(
            count(99, 1), count(100, 2), new CountStore.Count(OTHER_ID, 100, 3));
  }

  @Test
  void cellAfterItsOwnEnded_isForgotten() {
    CountStore countStore = counts();
    exchange(countStore, "a", count(100, 5));
    clock(102 * MINUTE_MILLIS - 1);
    assertThat(exchange(countStore, "b")).containsExactly(count(100, 5));
    clock(102 * MINUTE_MILLIS);
    assertThat(exchange(countStore, "b")).isEmpty();
  }

  @Test
  void hugeCounts_sumUpToTheLargestNumber() {
    CountStore countStore = counts();
    exchange(countStore, "a", count(100, Long.MAX_VALUE));
    exchange(countStore, "b", count(100, Long.MAX_VALUE));
    assertThat(exchange(countStore, "c")).containsExactly(count(100, Long.MAX_VALUE));
  }

  @Test
  void limitWithoutWindow_cannotBeCounted() {
    LimitId none = new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, 0);
    assertThatThrownBy(() -> new CountStore.Count(none, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
