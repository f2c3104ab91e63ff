package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.limit.CellAmount;
import io.penstock.limit.CellGrid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.limit.StoreReport;
import io.penstock.quota.MeteredLimit;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of a key that refuses what it lacks, and shares its limit with other instances. */
class SharedKeyTest {
  private static final long MINUTE = 60 * SECOND;
  private static final long CELL = 7;

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final AtomicInteger hurried = new AtomicInteger();
  private final SliceDemand demand = new SliceDemand(hurried::incrementAndGet);
  private final Limit limit = new Limit(new LimitSpec.FixedWindow(10, MINUTE), START);
  private final FakeCallers.Caller alice = new FakeCallers().rejecting("alice");
  private final Endpoint endpoint =
      endpointFixture.open(none("/").maxWait(30 * SECOND).bounds(3, 100, 100));

  SharedKeyTest() {
    limit.sharing().share(demand, START);
    limit.sharing().spendingReport(new CellGrid(CELL, START, MINUTE), CELL, CELL, 0, START);
    alice.quota.change(
        ChargeRule.TOTAL,
        List.of(new MeteredLimit(LimitMeasure.REQUESTS, limit, RefusalReason.KEY_RPM)));
  }

  private void granted(long amount) {
    granted(CELL, amount, endpointFixture.ticker.nanos(), endpointFixture.ticker.nanos());
    demand.wake();
    endpointFixture.drivers.run();
  }

  private void granted(long cell, long amount, long from, long heardAt) {
    CellGrid.Span span = new CellGrid.Span(from, from + 2 * SECOND);
    StoreReport storeReport = new StoreReport(10, Long.MAX_VALUE, heardAt, 0);
    limit.sharing().addSlices(List.of(new CellAmount(cell, amount)), storeReport, any -> span);
  }

  private void denied() {
    denied(false);
  }

  private void denied(boolean barred) {
    StoreReport storeReport =
        new StoreReport(
            10, 1, 0, endpointFixture.ticker.nanos() + 2 * SECOND, barred, 0, Long.MIN_VALUE);
    limit.sharing().addSlices(List.of(), storeReport, cell -> CellGrid.Span.NEVER);
    demand.wakeAfterDenial();
    endpointFixture.drivers.run();
  }

