package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.ExactRate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract of all sources of limits, however the limits are shared. */
public abstract class LimitSourceContract {
  private static final long SECOND = 1_000_000_000L;
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 10 * SECOND);
  private static final LimitId ID = id("/a", LimitMeasure.TOKENS, 10);

  /** Returns the source; it is the same one during a test. */
  protected abstract LimitSource source();

  private static LimitId id(String name, LimitMeasure measure, long seconds) {
    return new LimitId(LimitId.Kind.ENDPOINT, name, "", measure, seconds * SECOND);
  }

  /**
   * Returns a limit of each kind that remembers its charges, each with the same limit of half the
   * capacity.
   */
  static Stream<LimitSpec[]> kinds() {
    return Stream.of(
        new LimitSpec[] {SPEC, new LimitSpec.FixedWindow(50, 10 * SECOND)},
        new LimitSpec[] {
          new LimitSpec.TrailingWindow(100, 60 * SECOND, 0, 100),
          new LimitSpec.TrailingWindow(50, 60 * SECOND, 0, 50)
        },
        new LimitSpec[] {
          new LimitSpec.SlidingWindow(100, 60 * SECOND),
          new LimitSpec.SlidingWindow(50, 60 * SECOND)
        },
        new LimitSpec[] {new LimitSpec.Day(100, null, 0), new LimitSpec.Day(50, null, 0)},
        new LimitSpec[] {
          new LimitSpec.TokenBucket(new ExactRate(1, 60), 100),
          new LimitSpec.TokenBucket(new ExactRate(1, 60), 50)
        });
  }

  private static long owed(Limit limit, long now) {
    LimitBalance limitBalance = limit.balance(now);
    return limitBalance.charged() + limitBalance.debt();
  }

  @Test
  void sameId_isTheSameLimitAndAnotherIdAnother() {
    Limit limit = source().limit(ID, SPEC, 0);
    assertThat(source().limit(id("/a", LimitMeasure.TOKENS, 10), SPEC, 0)).isSameAs(limit);
    assertThat(source().limit(id("/b", LimitMeasure.TOKENS, 10), SPEC, 0)).isNotSameAs(limit);
    assertThat(source().limit(id("/a", LimitMeasure.REQUESTS, 10), SPEC, 0)).isNotSameAs(limit);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void otherSpec_keepsWhatIsSpent(LimitSpec whole, LimitSpec half) {
    Limit limit = source().limit(ID, whole, 0);
    limit.charge(60, 0, 0);
    assertThat(source().limit(ID, half, 1)).isSameAs(limit);
    assertThat(limit.spec()).isEqualTo(half);
    assertThat(owed(limit, 1)).isEqualTo(60);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void changedId_keepsWhatIsOwed(LimitSpec whole, LimitSpec half) {
    Limit limit = source().limit(ID, whole, 0);
    limit.charge(60, 0, 0);
    assertThat(source().change(ID, id("/a", LimitMeasure.TOKENS, 20), half, 1)).isSameAs(limit);
    assertThat(owed(limit, 1)).isEqualTo(60);
    assertThat(source().limit(ID, whole, 1)).isNotSameAs(limit);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void changedToTheSameId_staysTheSameLimit(LimitSpec whole, LimitSpec half) {
    Limit limit = source().limit(ID, whole, 0);
    limit.charge(60, 0, 0);
    assertThat(source().change(ID, ID, half, 1)).isSameAs(limit);
    assertThat(owed(limit, 1)).isEqualTo(60);
  }

  @Test
  void changedFromAnUnknownId_isANewLimit() {
    Limit limit = source().change(id("/x", LimitMeasure.TOKENS, 5), ID, SPEC, 0);
    assertThat(limit.balance(0)).isEqualTo(LimitBalance.ZERO);
    assertThat(source().limit(ID, SPEC, 0)).isSameAs(limit);
  }

  @Test
  void changedToAnotherMeasure_isRefused() {
    assertThatThrownBy(() -> source().change(ID, id("/a", LimitMeasure.REQUESTS, 10), SPEC, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void forgotten_startsAnewWithNothingOwed(LimitSpec whole, LimitSpec half) {
    Limit limit = source().limit(ID, whole, 0);
    limit.charge(60, 0, 0);
    source().forget(ID);
    assertThat(source().limit(ID, half, 0)).isNotSameAs(limit);
    assertThat(source().limit(ID, half, 0).balance(0)).isEqualTo(LimitBalance.ZERO);
  }
}
