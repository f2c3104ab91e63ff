package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Balance;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

class LocalLimitSourceTest {
  private static final long SECOND = 1_000_000_000L;
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 10 * SECOND);

  private final LimitSource source = new LocalLimitSource();

  private static LimitId id(String name, Measure measure, long seconds) {
    return new LimitId(LimitId.Kind.ENDPOINT, name, "", measure, seconds * SECOND);
  }

  private static final LimitId ID = id("/a", Measure.TOKENS, 10);

  @Test
  void sameId_isTheSameLimitAndAnotherIdAnother() {
    Limit limit = source.limit(ID, SPEC, 0);
    assertThat(source.limit(id("/a", Measure.TOKENS, 10), SPEC, 0)).isSameAs(limit);
    assertThat(source.limit(id("/b", Measure.TOKENS, 10), SPEC, 0)).isNotSameAs(limit);
    assertThat(source.limit(id("/a", Measure.REQUESTS, 10), SPEC, 0)).isNotSameAs(limit);
  }

  @Test
  void otherSpec_keepsWhatIsSpent() {
    Limit limit = source.limit(ID, SPEC, 0);
    limit.take(Weight.exactly(60), 0);
    LimitSpec smaller = new LimitSpec.FixedWindow(50, 10 * SECOND);
    assertThat(source.limit(ID, smaller, 1)).isSameAs(limit);
    assertThat(limit.spec()).isEqualTo(smaller);
    assertThat(limit.balance(1)).isEqualTo(new Balance(50, 10, 0));
  }

  @Test
  void changedId_keepsWhatIsOwed() {
    Limit limit = source.limit(ID, SPEC, 0);
    limit.take(new Weight(60, 5, 60), 0);
    LimitId longer = id("/a", Measure.TOKENS, 20);
    LimitSpec spec = new LimitSpec.FixedWindow(100, 20 * SECOND);
    assertThat(source.change(ID, longer, spec, 1)).isSameAs(limit);
    assertThat(limit.balance(1)).isEqualTo(new Balance(60, 0, 5));
    assertThat(source.limit(ID, SPEC, 1)).isNotSameAs(limit);
  }

  @Test
  void changedToTheSameId_staysTheSameLimit() {
    Limit limit = source.limit(ID, SPEC, 0);
    limit.take(Weight.exactly(60), 0);
    assertThat(source.change(ID, ID, SPEC, 1)).isSameAs(limit);
    assertThat(limit.balance(1).charged()).isEqualTo(60);
  }

  @Test
  void changedFromAnUnknownId_isANewLimit() {
    Limit limit = source.change(id("/x", Measure.TOKENS, 5), ID, SPEC, 0);
    assertThat(limit.balance(0)).isEqualTo(Balance.ZERO);
    assertThat(source.limit(ID, SPEC, 0)).isSameAs(limit);
  }

  @Test
  void changedToAnotherMeasure_isRefused() {
    assertThatThrownBy(() -> source.change(ID, id("/a", Measure.REQUESTS, 10), SPEC, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void forgotten_startsAnewWithNothingOwed() {
    Limit limit = source.limit(ID, SPEC, 0);
    limit.take(Weight.exactly(60), 0);
    source.forget(ID);
    assertThat(source.limit(ID, SPEC, 0)).isNotSameAs(limit);
    assertThat(source.limit(ID, SPEC, 0).balance(0)).isEqualTo(Balance.ZERO);
  }
}
