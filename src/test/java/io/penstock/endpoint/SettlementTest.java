package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.limit.Balance;
import io.penstock.pool.Lesson;
import io.penstock.pool.Upstream;
import io.penstock.quota.Standing;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SettlementTest {
  private static final Refusal GONE = Refusal.of(Reason.UPSTREAM_UNREACHABLE, "it is gone");

  private final House house = new House();
  private final Endpoint endpoint =
      house.open(House.none("/a").to(upstream("u", 0, 1_000, Charge.TOTAL, Map.of(), null)));

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private Pending submitted(long input, long output) {
    return endpoint.submit(Ask.of(null, new Cost(input, output, 0), 10, Patience.DEFAULT));
  }

  @Test
  void learned_onlyTheUpstreamsLimits_andNothingAfterTheEnd() {
    Endpoint limited =
        house.open(
            House.tokens("/t", 5_000, 60)
                .to(upstream("u", 0, 1_000, Charge.TOTAL, Map.of(), null)));
    Pending first = submit(limited, 100);
    Lesson lesson = lesson(50);
    settlement(first).learn(lesson, START);
    assertThat(went(submit(limited, 50))).isTrue();
    Pending third = submit(limited, 10);
    assertThat(waits(third)).isTrue();
    settlement(first).served(null, 0, START);
    settlement(first).learn(lesson(900), START);
    house.drivers.run();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void learnedThatMoreIsLeft_wakesWhoWaits() {
    Pending first = submit(endpoint, 100);
    settlement(first).learn(lesson(0), START);
    Pending second = submit(endpoint, 50);
    assertThat(waits(second)).isTrue();
    settlement(first).learn(lesson(300), START);
    house.drivers.run();
    assertThat(went(second)).isTrue();
  }

  private static Lesson lesson(long left) {
    Standing standing = new Standing(Measure.TOKENS, 1_000, left, 60 * SECOND);
    return new Lesson(200, List.of(standing), Standing.UNSAID, Lesson.Wording.OTHER);
  }

  private Balance balance() {
    Upstream upstream = house.upstreams.find("u");
    if (upstream == null) {
      throw new AssertionError("no upstream");
    }
    long now = house.ticker.nanos();
    return upstream.pool(null, now).limits().getFirst().limit().balance(now);
  }

  /** Returns all ways to close a settlement, by what each leaves charged of 100 in and 50 out. */
  private static Map<Fate, Map<Long, Consumer<Settlement>>> closings() {
    Map<Fate, Map<Long, Consumer<Settlement>>> all = new LinkedHashMap<>();
    all.put(
        Fate.SERVED,
        Map.of(
            80L, settlement -> settlement.served(new Usage(60, 0, 20), 20, START),
            130L, settlement -> settlement.served(null, 30, START),
            150L, settlement -> settlement.permitted(START)));
    all.put(
        Fate.CANCELLED,
        Map.of(
            110L, settlement -> settlement.cancelled(null, 10, START),
            0L, settlement -> settlement.abandoned(START)));
    all.put(
        Fate.REFUSED,
        Map.of(
            100L, settlement -> settlement.failed(GONE, 0, START),
            0L, settlement -> settlement.refused(GONE, START)));
    return all;
  }

  @Test
  void closedInAnyTwoWays_onlyTheFirstCounts() {
    for (Map.Entry<Fate, Map<Long, Consumer<Settlement>>> first : closings().entrySet()) {
      for (Map.Entry<Long, Consumer<Settlement>> closing : first.getValue().entrySet()) {
        for (Map<Long, Consumer<Settlement>> others : closings().values()) {
          for (Consumer<Settlement> other : others.values()) {
            House fresh = new House();
            Endpoint open = fresh.open(House.none("/a").to(upstream("u", 0, 1_000)));
            Pending pending = open.submit(Ask.of(null, new Cost(100, 50, 0), 10, Patience.DEFAULT));
            closing.getValue().accept(settlement(pending));
            other.accept(settlement(pending));
            settlement(pending).produced(40, START + SECOND);
            assertThat(open.totals().requests(first.getKey())).isEqualTo(1);
            assertThat(open.totals().requests(Fate.RUNNING)).isZero();
            House.assertBalanced(open);
            Upstream upstream = fresh.upstreams.find("u");
            assertThat(upstream).isNotNull();
            if (upstream != null) {
              Balance left = upstream.pool(null, START).limits().getFirst().limit().balance(START);
              assertThat(left).isEqualTo(new Balance(closing.getKey(), 0, 0));
            }
          }
        }
      }
    }
  }

  @Test
  void eightThreadsClosing_settleOnce() throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(8)) {
      for (int round = 0; round < 100; round++) {
        Settlement settlement = settlement(submitted(4, 2));
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> all = new ArrayList<>();
        closings()
            .values()
            .forEach(
                ways ->
                    ways.values()
                        .forEach(
                            closing ->
                                all.add(
                                    executor.submit(
                                        () -> {
                                          start.await();
                                          closing.accept(settlement);
                                          return true;
                                        }))));
        start.countDown();
        for (Future<?> each : all) {
          each.get();
        }
        House.assertBalanced(endpoint);
        house.ticker.advance(61 * SECOND);
      }
    }
    assertThat(endpoint.totals().requests(Fate.RUNNING)).isZero();
    assertThat(endpoint.totals().requests(Fate.OFFERED)).isEqualTo(100);
    assertThat(balance().held()).isZero();
  }

  @Test
  void released_takesInputAndHoldsOutput() {
    submitted(100, 50);
    assertThat(balance()).isEqualTo(new Balance(100, 0, 50));
  }

  @Test
  void outputProduced_isChargedAtMostOnceInASubCellAndAtTheEnd() {
    Settlement settlement = settlement(submitted(100, 50));
    for (int token = 1; token <= 20; token++) {
      settlement.produced(token, START + token);
    }
    assertThat(balance()).isEqualTo(new Balance(101, 0, 49));
    house.at(SECOND);
    settlement.produced(30, house.ticker.nanos());
    assertThat(balance()).isEqualTo(new Balance(130, 0, 20));
    settlement.served(new Usage(100, 0, 45), 45, house.ticker.nanos());
    assertThat(balance()).isEqualTo(new Balance(145, 0, 0));
  }

  @Test
  void usageAboveTheCost_isChargedAndToldAsOverrun() {
    settlement(submitted(100, 50)).served(new Usage(120, 0, 80), 80, START);
    assertThat(balance()).isEqualTo(new Balance(200, 0, 0));
    assertThat(house.recorded.of(Event.Settled.class))
        .containsExactly(new Event.Settled(START, "/a", 0, "u", null, 150, 200, 50));
  }

  @Test
  void settledBelowItsCost_letsTheNextGoAtOnce() {
    Pending first = submitted(900, 100);
    Pending second = submitted(400, 0);
    assertThat(waits(second)).isTrue();
    settlement(first).served(new Usage(500, 0, 100), 100, START);
    house.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void outputCountedTooHigh_comesBackAndLetsGoWhoWaitsForIt() {
    Pending first = submitted(900, 80);
    settlement(first).produced(80, START);
    Pending second = submitted(80, 0);
    assertThat(waits(second)).as("20 are left").isTrue();
    settlement(first).served(new Usage(900, 0, 20), 20, START);
    house.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void outputThatIsProduced_saysUntilWhenItCounts_soThatWhoWaitsKnowsItsInstant() {
    Pending first = submitted(0, 1_000);
    Pending second = submitted(500, 0);
    house.at(SECOND);
    assertThat(house.drivers.nextAlarm()).as("what is held has no end").isEqualTo(Ticker.NEVER);
    settlement(first).produced(1_000, house.ticker.nanos());
    house.at(62 * SECOND - 1);
    assertThat(waits(second)).isTrue();
    house.at(62 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void outputThatLetsNobodyGoSooner_wakesNobody() {
    Settlement first = settlement(submitted(900, 50));
    assertThat(waits(submitted(500, 0))).isTrue();
    first.produced(0, START);
    assertThat(house.drivers.driver(0).isIdle()).as("nothing yet").isTrue();
    first.served(null, 50, START);
    house.drivers.run();
    first.produced(60, START + SECOND);
    assertThat(house.drivers.driver(0).isIdle()).as("after its end").isTrue();
  }

  @Test
  void debtOfAWindow_holdsTheNextTicketsBack() {
    Endpoint window = house.open(House.tokens("/w", 100, 10));
    settlement(submit(window, 100)).served(new Usage(250, 0, 0), 0, START);
    Pending second = submit(window, 50); // 150 are owed: 100 are paid at 10 s, 50 at 20 s
    house.at(20 * SECOND - 1);
    assertThat(waits(second)).isTrue();
    house.at(20 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void abandonedStrictSlot_isGivenOutAgain() {
    Endpoint strict = house.open(House.strict("/s", 1, 60));
    Pending first = submit(strict, 1);
    Pending second = submit(strict, 1);
    strict.cancel(first);
    house.drivers.run();
    assertThat(went(second)).isTrue();
    assertThat(strict.totals().requests(Fate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void cancelledInTheStepThatLetsItGo_returnsWhatWasTaken() {
    Pending running = submitted(1_000, 0);
    Pending first = submitted(100, 0);
    Pending second = submitted(100, 0);
    house.events.subscribe(
        event -> {
          if (event instanceof Event.Released released && released.ticket() == first.order()) {
            endpoint.cancel(second);
          }
        });
    settlement(running).abandoned(START);
    house.drivers.run();
    assertThat(went(first)).isTrue();
    assertThat(second.outcome()).isNull();
    assertThat(balance()).isEqualTo(new Balance(100, 0, 0));
  }

  @Test
  void written_isMeasuredFromTheRelease() {
    Settlement settlement = settlement(submitted(1, 0));
    settlement.written(START + 1_000);
    settlement.written(START + 31_000);
    assertThat(settlement.upstream()).isNotNull();
    Upstream upstream = settlement.upstream();
    if (upstream != null) {
      assertThat(upstream.jitterNanos()).isEqualTo(30_000);
    }
  }

  @Test
  void receiverThatComesLate_isCalledOnceWithTheOutcome() {
    Pending pending = submitted(1, 0);
    List<Outcome> outcomes = new ArrayList<>();
    pending.whenDecided(outcomes::add);
    assertThat(outcomes).hasSize(1).containsExactly(pending.outcome());
  }
}
