package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.limit.Abroad;
import io.penstock.limit.Demand;
import io.penstock.limit.Grid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Regional;
import io.penstock.limit.Supplied;
import io.penstock.limit.Tally;
import io.penstock.quota.Account;
import io.penstock.quota.Metered;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of what a new request takes of its caller's limits, and what other regions hear of it. */
class PendingTest {
  private static final long WINDOW = 600 * SECOND;
  private static final long CELL = 7;

  private final House house = new House();
  private final Callers callers = new Callers();
  private final List<Long> denials = new ArrayList<>();
  private Runnable charging = () -> {};

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static Limit window(long capacity) {
    return new Limit(new LimitSpec.FixedWindow(capacity, WINDOW), START);
  }

  private static void limit(Callers.Caller caller, Limit limit, Reason reason) {
    caller.quota.change(Charge.TOTAL, List.of(new Metered(Measure.REQUESTS, limit, reason)));
  }

  /** Returns a key with waiting requests, and with one limit that all regions share. */
  private Callers.Caller ofAllRegions() {
    Limit limit = window(1);
    Abroad abroad =
        Abroad.of(
            limit.spec(),
            Regional.cellNanos(limit.spec()),
            0,
            List.of(),
            (cell, capacity) -> denials.add(capacity));
    Regional.bind(limit, abroad, START);
    Callers.Caller caller = callers.waiting("alice");
    limit(caller, limit, Reason.KEY_RPM);
    return caller;
  }

  @Test
  void whoWaitsForALimitOfAllRegions_othersAreTold_andNotOfTheOneThatTookTheLast() {
    Endpoint endpoint = house.open(none("/a"));
    Callers.Caller alice = ofAllRegions();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(denials).isEmpty();
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    assertThat(denials).containsExactly(1L);
  }

  @Test
  void shadowThatWaitsForALimitOfAllRegions_isNothingToOthers() {
    Endpoint endpoint = house.openShadow(none("/a"));
    Callers.Caller alice = ofAllRegions();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(denials).isEmpty();
  }

  /** Brings a slice of one request to a limit that had none, and wakes those that wait for it. */
  private static void granted(Limit limit, Demand demand) {
    Grid.Span span = new Grid.Span(START, START + 2 * SECOND);
    Supplied supplied = new Supplied(10, Long.MAX_VALUE, START, 0);
    limit.granted(List.of(new Tally.Counted(CELL, 1)), supplied, any -> span);
    demand.wake();
  }

  @Test
  void clientGoneWhileItIsCharged_allIsReturned_andWhoWaitsForItLooksAgain() {
    house.apply(none("/a"), none("/b"));
    Demand demand = new Demand(() -> {});
    Limit ofKey = window(10);
    ofKey.share(demand, START);
    ofKey.tally(new Grid(CELL, START, WINDOW), CELL, CELL, 0, START);
    Limit ofGroup = window(10);
    Callers.Caller key = callers.rejecting("bob");
    limit(key, ofKey, Reason.KEY_RPM);
    Callers.Caller group = callers.group("team");
    limit(group, ofGroup, Reason.GROUP_RPM);
    Callers.Caller alice = callers.waiting("alice").in(group);
    Account bob =
        new Account(
            "bob",
            false,
            (model, now) -> {
              charging.run();
              return List.of(key.quota, group.quota);
            });
    ofGroup.charge(10, 0, START);
    Pending waiting = alice.submit(house.endpoint("/b"), 1);
    ofGroup.resize(new LimitSpec.FixedWindow(12, WINDOW), START); // as if it had looked too soon
    Endpoint endpoint = house.endpoint("/a");
    Pending gone = endpoint.submit(of(bob));
    assertThat(waits(gone) && waits(waiting)).isTrue();

    charging = () -> endpoint.cancel(gone);
    granted(ofKey, demand);
    house.drivers.run();

    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
    assertThat(ofKey.balance(START).charged()).isZero();
    assertThat(went(waiting)).isTrue();
    assertThat(ofGroup.balance(START).charged()).as("10, and the one that waited").isEqualTo(11);
  }

  private static Ask of(Account account) {
    return new Ask(
        null,
        Cost.ofInput(1),
        0,
        Patience.DEFAULT,
        0,
        Ask.Flow.ANONYMOUS,
        Ask.Kept.NOWHERE,
        account,
        null);
  }

  @Test
  void undecidedForItsKey_isOnTheRollOfThoseThatWait_andItsShadowWouldNotBe() {
    Demand demand = new Demand(() -> {});
    Limit ofKey = window(10);
    ofKey.share(demand, START);
    ofKey.tally(new Grid(CELL, START, WINDOW), CELL, CELL, 0, START);
    Callers.Caller bob = callers.rejecting("bob");
    limit(bob, ofKey, Reason.KEY_RPM);

    Pending pending = bob.submit(house.open(none("/a")), 1);
    assertThat(waits(pending)).isTrue();
    assertThat(house.roll.find(pending.order())).isSameAs(pending);
    granted(ofKey, demand);
    house.drivers.run();
    assertThat(went(pending)).isTrue();
    assertThat(house.roll.size()).isZero();

    assertThat(went(bob.submit(house.openShadow(none("/a")), 1))).isTrue();
    assertThat(house.roll.size()).isZero();
  }

  @Test
  void whoIsToWaitAsLongAsThereIsTime_waits() {
    Endpoint endpoint = house.open(strict("/a", 1, 60));
    submit(endpoint, 1);
    Patience endless = new Patience(Patience.UNSAID, Long.MAX_VALUE);
    Pending waiting = endpoint.submit(Ask.of(null, Cost.ofInput(1), 0, endless));
    assertThat(waiting.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    house.at(60 * SECOND);
    assertThat(went(waiting)).isTrue();
  }
}
