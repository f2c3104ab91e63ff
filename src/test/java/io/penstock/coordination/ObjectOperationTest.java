package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the ranges of sizes and times, and the names of kinds. */
class ObjectOperationTest {
  private static final long SIZE = ObjectOperation.MOST_SIZE;
  private static final long NANOS = ObjectOperation.MOST_NANOS;

  private static void assertRefused(ThrowingCallable made) {
    assertThatThrownBy(made).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void leastAndMost_areAllowed() {
    assertThatCode(
            () -> {
              new ObjectOperation.TakeToken(0, 1);
              new ObjectOperation.TakeToken(SIZE, NANOS);
              new ObjectOperation.Acquire(0, "a", 0);
              new ObjectOperation.Acquire(SIZE, "a", NANOS);
              new ObjectOperation.Arrive(0);
              new ObjectOperation.Arrive(SIZE);
              new ObjectOperation.Kick(0);
              new ObjectOperation.Kick(NANOS);
            })
        .doesNotThrowAnyException();
  }

  @Test
  void lessAndMore_areRefused() {
    assertRefused(() -> new ObjectOperation.TakeToken(-1, 1));
    assertRefused(() -> new ObjectOperation.TakeToken(SIZE + 1, 1));
    assertRefused(() -> new ObjectOperation.TakeToken(1, 0));
    assertRefused(() -> new ObjectOperation.TakeToken(1, NANOS + 1));
    assertRefused(() -> new ObjectOperation.Acquire(-1, "a", 0));
    assertRefused(() -> new ObjectOperation.Acquire(SIZE + 1, "a", 0));
    assertRefused(() -> new ObjectOperation.Acquire(1, "a", -1));
    assertRefused(() -> new ObjectOperation.Acquire(1, "a", NANOS + 1));
    assertRefused(() -> new ObjectOperation.Arrive(-1));
    assertRefused(() -> new ObjectOperation.Arrive(SIZE + 1));
    assertRefused(() -> new ObjectOperation.Kick(-1));
    assertRefused(() -> new ObjectOperation.Kick(NANOS + 1));
  }

  @Test
  void bounds_areAtLeastOne_andNobodyNeedWait() {
    assertThatCode(() -> new ObjectBounds(0, 1, 1, 1, 1, 1)).doesNotThrowAnyException();
    assertRefused(() -> new ObjectBounds(-1, 1, 1, 1, 1, 1));
    assertRefused(() -> new ObjectBounds(0, 0, 1, 1, 1, 1));
    assertRefused(() -> new ObjectBounds(0, 1, 0, 1, 1, 1));
    assertRefused(() -> new ObjectBounds(0, 1, 1, 1, 0, 1));
    assertRefused(() -> new ObjectBounds(0, 1, 1, 1, 1, 0));
    for (double share : new double[] {0, -0.1, 1.1, Double.NaN}) {
      assertRefused(() -> new ObjectBounds(0, 1, 1, share, 1, 1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void kind_isFoundByItsWord(ObjectKind kind) {
    assertThat(ObjectKind.of(kind.word())).isSameAs(kind);
    assertThat(kind.word()).isEqualToIgnoringCase(kind.name());
  }

  @Test
  void otherWords_areNoKind() {
    assertThat(ObjectKind.of("")).isNull();
    assertThat(ObjectKind.of("BARRIER")).isNull();
    assertThat(ObjectKind.of("mutex")).isNull();
  }
}
