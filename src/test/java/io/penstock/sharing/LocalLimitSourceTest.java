package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LocalLimitSourceTest extends LimitSourceContract {
  private static final long SECOND = 1_000_000_000L;
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 10 * SECOND);

  private final LimitSource source = new LocalLimitSource();

  @Override
  protected LimitSource source() {
    return source;
  }

  private static LimitId id(String name, LimitMeasure measure, long seconds) {
    return new LimitId(LimitId.Kind.ENDPOINT, name, "", measure, seconds * SECOND);
  }

  private static final LimitId ID = id("/a", LimitMeasure.TOKENS, 10);

  @Test
  void changedId_keepsWhatIsHeldToo() {
    Limit limit = source.limit(ID, SPEC, 0);
    limit.take(new Weight(60, 5, 60), 0);
    LimitId longer = id("/a", LimitMeasure.TOKENS, 20);
    LimitSpec spec = new LimitSpec.FixedWindow(100, 20 * SECOND);
    assertThat(source.change(ID, longer, spec, 1)).isSameAs(limit);
    assertThat(limit.balance(1)).isEqualTo(new LimitBalance(60, 0, 5));
    assertThat(source.limit(ID, SPEC, 1)).isNotSameAs(limit);
  }

  @Test
  void limitThatIsMade_isToldOnce_withWhatItInherits() {
    Map<LimitId, Limit> made = new HashMap<>();
    LocalLimitSource telling =
        new LocalLimitSource(
            (id, limit) -> assertThat(made.put(id, limit)).as("told before").isNull());
    telling.inherit(Map.of(ID, List.of(new ChargedCell(0, 40))), 0);
    assertThat(made).isEmpty();
    Limit limit = telling.limit(ID, SPEC, 0);
    telling.limit(ID, SPEC, 1);
    assertThat(made).isEqualTo(Map.of(ID, limit));
    assertThat(limit.balance(1).charged()).isEqualTo(40);
    LimitId other = id("/b", LimitMeasure.TOKENS, 10);
    assertThat(telling.change(id("/c", LimitMeasure.TOKENS, 10), other, SPEC, 1))
        .isSameAs(made.get(other));
  }
}
