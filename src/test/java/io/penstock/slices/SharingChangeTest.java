package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.counts.CountSync;
import io.penstock.counts.CountedLimitSource;
import io.penstock.fake.FakeTicker;
import io.penstock.limit.CellAmount;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.MemoryCountStore;
import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SliceStore;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests a reload that changes how a limit is shared. */
class SharingChangeTest {
  private static final long UNIX_MILLIS = 1_800_000_000_000L;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.TOKENS, 60 * SECOND);
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, 60 * SECOND);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(100, 60 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);

  private final FakeTicker ticker = new FakeTicker();
  private final ArrayDeque<Runnable> soon = new ArrayDeque<>();
  private final List<SliceStore.Ask> asks = new ArrayList<>();
  private Runnable later = () -> {};
  private long alarm = Ticker.NEVER;

  private final StepAlarm alarms =
      new StepAlarm() {
        @Override
        public void soon(Runnable step) {
          soon.add(step);
        }

        @Override
        public void at(long instantNanos, Runnable step) {
          alarm = instantNanos;
          later = step;
        }
      };

  private final MemorySliceStore store = new MemorySliceStore(ticker, SliceWorld.TTL, "life");
  private final MemoryCountStore counts = new MemoryCountStore(() -> UNIX_MILLIS);
  private final SliceSync sliceSync =
      new SliceSync(
          "alone", this::round, ticker, alarms, SliceWorld.PACE, OutagePolicy.PARK, () -> 0.5);
  private final CountSync countSync =
      new CountSync(
          counts,
          "here",
          ticker,
          () -> UNIX_MILLIS + ticker.nanos() / 1_000_000,
          new CountSync.Terms(SECOND / 10, SECOND, SECOND, OutagePolicy.PARK));
  private SharingMode sharingMode = SharingMode.LOCAL;
  private final LimitSource source =
      new CountedLimitSource(
          new SharedLimitSource(sliceSync, id -> sharingMode == SharingMode.EXACT),
          countSync,
          id -> sharingMode,
          id -> id.kind() == LimitId.Kind.UPSTREAM);

  private CompletionStage<SliceStore.Answer> round(SliceStore.Round round) {
    asks.addAll(round.asks());
    return store.round(round);
  }

  private void run(long until) {
    while (!soon.isEmpty() || alarm <= until) {
      Runnable next = soon.poll();
      if (next == null) {
        ticker.set(Math.max(ticker.nanos(), alarm));
        next = later;
      }
      next.run();
      countSync.step();
    }
    ticker.set(until);
    countSync.step();
  }

  private Limit reload(SharingMode next, LimitSpec spec) {
    sharingMode = next;
    return source.limit(ID, spec, ticker.nanos());
  }

  private boolean takes(Limit limit, long amount) {
    return limit.take(Weight.exactly(amount), ticker.nanos()) instanceof LimitAnswer.Receipt;
  }

  /**
   * Returns whether an amount passes after some rounds, when amounts of other cells have come back.
   */
  private boolean takesSoon(Limit limit, long amount) {
    boolean takes = takes(limit, amount);
    for (int round = 0; round < 20 && !takes; round++) {
      run(ticker.nanos() + SECOND / 5);
      takes = takes(limit, amount);
    }
    return takes;
  }

  private void elsewhere(long amount) {
    long cell = (UNIX_MILLIS + ticker.nanos() / 1_000_000) * 1_000_000 / ID.durationNanos();
    CompletableFuture<List<CountStore.Count>> told =
        counts
            .exchange("there", List.of(new CountStore.Count(ID, cell, amount)))
            .toCompletableFuture();
    assertThat(told).isCompleted();
    run(ticker.nanos() + SECOND);
  }

  @ParameterizedTest
  @CsvSource({"LOCAL, true", "LOCAL, false", "EVENTUAL, true", "EVENTUAL, false"})
  void becomesExact_passesNothingBeforeSlicesAndReportsWhatWasSpent(
      SharingMode before, boolean fixed) {
    LimitSpec spec = fixed ? FIXED : TRAILING;
    ticker.set(61 * SECOND);
    sliceSync.start();
    run(65 * SECOND);
    Limit limit = reload(before, spec);
    assertThat(takes(limit, 60)).isTrue();
    run(70 * SECOND);
    assertThat(reload(SharingMode.EXACT, spec)).isSameAs(limit);
    assertThat(takes(limit, 10)).isFalse();
    asks.clear();
    run(71 * SECOND);
    assertThat(asks.getFirst().uses().stream().mapToLong(CellAmount::amount)).containsExactly(60L);
    assertThat(takesSoon(limit, 10)).isTrue();
    assertThat(takesSoon(limit, 31)).isFalse();
    assertThat(takesSoon(limit, 30)).isTrue();
    assertThat(limit.balance(ticker.nanos())).isEqualTo(new LimitBalance(100, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({"LOCAL, true", "LOCAL, false", "EVENTUAL, true", "EVENTUAL, false"})
  void isExactNoMore_owesWhatItOwedAndAsksForNothing(SharingMode after, boolean fixed) {
    LimitSpec spec = fixed ? FIXED : TRAILING;
    ticker.set(61 * SECOND);
    sliceSync.start();
    Limit limit = reload(SharingMode.EXACT, spec);
    run(65 * SECOND);
    assertThat(takes(limit, 60)).isFalse();
    run(65 * SECOND + SECOND / 5);
    assertThat(takes(limit, 60)).isTrue();
    assertThat(reload(after, spec)).isSameAs(limit);
    assertThat(sliceSync.has(ID)).isFalse();
    assertThat(takes(limit, 41)).isFalse();
    assertThat(takes(limit, 40)).isTrue();
    asks.clear();
    run(75 * SECOND);
    assertThat(asks).isEmpty();
    assertThat(takes(limit, 1)).isFalse();
  }

  @Test
  void isExactNoMore_dryOnes_mayGoAtOnce() {
    ticker.set(61 * SECOND);
    sliceSync.start();
    Limit limit = reload(SharingMode.EXACT, FIXED);
    assertThat(takes(limit, 100)).isFalse();
    reload(SharingMode.LOCAL, FIXED);
    assertThat(takes(limit, 100)).isTrue();
  }

  @Test
  void isEventualNoMore_leavesNoRoomForOthers() {
    Limit limit = reload(SharingMode.EVENTUAL, FIXED);
    elsewhere(30);
    assertThat(takes(limit, 71)).isFalse();
    reload(SharingMode.LOCAL, FIXED);
    assertThat(takes(limit, 100)).isTrue();
    elsewhere(40);
    assertThat(limit.room(ticker.nanos())).isZero();
  }

  @Test
  void becomesEventual_leavesRoomForOthers() {
    Limit limit = reload(SharingMode.LOCAL, TRAILING);
    assertThat(takes(limit, 50)).isTrue();
    reload(SharingMode.EVENTUAL, TRAILING);
    elsewhere(30);
    assertThat(takes(limit, 21)).isFalse();
    assertThat(takes(limit, 20)).isTrue();
  }

  @Test
  void becomesUnlimited_isAskedForNoMore() {
    ticker.set(61 * SECOND);
    sliceSync.start();
    Limit limit = reload(SharingMode.EXACT, FIXED);
    reload(SharingMode.EXACT, new LimitSpec.Unlimited());
    assertThat(takes(limit, 1_000)).isTrue();
    reload(SharingMode.EXACT, FIXED);
    assertThat(takes(limit, 1)).isFalse();
    run(65 * SECOND);
    assertThat(takes(limit, 1)).isTrue();
  }

  @Test
  void otherIdThatIsNotShared_isNotStuck() {
    Limit limit = reload(SharingMode.EXACT, FIXED);
    sharingMode = SharingMode.LOCAL;
    LimitId longer = new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.TOKENS, 90 * SECOND);
    assertThat(source.change(ID, longer, new LimitSpec.FixedWindow(100, 90 * SECOND), 1))
        .isSameAs(limit);
    assertThat(takes(limit, 1)).isTrue();
  }

  @Test
  void whoWaits_isWokenBySlicesOfALimitThatBecameExact() {
    ticker.set(61 * SECOND);
    sliceSync.start();
    run(65 * SECOND);
    Quota quota =
        new Quota(
            "q",
            ChargeRule.TOTAL,
            List.of(new MeteredLimit(LimitMeasure.TOKENS, reload(SharingMode.LOCAL, FIXED))));
    List<Long> woken = new ArrayList<>();
    quota.waitList().join(new CountingObserver(() -> woken.add(ticker.nanos())));
    Limit limit = reload(SharingMode.EXACT, FIXED);
    quota.change(ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.TOKENS, limit)));
    woken.clear();
    assertThat(takesSoon(limit, 10)).isTrue();
    assertThat(woken).isNotEmpty();
  }
}
