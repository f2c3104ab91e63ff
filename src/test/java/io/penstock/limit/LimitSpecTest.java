package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class LimitSpecTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long MILLI = 1_000_000;
  private static final ExactRate RATE = new ExactRate(1, 1);

  private static void atLeast(String name, long least, LongFunction<LimitSpec> of) {
    assertThatCode(() -> of.apply(least)).doesNotThrowAnyException();
    assertThatThrownBy(() -> of.apply(least - 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(name + " is " + (least - 1) + ", expected at least " + least);
  }

  @Test
  void numbersBelowTheirLeast_areRefusedAndTheLeastIsNot() {
    atLeast("earlyNanos", 0, each -> new LimitSpec.Strict(RATE, each));
    atLeast("burst", 1, each -> new LimitSpec.TokenBucket(RATE, each));
    atLeast("capacity", 1, each -> new LimitSpec.SlidingWindow(each, SECOND));
    atLeast("windowNanos", MILLI, each -> new LimitSpec.SlidingWindow(1, each));
    atLeast("capacity", 1, each -> new LimitSpec.FixedWindow(each, SECOND));
    atLeast("windowNanos", MILLI, each -> new LimitSpec.FixedWindow(1, each));
    atLeast("capacity", 1, each -> new LimitSpec.TrailingWindow(each, SECOND, 0, 1));
    atLeast("windowNanos", MILLI, each -> new LimitSpec.TrailingWindow(1, each, 0, 1));
    atLeast("guardNanos", 0, each -> new LimitSpec.TrailingWindow(1, SECOND, each, 1));
    atLeast("burst", 1, each -> new LimitSpec.TrailingWindow(1, SECOND, 0, each));
    atLeast("max", 1, LimitSpec.Concurrency::new);
    atLeast("capacity", 1, each -> new LimitSpec.Day(each, null, 0));
    atLeast("guardNanos", 0, each -> new LimitSpec.Day(1, null, each));
  }

  @Test
  void subCells_areSixtiethsOfFixedAndTrailingWindowsRoundedUp() {
    assertThat(subCell(new LimitSpec.FixedWindow(1, 60 * SECOND))).isEqualTo(SECOND);
    assertThat(subCell(new LimitSpec.FixedWindow(1, 60 * SECOND + 1))).isEqualTo(SECOND + 1);
    assertThat(subCell(new LimitSpec.TrailingWindow(1, 60 * SECOND, 5, 1))).isEqualTo(SECOND);
    assertThat(subCell(new LimitSpec.TrailingWindow(1, 60 * SECOND + 1, 5, 1)))
        .isEqualTo(SECOND + 1);
    List<LimitSpec> others =
        List.of(
            new LimitSpec.Unlimited(),
            new LimitSpec.Strict(RATE, 0),
            new LimitSpec.TokenBucket(RATE, 1),
            new LimitSpec.SlidingWindow(1, SECOND),
            new LimitSpec.Concurrency(1),
            new LimitSpec.Day(1, null, 0));
    assertThat(others).allMatch(spec -> subCell(spec) == Long.MAX_VALUE);
  }

  private static long subCell(LimitSpec spec) {
    long nanos = spec.subCellNanos();
    assertThat(new Limit(spec, 0).spec().subCellNanos()).isEqualTo(nanos);
    return nanos;
  }
}
