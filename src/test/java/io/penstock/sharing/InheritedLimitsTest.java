package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InheritedLimitsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final LimitSpec SPEC = new LimitSpec.TrailingWindow(100, 60 * SECOND, 0, 100);
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, 60 * SECOND);

  private final LocalLimitSource source = new LocalLimitSource();

  @Test
  void limitThatIsAskedForLater_goesOnWithWhatWasLeft() {
    source.inherit(Map.of(ID, List.of(new ChargedCell(-20 * SECOND, 40))), 0);
    Limit limit = source.limit(ID, SPEC, 10 * SECOND);
    assertThat(limit.balance(10 * SECOND)).isEqualTo(new LimitBalance(40, 0, 0));
    assertThat(limit.balance(42 * SECOND)).isEqualTo(LimitBalance.ZERO);
    assertThat(source.limit(ID, SPEC, 11 * SECOND)).isSameAs(limit);
  }

  @Test
  void limitThatWasForgotten_inheritsNothingAgain() {
    source.inherit(Map.of(ID, List.of(new ChargedCell(0, 40))), 0);
    source.limit(ID, SPEC, 0);
    source.forget(ID);
    assertThat(source.limit(ID, SPEC, 0).balance(0)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void cellsFromTheFuture_countAsIfTheyWereOfTheStart() {
    source.inherit(Map.of(ID, List.of(new ChargedCell(3_600 * SECOND, 40))), 0);
    Limit limit = source.limit(ID, SPEC, 30 * SECOND);
    assertThat(limit.balance(30 * SECOND).charged()).isEqualTo(40);
    assertThat(limit.balance(62 * SECOND).charged()).isZero();
  }

  @Test
  void whatNobodyAsksFor_isRememberedWhileItCounts() {
    List<ChargedCell> cells = List.of(new ChargedCell(0, 40));
    source.inherit(Map.of(ID, cells), 0);
    assertThat(source.owed(59 * SECOND)).isEqualTo(Map.of(ID, cells));
    assertThat(source.owed(200 * SECOND)).isEmpty();
    assertThat(source.limit(ID, SPEC, 201 * SECOND).balance(201 * SECOND))
        .isEqualTo(LimitBalance.ZERO);
  }

  @ParameterizedTest
  @CsvSource({
    "60, 1000, 1120", // the length of its window after its last cell, plus a minute
    "60, 5000, 1190", // a future cell counts as one at the end of the first window here
    "0, 1000, 87460", // a limit without a window counts for a day
  })
  void whatNobodyAsksFor_isForgottenAMinuteAfterItCountsNoMore(long window, long at, long last) {
    LimitId id = new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, window * SECOND);
    List<ChargedCell> cells =
        List.of(new ChargedCell(900 * SECOND, 1), new ChargedCell(at * SECOND, 40));
    source.inherit(Map.of(id, cells), 1_010 * SECOND);
    assertThat(source.owed(last * SECOND)).isEqualTo(Map.of(id, cells));
    assertThat(source.owed(last * SECOND + 1)).isEmpty();
  }

  @Test
  void owed_isOfThoseThatOweAnything() {
    source.inherit(Map.of(ID, List.of(new ChargedCell(0, 40))), 0);
    Limit limit = source.limit(ID, SPEC, 0);
    limit.take(Weight.exactly(2), 0);
    assertThat(source.owed(0).get(ID)).extracting(ChargedCell::amount).containsExactly(40L, 2L);
    assertThat(source.owed(100 * SECOND)).isEmpty();
  }

  @Test
  void ids_areReadAsTheyAreWritten() {
    for (LimitId.Kind kind : LimitId.Kind.values()) {
      for (LimitMeasure measure : LimitMeasure.values()) {
        LimitId id = new LimitId(kind, "a:b/ü %+", "m:#", measure, 1_500_000_001L);
        assertThat(LimitId.parse(kind.name().toLowerCase(Locale.ROOT), id.owner(), id.counts()))
            .isEqualTo(id);
      }
    }
    LimitId bare = new LimitId(LimitId.Kind.KEY, "", "", LimitMeasure.TOKENS, 0);
    assertThat(LimitId.parse("key", bare.owner(), bare.counts())).isEqualTo(bare);
  }
}
