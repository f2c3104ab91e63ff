package io.penstock.counts;

import static io.penstock.counts.CountingCrowd.INTERVAL;
import static io.penstock.counts.CountingCrowd.MILLI;
import static io.penstock.counts.CountingCrowd.SECOND;
import static io.penstock.counts.CountingCrowd.STEP;
import static io.penstock.counts.CountingCrowd.UNIX_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.counts.LossyCountStore.Way;
import io.penstock.fake.FakeTicker;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.MemoryCountStore;
import io.penstock.sharing.OutagePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests limits that several instances count together by an exchange of counts. */
class CountSyncTest {
  private static final long WINDOW = 60 * SECOND;
  private static final long CAPACITY = 6_000;
  private static final LimitId ID = id(WINDOW);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(CAPACITY, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(CAPACITY, WINDOW);
  private static final long WAY = 5 * MILLI;

  private final AtomicLong unix = new AtomicLong(UNIX_MILLIS);

  private static LimitId id(long windowNanos) {
    return new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.REQUESTS, windowNanos);
  }

  private CountingCrowd crowd(LimitSpec spec, Way way, long seed) {
    return new CountingCrowd(
        ID, spec, new LossyCountStore(new MemoryCountStore(unix::get), seed, way), unix);
  }

  /** Returns the largest excess over the limit that one late exchange can cause. */
  private static long bound(int members, double perSecond, long lateNanos) {
    return (long) Math.ceil((members - 1.0) / members * perSecond * lateNanos / SECOND);
  }

  @ParameterizedTest
  @CsvSource({"2, 1.5", "3, 2", "10, 4"})
  void trailingLimit_offeredMoreThanFits_isOverByOneExchangeAtMost(int members, double times) {
    for (long seed = 1; seed <= 3; seed++) {
      CountingCrowd countingCrowd = crowd(TRAILING, Way.steady(WAY), seed);
      double perSecond = times * CAPACITY * SECOND / WINDOW;
      countingCrowd.add(members, perSecond / members, 2_000, new Random(seed));
      countingCrowd.run(4 * WINDOW);
      long most = countingCrowd.mostInAnyWindow(WINDOW, 0);
      assertThat(most)
          .as("seed %d", seed)
          .isLessThanOrEqualTo(CAPACITY + bound(members, perSecond, INTERVAL + 2 * WAY + 2 * STEP));
      assertThat(countingCrowd.releasedSince(2 * WINDOW)).isGreaterThan(2 * CAPACITY * 95 / 100);
    }
  }

  @Test
  void fixedLimit_isOneWindowOfTheUnixClockForAll() {
    CountingCrowd countingCrowd = crowd(FIXED, Way.steady(WAY), 1);
    double perSecond = 2.0 * CAPACITY * SECOND / WINDOW;
    countingCrowd.add(3, perSecond / 3, 0, new Random(1));
    countingCrowd.run(4 * WINDOW);
    assertThat(countingCrowd.mostInAnyCell(WINDOW))
        .isBetween(CAPACITY, CAPACITY + bound(3, perSecond, INTERVAL + 2 * WAY + 2 * STEP));
  }

  @Test
  void oneWithMostOfTheLoad_hasMostOfTheLimit() {
    CountingCrowd countingCrowd = crowd(TRAILING, Way.steady(WAY), 1);
    countingCrowd.add(180, 0);
    countingCrowd.add(10, 0);
    countingCrowd.add(10, 0);
    countingCrowd.run(3 * WINDOW);
    assertThat(countingCrowd.releasedSince(WINDOW)).isGreaterThan(2 * CAPACITY * 95 / 100);
    assertThat(countingCrowd.mostInAnyWindow(WINDOW, 0))
        .isLessThanOrEqualTo(CAPACITY + bound(3, 200, INTERVAL + 2 * WAY + 2 * STEP));
  }

  @Test
  void lostRepeatedAndLateExchanges_costNoMoreThanTheirDelay() {
    for (long seed = 1; seed <= 5; seed++) {
      CountingCrowd countingCrowd = crowd(TRAILING, new Way(40 * MILLI, 0.2, 0.2), seed);
      countingCrowd.add(3, 66, 2_000, new Random(seed));
      countingCrowd.run(4 * WINDOW);
      // A lost exchange is given up after a second. As messages get lost each way, three exchanges
      // in a row fail in one of 20 cases.
      assertThat(countingCrowd.mostInAnyWindow(WINDOW, 0))
          .as("seed %d", seed)
          .isLessThanOrEqualTo(CAPACITY + bound(3, 198, 8 * SECOND));
      assertThat(countingCrowd.releasedSince(2 * WINDOW)).isGreaterThan(2 * CAPACITY * 90 / 100);
    }
  }

