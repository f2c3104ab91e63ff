package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.event.Event;
import io.penstock.limit.LimitBalance;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.quota.ProviderStatus;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
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

class TicketSettlementTest {
  private static final Refusal GONE = Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "it is gone");

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final Endpoint endpoint =
      endpointFixture.open(
          EndpointFixture.none("/a").to(upstream("u", 0, 1_000, ChargeRule.TOTAL, Map.of(), null)));

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private ParkedTicket submitted(long input, long output) {
    return endpoint.submit(RequestFixture.of(null, new Cost(input, output, 0)).bytes(10).made());
  }

  @Test
  void learned_onlyTheUpstreamsLimits_andNothingAfterTheEnd() {
    Endpoint limited =
        endpointFixture.open(
            EndpointFixture.tokens("/t", 5_000, 60)
                .to(upstream("u", 0, 1_000, ChargeRule.TOTAL, Map.of(), null)));
    ParkedTicket first = submit(limited, 100);
    ProviderLesson providerLesson = lesson(50);
    settlement(first).learn(providerLesson, false, START);
    assertThat(went(submit(limited, 50))).isTrue();
    ParkedTicket third = submit(limited, 10);
    assertThat(waits(third)).isTrue();
    settlement(first).served(null, 0, START);
    settlement(first).learn(lesson(900), false, START);
    endpointFixture.drivers.run();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void learnedThatMoreIsLeft_wakesWhoWaits() {
    ParkedTicket first = submit(endpoint, 100);
    settlement(first).learn(lesson(0), false, START);
    ParkedTicket second = submit(endpoint, 50);
    assertThat(waits(second)).isTrue();
    settlement(first).learn(lesson(300), false, START);
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
  }

  private static ProviderLesson lesson(long left) {
    ProviderStatus providerStatus =
        new ProviderStatus(LimitMeasure.TOKENS, 1_000, left, 60 * SECOND);
    return new ProviderLesson(
        200, List.of(providerStatus), ProviderStatus.UNSTATED, ProviderLesson.ErrorCause.OTHER);
  }

  private LimitBalance balance() {
    Upstream upstream = endpointFixture.upstreams.find("u");
    if (upstream == null) {
      throw new AssertionError("no upstream");
    }
    long now = endpointFixture.ticker.nanos();
    return upstream.pool(null, now).limits().getFirst().limit().balance(now);
  }

  /** Returns all ways to close a settlement, by what each leaves charged of 100 in and 50 out. */
  private static Map<TicketFate, Map<Long, Consumer<TicketSettlement>>> closings() {
    Map<TicketFate, Map<Long, Consumer<TicketSettlement>>> all = new LinkedHashMap<>();
    all.put(
        TicketFate.SERVED,
        Map.of(
            80L, ticketSettlement -> ticketSettlement.served(new TokenUsage(60, 0, 20), 20, START),
            130L, ticketSettlement -> ticketSettlement.served(null, 30, START),
            150L, ticketSettlement -> ticketSettlement.permitted(START)));
    all.put(
        TicketFate.CANCELLED,
        Map.of(
            110L, ticketSettlement -> ticketSettlement.cancelled(CallEnd.answered(null, 10), START),
            0L, ticketSettlement -> ticketSettlement.abandoned(START)));
    all.put(
        TicketFate.REFUSED,
        Map.of(
            100L, ticketSettlement -> ticketSettlement.failed(GONE, 0, START),
            0L, ticketSettlement -> ticketSettlement.refused(GONE, START)));
    return all;
  }

  @Test
  void closedInAnyTwoWays_onlyTheFirstCounts() {
    for (Map.Entry<TicketFate, Map<Long, Consumer<TicketSettlement>>> first :
        closings().entrySet()) {
      for (Map.Entry<Long, Consumer<TicketSettlement>> closing : first.getValue().entrySet()) {
        for (Map<Long, Consumer<TicketSettlement>> others : closings().values()) {
          for (Consumer<TicketSettlement> other : others.values()) {
            EndpointFixture fresh = new EndpointFixture();
            Endpoint open = fresh.open(EndpointFixture.none("/a").to(upstream("u", 0, 1_000)));
            ParkedTicket parkedTicket =
                open.submit(RequestFixture.of(null, new Cost(100, 50, 0)).bytes(10).made());
            closing.getValue().accept(settlement(parkedTicket));
            other.accept(settlement(parkedTicket));
            settlement(parkedTicket).produced(40, START + SECOND);
            assertThat(open.totals().requests(first.getKey())).isEqualTo(1);
            assertThat(open.totals().requests(TicketFate.RUNNING)).isZero();
            EndpointFixture.assertBalanced(open);
            Upstream upstream = fresh.upstreams.find("u");
            assertThat(upstream).isNotNull();
            if (upstream != null) {
              LimitBalance left =
                  upstream.pool(null, START).limits().getFirst().limit().balance(START);
              assertThat(left).isEqualTo(new LimitBalance(closing.getKey(), 0, 0));
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
        TicketSettlement ticketSettlement = settlement(submitted(4, 2));
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
                                          closing.accept(ticketSettlement);
                                          return true;
                                        }))));
        start.countDown();
        for (Future<?> each : all) {
          each.get();
        }
        EndpointFixture.assertBalanced(endpoint);
        endpointFixture.ticker.advance(61 * SECOND);
      }
    }
    assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isZero();
    assertThat(endpoint.totals().requests(TicketFate.OFFERED)).isEqualTo(100);
    assertThat(balance().reserved()).isZero();
  }

  @Test
  void released_takesInputAndHoldsOutput() {
    submitted(100, 50);
    assertThat(balance()).isEqualTo(new LimitBalance(100, 0, 50));
  }

  @Test
  void outputProduced_isChargedAtMostOnceInASubCellAndAtTheEnd() {
    TicketSettlement ticketSettlement = settlement(submitted(100, 50));
    for (int token = 1; token <= 20; token++) {
      ticketSettlement.produced(token, START + token);
    }
    assertThat(balance()).isEqualTo(new LimitBalance(101, 0, 49));
    endpointFixture.at(SECOND);
    ticketSettlement.produced(30, endpointFixture.ticker.nanos());
    assertThat(balance()).isEqualTo(new LimitBalance(130, 0, 20));
    ticketSettlement.served(new TokenUsage(100, 0, 45), 45, endpointFixture.ticker.nanos());
    assertThat(balance()).isEqualTo(new LimitBalance(145, 0, 0));
  }

  @Test
  void usageAboveTheCost_isChargedAndToldAsOverrun() {
    settlement(submitted(100, 50)).served(new TokenUsage(120, 0, 80), 80, START);
    assertThat(balance()).isEqualTo(new LimitBalance(200, 0, 0));
    assertThat(endpointFixture.recorded.of(Event.Settled.class))
        .containsExactly(new Event.Settled(START, "/a", 0, "u", null, 150, 200, 50));
  }

  @Test
  void settledBelowItsCost_letsTheNextGoAtOnce() {
    ParkedTicket first = submitted(900, 100);
    ParkedTicket second = submitted(400, 0);
    assertThat(waits(second)).isTrue();
    settlement(first).served(new TokenUsage(500, 0, 100), 100, START);
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void outputCountedTooHigh_comesBackAndLetsGoWhoWaitsForIt() {
    ParkedTicket first = submitted(900, 80);
    settlement(first).produced(80, START);
    ParkedTicket second = submitted(80, 0);
    assertThat(waits(second)).as("20 are left").isTrue();
    settlement(first).served(new TokenUsage(900, 0, 20), 20, START);
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
  }

  @Test
  void outputThatIsProduced_saysUntilWhenItCounts_soThatWhoWaitsKnowsItsInstant() {
    ParkedTicket first = submitted(0, 1_000);
    ParkedTicket second = submitted(500, 0);
    endpointFixture.at(SECOND);
    assertThat(endpointFixture.drivers.nextAlarm())
        .as("what is held has no end")
        .isEqualTo(Ticker.NEVER);
    settlement(first).produced(1_000, endpointFixture.ticker.nanos());
    endpointFixture.at(62 * SECOND - 1);
    assertThat(waits(second)).isTrue();
    endpointFixture.at(62 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void outputThatLetsNobodyGoSooner_wakesNobody() {
    TicketSettlement first = settlement(submitted(900, 50));
    assertThat(waits(submitted(500, 0))).isTrue();
    first.produced(0, START);
    assertThat(endpointFixture.drivers.driver(0).isIdle()).as("nothing yet").isTrue();
    first.served(null, 50, START);
    endpointFixture.drivers.run();
    first.produced(60, START + SECOND);
    assertThat(endpointFixture.drivers.driver(0).isIdle()).as("after its end").isTrue();
  }

  @Test
  void debtOfAWindow_holdsTheNextTicketsBack() {
    Endpoint window = endpointFixture.open(EndpointFixture.tokens("/w", 100, 10));
    settlement(submit(window, 100)).served(new TokenUsage(250, 0, 0), 0, START);
    ParkedTicket second = submit(window, 50); // 150 are owed: 100 are paid at 10 s, 50 at 20 s
    endpointFixture.at(20 * SECOND - 1);
    assertThat(waits(second)).isTrue();
    endpointFixture.at(20 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void abandonedStrictSlot_isGivenOutAgain() {
    Endpoint strict = endpointFixture.open(EndpointFixture.strict("/s", 1, 60));
    ParkedTicket first = submit(strict, 1);
    ParkedTicket second = submit(strict, 1);
    first.cancel();
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
    assertThat(strict.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void cancelledInTheStepThatLetsItGo_returnsWhatWasTaken() {
    ParkedTicket running = submitted(1_000, 0);
    ParkedTicket first = submitted(100, 0);
    ParkedTicket second = submitted(100, 0);
    endpointFixture.events.subscribe(
        event -> {
          if (event instanceof Event.Released released && released.ticket() == first.order()) {
            second.cancel();
          }
        });
    settlement(running).abandoned(START);
    endpointFixture.drivers.run();
    assertThat(went(first)).isTrue();
    assertThat(second.outcome()).isNull();
    assertThat(balance()).isEqualTo(new LimitBalance(100, 0, 0));
  }

  @Test
  void written_isMeasuredFromTheRelease() {
    TicketSettlement ticketSettlement = settlement(submitted(1, 0));
    ticketSettlement.written(START + 1_000);
    ticketSettlement.written(START + 31_000);
    assertThat(ticketSettlement.upstream()).isNotNull();
    Upstream upstream = ticketSettlement.upstream();
    if (upstream != null) {
      assertThat(upstream.jitterNanos()).isEqualTo(30_000);
    }
  }

  @Test
  void receiverThatComesLate_isCalledOnceWithTheOutcome() {
    ParkedTicket parkedTicket = submitted(1, 0);
    List<TicketOutcome> outcomes = new ArrayList<>();
    parkedTicket.whenDecided(outcomes::add);
    assertThat(outcomes).hasSize(1).containsExactly(parkedTicket.outcome());
  }
}