  @Test
  void drySlice_waitsForTheRound_andGoesWithWhatItBrings() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    assertThat(waits(parkedTicket)).isTrue();
    assertThat(hurried).hasValue(1);
    endpointFixture.at(SECOND);
    assertThat(waits(parkedTicket)).isTrue();
    granted(1);
    assertThat(went(parkedTicket)).isTrue();
    assertThat(limit.balance(endpointFixture.ticker.nanos()).charged()).isEqualTo(1);
    assertBalanced(endpoint);
  }

  @Test
  void nothingLeftForAnybody_isRefusedWithTheRound_andAtOnceWhileThatIsKnown() {
    ParkedTicket first = alice.submit(endpoint, 1);
    endpointFixture.at(SECOND);
    denied();
    assertThat(refusal(first).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(refusal(first).retryAfterNanos()).isEqualTo(MINUTE - SECOND);
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(hurried).hasValue(1);
    endpointFixture.at(3 * SECOND);
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void nothingGrantedBecauseOfALoss_isRefusedWithThatReason_andNotAsUsedUp() {
    ParkedTicket first = alice.submit(endpoint, 1);
    endpointFixture.at(SECOND);
    denied(true);
    assertThat(refusal(first).reason()).isEqualTo(RefusalReason.LIMIT_RECOVERING);
    assertThat(refusal(first).retryAfterNanos()).isEqualTo(MINUTE - SECOND);
    assertThat(refusal(first).detail()).contains("Redis has lost data").doesNotContain("a minute");
    assertThat(refusal(alice.submit(endpoint, 1)).reason())
        .isEqualTo(RefusalReason.LIMIT_RECOVERING);
    limit.charge(10, 0, endpointFixture.ticker.nanos());
    assertThat(refusal(alice.submit(endpoint, 1)).reason())
        .as("this instance alone has used it up")
        .isEqualTo(RefusalReason.KEY_RPM);
    assertBalanced(endpoint);
  }

  @Test
  void slicesCameAfterTheClockWasRead_goesWithThem() {
    granted(CELL + 1, 1, START + SECOND / 5, START + SECOND / 5);
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    assertThat(waits(parkedTicket)).isTrue();
    endpointFixture.at(SECOND / 5 - 1);
    assertThat(waits(parkedTicket)).isTrue();
    endpointFixture.at(SECOND / 5);
    assertThat(went(parkedTicket)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void nextCellIsAboutToBegin_goesWithIt() {
    long next = START + MINUTE;
    granted(CELL + 1, 1, next + 1_000_000, START);
    endpointFixture.at(MINUTE - 1_000_000);
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    assertThat(waits(parkedTicket)).isTrue();
    endpointFixture.at(MINUTE + 1_000_000);
    assertThat(went(parkedTicket)).isTrue();
  }

  @Test
  void nextCellBeginsLater_isRefusedUntilThen() {
    granted(CELL + 1, 1, START + MINUTE, START);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(MINUTE);
  }

  @Test
  void lessThanAllLack_theFirstGo() {
    ParkedTicket first = alice.submit(endpoint, 1);
    ParkedTicket second = alice.submit(endpoint, 1);
    granted(1);
    assertThat(went(first)).isTrue();
    assertThat(waits(second)).isTrue();
    denied();
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.KEY_RPM);
  }

  @Test
  void ownShareUsedUp_isRefusedAtOnce() {
    limit.charge(10, 0, START);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(MINUTE);
  }

  @Test
  void clientGoneMeanwhile_tookNothing() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    parkedTicket.cancel();
    granted(1);
    assertThat(limit.balance(endpointFixture.ticker.nanos()).charged()).isZero();
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
    assertThat(alice.empty()).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void noRoundAnswered_expiresWhenItMayWaitNoLonger() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    endpointFixture.at(30 * SECOND);
    assertThat(refusal(parkedTicket).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(alice.empty()).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void asManyAsMayWaitAndOneMore_theLastIsRefused() {
    for (int each = 0; each < 3; each++) {
      assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    }
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    granted(3);
    assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isEqualTo(3);
    assertBalanced(endpoint);
  }

  @Test
  void endpointCloses_refusesThemToo() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    endpoint.refuseAll(Refusal.of(RefusalReason.NO_ENDPOINT, "it is no more"));
    endpointFixture.drivers.run();
    assertThat(refusal(parkedTicket).reason()).isEqualTo(RefusalReason.NO_ENDPOINT);
    assertBalanced(endpoint);
  }

  /** Otherwise the work of each round would grow with the number of requests there ever were. */
  @Test
  void decided_slicesThatComeLaterAreNoneOfItsConcern() {
    ParkedTicket goes = alice.submit(endpoint, 1);
    ParkedTicket denied = alice.submit(endpoint, 1);
    demand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).as("they wait for slices").isFalse();
    granted(1);
    denied();
    assertThat(went(goes)).isTrue();
    assertThat(refusal(denied).reason()).isEqualTo(RefusalReason.KEY_RPM);

    demand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).isTrue();
  }

  @Test
  void lacksAnotherLimitByNow_slicesOfTheFirstAreNoneOfItsConcernAnyMore() {
    SliceDemand tokensDemand = new SliceDemand(() -> {});
    Limit tokens = new Limit(new LimitSpec.FixedWindow(100, MINUTE), START);
    tokens.sharing().share(tokensDemand, START);
    tokens.sharing().spendingReport(new CellGrid(CELL, START, MINUTE), CELL, CELL, 0, START);
    alice.quota.change(
        ChargeRule.TOTAL,
        List.of(
            new MeteredLimit(LimitMeasure.REQUESTS, limit, RefusalReason.KEY_RPM),
            new MeteredLimit(LimitMeasure.TOKENS, tokens, RefusalReason.KEY_TPM)));
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    granted(1);
    assertThat(waits(parkedTicket)).as("it lacks tokens").isTrue();

    demand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).isTrue();

    CellGrid.Span span = new CellGrid.Span(START, START + 2 * SECOND);
    StoreReport storeReport = new StoreReport(100, Long.MAX_VALUE, START, 0);
    tokens.sharing().addSlices(List.of(new CellAmount(CELL, 100)), storeReport, any -> span);
    tokensDemand.wake();
    endpointFixture.drivers.run();
    assertThat(went(parkedTicket)).isTrue();
    tokensDemand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).as("it waits for nothing").isTrue();
    assertBalanced(endpoint);
  }
}
