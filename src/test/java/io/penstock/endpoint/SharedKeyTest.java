package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.assertBalanced;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.limit.Demand;
import io.penstock.limit.Grid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Supplied;
import io.penstock.limit.Tally;
import io.penstock.quota.Metered;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of a key that refuses what it lacks, and shares its limit with other instances. */
class SharedKeyTest {
  private static final long MINUTE = 60 * SECOND;
  private static final long CELL = 7;

  private final House house = new House();
  private final AtomicInteger hurried = new AtomicInteger();
  private final Demand demand = new Demand(hurried::incrementAndGet);
  private final Limit limit = new Limit(new LimitSpec.FixedWindow(10, MINUTE), START);
  private final Callers.Caller alice = new Callers().rejecting("alice");
  private final Endpoint endpoint = house.open(none("/").maxWait(30 * SECOND).bounds(3, 100, 100));

  SharedKeyTest() {
    limit.share(demand, START);
    limit.tally(new Grid(CELL, START, MINUTE), CELL, CELL, 0, START);
    alice.quota.change(Charge.TOTAL, List.of(new Metered(Measure.REQUESTS, limit, Reason.KEY_RPM)));
  }

  private void granted(long amount) {
    granted(CELL, amount, house.ticker.nanos(), house.ticker.nanos());
    demand.wake();
    house.drivers.run();
  }

  private void granted(long cell, long amount, long from, long heard) {
    Grid.Span span = new Grid.Span(from, from + 2 * SECOND);
    Supplied supplied = new Supplied(10, Long.MAX_VALUE, heard, 0);
    limit.granted(List.of(new Tally.Counted(cell, amount)), supplied, any -> span);
  }

  private void denied() {
    denied(false);
  }

  private void denied(boolean barred) {
    Supplied supplied =
        new Supplied(10, 1, 0, house.ticker.nanos() + 2 * SECOND, barred, 0, Long.MIN_VALUE);
    limit.granted(List.of(), supplied, cell -> Grid.Span.NEVER);
    demand.denied();
    house.drivers.run();
  }

  @Test
  void drySlice_waitsForTheRound_andGoesWithWhatItBrings() {
    Pending pending = alice.submit(endpoint, 1);
    assertThat(waits(pending)).isTrue();
    assertThat(hurried).hasValue(1);
    house.at(SECOND);
    assertThat(waits(pending)).isTrue();
    granted(1);
    assertThat(went(pending)).isTrue();
    assertThat(limit.balance(house.ticker.nanos()).charged()).isEqualTo(1);
    assertBalanced(endpoint);
  }

