package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Balance;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

class LocalLimitSourceTest extends LimitSourceContract {
  private static final long SECOND = 1_000_000_000L;
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 10 * SECOND);

  private final LimitSource source = new LocalLimitSource();

  @Override
  protected LimitSource source() {
    return source;
  }

  private static LimitId id(String name, Measure measure, long seconds) {
    return new LimitId(LimitId.Kind.ENDPOINT, name, "", measure, seconds * SECOND);
  }

  private static final LimitId ID = id("/a", Measure.TOKENS, 10);

  @Test
  void changedId_keepsWhatIsHeldToo() {
    Limit limit = source.limit(ID, SPEC, 0);
    limit.take(new Weight(60, 5, 60), 0);
    LimitId longer = id("/a", Measure.TOKENS, 20);
    LimitSpec spec = new LimitSpec.FixedWindow(100, 20 * SECOND);
    assertThat(source.change(ID, longer, spec, 1)).isSameAs(limit);
    assertThat(limit.balance(1)).isEqualTo(new Balance(60, 0, 5));
    assertThat(source.limit(ID, SPEC, 1)).isNotSameAs(limit);
  }
}
