package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.FakeTicker;
import io.penstock.limit.LimitSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemorySupplyTest extends SupplyContract {
  private final FakeTicker ticker = new FakeTicker();

  private final MemorySupply supply = new MemorySupply(ticker, TTL, "first");

  @Override
  protected Supply supply() {
    ticker.set(START);
    return supply;
  }

  @Override
  protected void lose(LimitId id) {
    supply.lose(id);
  }

  @Override
  protected void clock(long nanos) {
    ticker.set(nanos);
  }

  private static Supply.Ask ask(long windowNanos, long wanted) {
    return new Supply.Ask(
        id("one", 0),
        new LimitSpec.FixedWindow(100, windowNanos),
        0,
        List.of(),
        0,
        wanted,
        Supply.Ask.NONE);
  }

  @Test
  void sameLimitWithAnotherWindow_failsAndChangesNothing() {
    Supply supply = supply();
    round(supply, "a", ask(10 * SECOND, 60));
    assertThatThrownBy(() -> round(supply, "b", ask(5 * SECOND, 100)))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
    assertThat(round(supply, "a", ask(10 * SECOND, 0)).members()).hasSize(1);
  }

  @Test
  void anotherWindowOnceNothingCounts_isTaken() {
    Supply supply = supply();
    round(supply, "a", ask(10 * SECOND, 60));
    ticker.set(START + 20 * SECOND);
    assertThat(round(supply, "b", ask(5 * SECOND, 100)).grants()).hasSize(1);
  }

  private Supply.Answer told(String member, long number, Supply.@Nullable Seen seen) {
    return sent(supply, new Supply.Round(member, number, List.of(), true, List.of(), seen));
  }

  @Test
  void memberSawMoreRoundsThanAreKnown_isAnotherLifeForAll() {
    Supply.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    Supply.Answer same = told("a", 2, new Supply.Seen(first.life(), first.count()));
    assertThat(same.life()).isEqualTo(first.life());
    Supply.Answer other = told("b", 1, new Supply.Seen(first.life(), same.count() + 1));
    assertThat(other.life()).isNotEqualTo(first.life());
    Supply.Answer next = told("a", 3, new Supply.Seen(same.life(), same.count()));
    assertThat(next.life()).isEqualTo(other.life());
  }

  @Test
  void memberSawAnotherLife_hasNotSaidAll() {
    supply();
    assertThat(told("a", 1, new Supply.Seen("before", 7)).members())
        .containsExactly(new Supply.Member("a", 0, Long.MAX_VALUE));
    assertThat(told("a", 2, new Supply.Seen("first", 1)).members())
        .containsExactly(new Supply.Member("a", 0, 0));
  }

  @Test
  void firstWhoSawAnotherLife_bringsWordOfALoss() {
    supply();
    assertThat(told("a", 1, new Supply.Seen("before", 7)).lostNanos()).isZero();
    ticker.set(START + SECOND);
    assertThat(told("b", 1, new Supply.Seen("before", 8)).lostNanos()).isEqualTo(SECOND);
    supply.restart("second");
    assertThat(told("c", 1, null).lostNanos()).isEqualTo(SECOND);
    assertThat(told("a", 2, new Supply.Seen("first", 2)).lostNanos()).isZero();
  }
}