  @Test
  void nothingLeftForAnybody_isRefusedWithTheRound_andAtOnceWhileThatIsKnown() {
    Pending first = alice.submit(endpoint, 1);
    house.at(SECOND);
    denied();
    assertThat(refusal(first).reason()).isEqualTo(Reason.KEY_RPM);
    assertThat(refusal(first).retryAfterNanos()).isEqualTo(MINUTE - SECOND);
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(Reason.KEY_RPM);
    assertThat(hurried).hasValue(1);
    house.at(3 * SECOND);
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void nothingGrantedBecauseOfALoss_isRefusedWithThatReason_andNotAsUsedUp() {
    Pending first = alice.submit(endpoint, 1);
    house.at(SECOND);
    denied(true);
    assertThat(refusal(first).reason()).isEqualTo(Reason.LIMIT_RECOVERING);
    assertThat(refusal(first).retryAfterNanos()).isEqualTo(MINUTE - SECOND);
    assertThat(refusal(first).detail())
        .contains("Redis has lost data")
        .doesNotContain("used up its");
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(Reason.LIMIT_RECOVERING);
    limit.charge(10, 0, house.ticker.nanos());
    assertThat(refusal(alice.submit(endpoint, 1)).reason())
        .as("this instance alone has used it up")
        .isEqualTo(Reason.KEY_RPM);
    assertBalanced(endpoint);
  }

  @Test
  void slicesCameAfterTheClockWasRead_goesWithThem() {
    granted(CELL + 1, 1, START + SECOND / 5, START + SECOND / 5);
    Pending pending = alice.submit(endpoint, 1);
    assertThat(waits(pending)).isTrue();
    house.at(SECOND / 5 - 1);
    assertThat(waits(pending)).isTrue();
    house.at(SECOND / 5);
    assertThat(went(pending)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void nextCellIsAboutToBegin_goesWithIt() {
    long next = START + MINUTE;
    granted(CELL + 1, 1, next + 1_000_000, START);
    house.at(MINUTE - 1_000_000);
    Pending pending = alice.submit(endpoint, 1);
    assertThat(waits(pending)).isTrue();
    house.at(MINUTE + 1_000_000);
    assertThat(went(pending)).isTrue();
  }

  @Test
  void nextCellBeginsLater_isRefusedUntilThen() {
    granted(CELL + 1, 1, START + MINUTE, START);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(MINUTE);
  }

  @Test
  void lessThanAllLack_theFirstGo() {
    Pending first = alice.submit(endpoint, 1);
    Pending second = alice.submit(endpoint, 1);
    granted(1);
    assertThat(went(first)).isTrue();
    assertThat(waits(second)).isTrue();
    denied();
    assertThat(refusal(second).reason()).isEqualTo(Reason.KEY_RPM);
  }

  @Test
  void ownShareUsedUp_isRefusedAtOnce() {
    limit.charge(10, 0, START);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(MINUTE);
  }

  @Test
  void clientGoneMeanwhile_tookNothing() {
    Pending pending = alice.submit(endpoint, 1);
    endpoint.cancel(pending);
    granted(1);
    assertThat(limit.balance(house.ticker.nanos()).charged()).isZero();
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
    assertThat(alice.empty()).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void noRoundAnswered_expiresWhenItMayWaitNoLonger() {
    Pending pending = alice.submit(endpoint, 1);
    house.at(30 * SECOND);
    assertThat(refusal(pending).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(alice.empty()).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void asManyAsMayWaitAndOneMore_theLastIsRefused() {
    for (int each = 0; each < 3; each++) {
      assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    }
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(Reason.QUEUE_FULL);
    granted(3);
    assertThat(endpoint.totals().requests(Fate.RUNNING)).isEqualTo(3);
    assertBalanced(endpoint);
  }

  @Test
  void endpointCloses_refusesThemToo() {
    Pending pending = alice.submit(endpoint, 1);
    endpoint.refuseAll(Refusal.of(Reason.NO_ENDPOINT, "it is no more"));
    house.drivers.run();
    assertThat(refusal(pending).reason()).isEqualTo(Reason.NO_ENDPOINT);
    assertBalanced(endpoint);
  }

  /** Otherwise the work of each round would grow with the number of requests there ever were. */
  @Test
  void decided_slicesThatComeLaterAreNoneOfItsConcern() {
    Pending goes = alice.submit(endpoint, 1);
    Pending denied = alice.submit(endpoint, 1);
    demand.wake();
    assertThat(house.drivers.driver(0).isIdle()).as("they wait for slices").isFalse();
    granted(1);
    denied();
    assertThat(went(goes)).isTrue();
    assertThat(refusal(denied).reason()).isEqualTo(Reason.KEY_RPM);

    demand.wake();
    assertThat(house.drivers.driver(0).isIdle()).isTrue();
  }

  @Test
  void lacksAnotherLimitByNow_slicesOfTheFirstAreNoneOfItsConcernAnyMore() {
    Demand tokensDemand = new Demand(() -> {});
    Limit tokens = new Limit(new LimitSpec.FixedWindow(100, MINUTE), START);
    tokens.share(tokensDemand, START);
    tokens.tally(new Grid(CELL, START, MINUTE), CELL, CELL, 0, START);
    alice.quota.change(
        Charge.TOTAL,
        List.of(
            new Metered(Measure.REQUESTS, limit, Reason.KEY_RPM),
            new Metered(Measure.TOKENS, tokens, Reason.KEY_TPM)));
    Pending pending = alice.submit(endpoint, 1);
    granted(1);
    assertThat(waits(pending)).as("it lacks tokens").isTrue();

    demand.wake();
    assertThat(house.drivers.driver(0).isIdle()).isTrue();

    Grid.Span span = new Grid.Span(START, START + 2 * SECOND);
    Supplied supplied = new Supplied(100, Long.MAX_VALUE, START, 0);
    tokens.granted(List.of(new Tally.Counted(CELL, 100)), supplied, any -> span);
    tokensDemand.wake();
    house.drivers.run();
    assertThat(went(pending)).isTrue();
    tokensDemand.wake();
    assertThat(house.drivers.driver(0).isIdle()).as("it waits for nothing").isTrue();
    assertBalanced(endpoint);
  }
}
