package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.endpoint.TicketDirectory;
import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.RegionCells;
import io.penstock.limit.RegionCounts;
import io.penstock.limit.ShareDemand;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.MeteredLimit;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of what a new request takes of its caller's limits, and what other regions hear of it. */
class ParkedTicketTest {
  private static final long WINDOW = 600 * SECOND;

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();
  private final List<Long> denials = new ArrayList<>();
  private Runnable charging = () -> {};

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static Limit window(long capacity) {
    return new Limit(new LimitSpec.FixedWindow(capacity, WINDOW), START);
  }

  private static void limit(FakeCallers.Caller caller, Limit limit, RefusalReason reason) {
    caller.quota.change(
        ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.REQUESTS, limit, reason)));
  }

  /** Returns a key with waiting requests, and with one limit that all regions share. */
  private FakeCallers.Caller ofAllRegions() {
    Limit limit = window(1);
    RegionCounts regionCounts =
        RegionCounts.of(
            limit.spec(),
            RegionCells.cellNanos(limit.spec()),
            0,
            List.of(),
            (cell, capacity) -> denials.add(capacity));
    limit.sharing().bindRegions(regionCounts, START);
    FakeCallers.Caller caller = callers.waiting("alice");
    limit(caller, limit, RefusalReason.KEY_RPM);
    return caller;
  }

  @Test
  void whoWaitsForALimitOfAllRegions_othersAreTold_andNotOfTheOneThatTookTheLast() {
    Endpoint endpoint = endpointFixture.open(none("/a"));
    FakeCallers.Caller alice = ofAllRegions();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(denials).isEmpty();
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    assertThat(denials).containsExactly(1L);
  }

  @Test
  void shadowThatWaitsForALimitOfAllRegions_isNothingToOthers() {
    Endpoint endpoint = endpointFixture.openShadow(none("/a"));
    FakeCallers.Caller alice = ofAllRegions();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(denials).isEmpty();
  }

  /** Gives a share of one request to a limit that had none, and wakes those that wait for it. */
  private static void given(Limit limit, ShareDemand demand) {
    HeldShares.give(limit, 1, START);
    demand.wake();
  }

  @Test
  void clientGoneWhileItIsCharged_allIsReturned_andWhoWaitsForItLooksAgain() {
    endpointFixture.apply(none("/a"), none("/b"));
    Limit ofKey = window(10);
    ShareDemand demand = HeldShares.none(ofKey, () -> {}, START);
    Limit ofGroup = window(10);
    FakeCallers.Caller key = callers.rejecting("bob");
    limit(key, ofKey, RefusalReason.KEY_RPM);
    FakeCallers.Caller group = callers.group("team");
    limit(group, ofGroup, RefusalReason.GROUP_RPM);
    FakeCallers.Caller alice = callers.waiting("alice").in(group);
    CallerAccount bob =
        new CallerAccount(
            "bob",
            false,
            (model, now) -> {
              charging.run();
              return List.of(key.quota, group.quota);
            });
    ofGroup.charge(10, 0, START);
    ParkedTicket waiting = alice.submit(endpointFixture.endpoint("/b"), 1);
    ofGroup.resize(new LimitSpec.FixedWindow(12, WINDOW), START); // as if it had looked too soon
    Endpoint endpoint = endpointFixture.endpoint("/a");
    ParkedTicket released = endpoint.submit(of(bob));
    assertThat(waits(released) && waits(waiting)).isTrue();

    charging = () -> released.cancel();
    given(ofKey, demand);
    endpointFixture.drivers.run();

    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
    assertThat(ofKey.balance(START).charged()).isZero();
    assertThat(went(waiting)).isTrue();
    assertThat(ofGroup.balance(START).charged()).as("10, and the one that waited").isEqualTo(11);
  }

  private static TicketRequest of(CallerAccount account) {
    return RequestFixture.of(null, Cost.ofInput(1)).account(account).made();
  }

  @Test
  void undecidedForItsKey_isOnTheRollOfThoseThatWait_andItsShadowWouldNotBe() {
    Limit ofKey = window(10);
    ShareDemand demand = HeldShares.none(ofKey, () -> {}, START);
    FakeCallers.Caller bob = callers.rejecting("bob");
    limit(bob, ofKey, RefusalReason.KEY_RPM);

    ParkedTicket parkedTicket = bob.submit(endpointFixture.open(none("/a")), 1);
    assertThat(waits(parkedTicket)).isTrue();
    assertThat(endpointFixture.roll.find(parkedTicket.order()))
        .extracting(TicketDirectory.Waiting::ticket)
        .isSameAs(parkedTicket);
    given(ofKey, demand);
    endpointFixture.drivers.run();
    assertThat(went(parkedTicket)).isTrue();
    assertThat(endpointFixture.roll.size()).isZero();

    assertThat(went(bob.submit(endpointFixture.openShadow(none("/a")), 1))).isTrue();
    assertThat(endpointFixture.roll.size()).isZero();
  }

  @Test
  void whoIsToWaitAsLongAsThereIsTime_waits() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 60));
    submit(endpoint, 1);
    WaitPatience endless = new WaitPatience(WaitPatience.UNSTATED, Long.MAX_VALUE);
    ParkedTicket waiting =
        endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).patience(endless).made());
    assertThat(waiting.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
    endpointFixture.at(60 * SECOND);
    assertThat(went(waiting)).isTrue();
  }
}