  @Test
  void outage_isLocalCountsAndHealsInTwoIntervals() {
    CountingCrowd countingCrowd = crowd(TRAILING, Way.steady(WAY), 1);
    countingCrowd.add(3, 66, 0, new Random(1));
    countingCrowd.run(2 * WINDOW);
    countingCrowd.network.become(Way.steady(WAY), true);
    countingCrowd.run(2 * WINDOW);
    // The counts of the others no longer apply: each has the whole limit, and 66 a second stay
    // below it.
    assertThat(countingCrowd.releasedSince(3 * WINDOW)).isGreaterThan(2 * CAPACITY * 90 / 100);
    assertThat(countingCrowd.members.getFirst().exchange.figures().failures()).isPositive();
    countingCrowd.network.become(Way.steady(WAY), false);
    long healed = countingCrowd.now + SECOND + 2 * INTERVAL;
    countingCrowd.run(2 * WINDOW);
    assertThat(countingCrowd.mostInAnyWindow(WINDOW, healed + WINDOW))
        .isLessThanOrEqualTo(CAPACITY + bound(3, 198, INTERVAL + 2 * WAY + 2 * STEP));
    assertThat(countingCrowd.releasedSince(5 * WINDOW)).isGreaterThan(CAPACITY * 90 / 100);
  }

  @Test
  void storeThatForgetsAll_isToldAllAgain() {
    AtomicLong lives = new AtomicLong();
    CountStore[] store = {new MemoryCountStore(unix::get)};
    CountingCrowd countingCrowd =
        new CountingCrowd(
            ID,
            TRAILING,
            new LossyCountStore(
                (writer, own) -> store[0].exchange(writer, own), 1, Way.steady(WAY)),
            unix);
    countingCrowd.add(3, 66, 0, new Random(1));
    for (int life = 0; life < 6; life++) {
      countingCrowd.run(40 * SECOND);
      store[0] = new MemoryCountStore(unix::get);
      lives.incrementAndGet();
    }
    // Everything is reported again every twenty exchanges at the latest.
    assertThat(lives).hasValue(6);
    assertThat(countingCrowd.mostInAnyWindow(WINDOW, 0))
        .isLessThanOrEqualTo(CAPACITY + bound(3, 198, 21 * INTERVAL + 2 * WAY + 2 * STEP));
  }

  @Test
  void joiner_leavesRoomForWhatOthersCountedBeforeItCame() {
    CountingCrowd countingCrowd = crowd(TRAILING, Way.steady(WAY), 1);
    countingCrowd.add(2, 50, 0, new Random(1));
    countingCrowd.run(WINDOW + 30 * SECOND);
    countingCrowd.add(99, 0);
    long before = countingCrowd.now;
    countingCrowd.run(WINDOW);
    assertThat(countingCrowd.mostInAnyWindow(WINDOW, before))
        .isLessThanOrEqualTo(CAPACITY * 105 / 100);
  }

  @Test
  void oneAlone_isAsIfNothingWereShared() {
    CountingCrowd countingCrowd = crowd(TRAILING, Way.steady(WAY), 1);
    CountingCrowd.Member member = countingCrowd.add(250, 0);
    countingCrowd.run(3 * WINDOW);
    assertThat(countingCrowd.mostInAnyWindow(WINDOW, 0)).isEqualTo(CAPACITY);
    assertThat(member.exchange.counted(ID, member.now())).isZero();
  }

  /** Exchanges that the test answers itself. */
  private static final class Asked {
    final List<List<CountStore.Count>> told = new ArrayList<>();
    final List<CompletableFuture<List<CountStore.Count>>> answers = new ArrayList<>();
    final FakeTicker ticker = new FakeTicker();
    final Limit limit = new Limit(TRAILING, 0);
    final CountSync exchange =
        new CountSync(
            (writer, own) -> {
              told.add(own);
              answers.add(new CompletableFuture<>());
              return answers.getLast();
            },
            "m",
            ticker,
            () -> UNIX_MILLIS + ticker.nanos() / MILLI,
            new CountSync.Terms(INTERVAL, SECOND, SECOND, OutagePolicy.PARK));

