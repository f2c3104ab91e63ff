package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the ranges of sizes and times, and the names of kinds. */
class OperationTest {
  private static final long SIZE = Operation.MOST_SIZE;
  private static final long NANOS = Operation.MOST_NANOS;

  private static void assertRefused(ThrowingCallable made) {
    assertThatThrownBy(made).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void leastAndMost_areAllowed() {
    assertThatCode(
            () -> {
              new Operation.TakeToken(0, 1);
              new Operation.TakeToken(SIZE, NANOS);
              new Operation.Acquire(0, "a", 0);
              new Operation.Acquire(SIZE, "a", NANOS);
              new Operation.Arrive(0);
              new Operation.Arrive(SIZE);
              new Operation.Kick(0);
              new Operation.Kick(NANOS);
            })
        .doesNotThrowAnyException();
  }

  @Test
  void lessAndMore_areRefused() {
    assertRefused(() -> new Operation.TakeToken(-1, 1));
    assertRefused(() -> new Operation.TakeToken(SIZE + 1, 1));
    assertRefused(() -> new Operation.TakeToken(1, 0));
    assertRefused(() -> new Operation.TakeToken(1, NANOS + 1));
    assertRefused(() -> new Operation.Acquire(-1, "a", 0));
    assertRefused(() -> new Operation.Acquire(SIZE + 1, "a", 0));
    assertRefused(() -> new Operation.Acquire(1, "a", -1));
    assertRefused(() -> new Operation.Acquire(1, "a", NANOS + 1));
    assertRefused(() -> new Operation.Arrive(-1));
    assertRefused(() -> new Operation.Arrive(SIZE + 1));
    assertRefused(() -> new Operation.Kick(-1));
    assertRefused(() -> new Operation.Kick(NANOS + 1));
  }

  @Test
  void bounds_areAtLeastOne_andNobodyNeedWait() {
    assertThatCode(() -> new Bounds(0, 1, 1, 1)).doesNotThrowAnyException();
    assertRefused(() -> new Bounds(-1, 1, 1, 1));
    assertRefused(() -> new Bounds(0, 0, 1, 1));
    assertRefused(() -> new Bounds(0, 1, 0, 1));
    assertRefused(() -> new Bounds(0, 1, 1, 0));
  }

  @ParameterizedTest
  @EnumSource
  void kind_isFoundByItsWord(Kind kind) {
    assertThat(Kind.of(kind.word())).isSameAs(kind);
    assertThat(kind.word()).isEqualToIgnoringCase(kind.name());
  }

  @Test
  void otherWords_areNoKind() {
    assertThat(Kind.of("")).isNull();
    assertThat(Kind.of("BARRIER")).isNull();
    assertThat(Kind.of("mutex")).isNull();
  }
}