    void step() {
      ticker.advance(INTERVAL);
      exchange.step();
    }

    static CountStore.Count count(long amount) {
      return new CountStore.Count(ID, UNIX_MILLIS * MILLI / WINDOW, amount);
    }
  }

  @Test
  void whatOthersCounted_isNeverToldOn() {
    Asked asked = new Asked();
    asked.exchange.join(ID, asked.limit, true);
    asked.limit.take(Weight.exactly(10), 0);
    asked.step();
    asked.answers.getLast().complete(List.of(Asked.count(500)));
    assertThat(asked.limit.room(asked.ticker.nanos())).isEqualTo(CAPACITY - 510);
    assertThat(asked.exchange.counted(ID, asked.ticker.nanos())).isEqualTo(500);
    asked.limit.take(Weight.exactly(1), asked.ticker.nanos());
    asked.step();
    assertThat(asked.told).containsExactly(List.of(Asked.count(10)), List.of(Asked.count(11)));
  }

  @Test
  void unansweredCounts_areToldAgainAndAnsweredOnesNot() {
    Asked asked = new Asked();
    asked.exchange.join(ID, asked.limit, true);
    asked.limit.take(Weight.exactly(10), 0);
    asked.step();
    asked.answers.getLast().completeExceptionally(new IllegalStateException("lost"));
    asked.step();
    asked.answers.getLast().complete(List.of());
    asked.step();
    assertThat(asked.told)
        .containsExactly(List.of(Asked.count(10)), List.of(Asked.count(10)), List.of());
    assertThat(asked.exchange.figures().failures()).isEqualTo(1);
  }

  @Test
  void exchange_neverAnswered_isGivenUpAndItsLateAnswerTakenIn() {
    Asked asked = new Asked();
    asked.exchange.join(ID, asked.limit, true);
    for (int step = 0; step < 10; step++) {
      asked.step();
    }
    assertThat(asked.told).hasSize(1);
    asked.step();
    assertThat(asked.told).hasSize(2);
    assertThat(asked.exchange.figures().failures()).isEqualTo(1);
    asked.answers.getFirst().complete(List.of(Asked.count(500)));
    assertThat(asked.limit.room(asked.ticker.nanos())).isEqualTo(CAPACITY - 500);
    asked.answers.getLast().complete(List.of(Asked.count(400)));
    assertThat(asked.limit.room(asked.ticker.nanos())).isEqualTo(CAPACITY - 500);
  }

  @Test
  void givenBack_isNotTakenBackFromWhatWasTold() {
    Asked asked = new Asked();
    asked.exchange.join(ID, asked.limit, true);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) asked.limit.take(Weight.exactly(10), 0);
    asked.step();
    asked.answers.getLast().complete(List.of());
    asked.limit.giveBack(receipt, 4, 0, asked.ticker.nanos());
    asked.limit.take(Weight.exactly(3), asked.ticker.nanos());
    asked.step();
    assertThat(asked.told.getLast()).isEmpty();
  }

  @Test
  void limitThatIsOnlyKnown_keepsItsRoom() {
    Asked asked = new Asked();
    asked.exchange.join(ID, asked.limit, false);
    asked.step();
    asked.answers.getLast().complete(List.of(Asked.count(500)));
    assertThat(asked.limit.room(asked.ticker.nanos())).isEqualTo(Long.MAX_VALUE);
    assertThat(asked.exchange.counted(ID, asked.ticker.nanos())).isEqualTo(500);
  }

  @Test
  void strangers_areNobodys() {
    Asked asked = new Asked();
    asked.exchange.join(ID, asked.limit, true);
    asked.exchange.join(id(0), asked.limit, true);
    asked.step();
    asked.answers.getLast().complete(List.of(new CountStore.Count(id(SECOND), 5, 500)));
    assertThat(asked.limit.room(asked.ticker.nanos())).isEqualTo(Long.MAX_VALUE);
    asked.exchange.leave(ID);
    asked.step();
    assertThat(asked.told.getLast()).isEmpty();
    assertThat(asked.exchange.counted(ID, 0)).isZero();
  }
}
