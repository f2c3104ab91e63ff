package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointWorld;
import io.penstock.endpoint.FakeCallers;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.explain.PastTicket;
import io.penstock.explain.TicketRecord;
import io.penstock.explain.WaitExplanation;
import io.penstock.model.ModelLimits;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.WaitList;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests of when lanes are looked at again, what their tickets claim, and what blocked them. */
class LaneWakeTest {
  private static final UpstreamSpec U = upstream("u", 0, 100);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  private static ParkedTicket ask(Endpoint endpoint, String model) {
    return ask(endpoint, model, new WaitPatience(100 * SECOND, Long.MAX_VALUE));
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, WaitPatience patience) {
    return endpoint.submit(RequestFixture.of(model, Cost.ofInput(1)).patience(patience).made());
  }

  private BindingLimit held(ParkedTicket parkedTicket) {
    AtomicReference<Optional<TicketRecord>> told = new AtomicReference<>();
    endpointFixture.registry.tickets().find(String.valueOf(parkedTicket.order()), told::set);
    WaitExplanation waitExplanation = ((PastTicket) told.get().orElseThrow()).explanation();
    return Objects.requireNonNull(waitExplanation.binding());
  }

  @Test
  void claimTakenOverByAnotherEndpoint_nobodyPassesByTheOtherWay() {
    UpstreamSpec v = upstream("v", 0, 100);
    endpointFixture.apply(none("/a").maxSkips(0).to(U, v), none("/b").maxSkips(0).to(U, v));
    Endpoint waits = endpointFixture.endpoint("/a");
    submit(waits, 100);
    submit(waits, 30);
    ParkedTicket claims = submit(waits, 80);
    ParkedTicket passes = submit(endpointFixture.endpoint("/b"), 60);
    ParkedTicket back = settlement(passes).retry(AttemptFailure.BROKEN, false, START);
    endpointFixture.drivers.run();
    assertThat(waits(Objects.requireNonNull(back))).isTrue();
    ParkedTicket last = submit(waits, 5);
    endpointFixture.drivers.run();
    assertThat(waits(last)).isTrue();
    assertThat(waits(claims)).isTrue();
  }

  @Test
  void estimate_countsOnlyThoseOfTheSameModel() {
    endpointFixture.models.configure(
        List.of(),
        Map.of("m", new ModelLimits(1, 0, 0), "n", new ModelLimits(1, 0, 0)),
        endpointFixture.ticker.nanos());
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstream("u", 0, 0)));
    for (int each = 0; each < 5; each++) {
      ask(endpoint, "n", WaitPatience.DEFAULT);
    }
    assertThat(went(ask(endpoint, "m"))).isTrue();
    assertThat(waits(ask(endpoint, "m"))).isTrue();
  }

  @Test
  void somethingIsGivenBack_theOldestOfManyEndpointsGoes() {
    EndpointWorld world = new EndpointWorld();
    UpstreamSpec shared = EndpointWorld.upstream("u", 100, 60);
    List<EndpointSpec> specs = new ArrayList<>();
    for (int each = 0; each < 8; each++) {
      specs.add(EndpointWorld.endpoint("/" + each, 64, shared));
    }
    world.registry.apply(specs);
    ParkedTicket runs = submit(at(world, 0), 100);
    List<ParkedTicket> all = new ArrayList<>();
    for (int each = 7; each >= 0; each--) {
      all.add(submit(at(world, each), 100));
    }
    for (ParkedTicket next : all) {
      settlement(runs).served(new TokenUsage(0, 0, 0), 0, world.now());
      world.run();
      assertThat(next.state()).isEqualTo(State.GRANTED);
      runs = next;
    }
  }

  private static Endpoint at(EndpointWorld world, int number) {
    return Objects.requireNonNull(world.registry.find("/" + number));
  }

  @Test
  void heldAfterAPauseToo_isRememberedWithWhatHeldItLast() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 10));
    submit(endpoint, 1);
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ParkedTicket waits = submit(endpoint, 1);
    endpointFixture.at(SECOND);
    endpoint.pause(false);
    endpointFixture.drivers.run();
    endpointFixture.at(10 * SECOND);
    assertThat(went(waits)).isTrue();
    assertThat(held(waits).cause()).isEqualTo(Cause.LIMIT);
  }

  /**
   * Returns what was last recorded to block a ticket: its endpoint's limit, until that is removed,
   * and an upstream after that.
   */
  private Kind heldLast(long endpointUntilNanos) {
    UpstreamSpec u = upstream("u", 1, 0);
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 100).to(u));
    submit(endpoint, 1);
    ParkedTicket waits = submit(endpoint, 1);
    endpointFixture.at(endpointUntilNanos);
    endpoint.reconfigure(none("/a").to(u).spec());
    endpointFixture.at(61 * SECOND);
    assertThat(went(waits)).isTrue();
    return Objects.requireNonNull(held(waits).kind());
  }

  @Test
  void heldBySomethingElseASecondLater_isRememberedWithThat() {
    assertThat(heldLast(SECOND)).isEqualTo(Kind.UPSTREAM);
  }

  @Test
  void heldBySomethingElseWithinASecond_isNotLookedAtSoSoon() {
    assertThat(heldLast(SECOND - 1)).isEqualTo(Kind.ENDPOINT);
  }

  @Test
  void claimsAnother_thenIsHeldByItsKey_whoWaitsBehindItGoesAtOnce() {
    FakeCallers.Caller alice =
        new FakeCallers().waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    endpointFixture.apply(none("/here").maxSkips(0).to(U), none("/there").to(upstream("v", 0, 0)));
    Endpoint here = endpointFixture.endpoint("/here");
    submit(here, 50);
    ParkedTicket large = alice.submit(here, 60);
    ParkedTicket behind = submit(here, 10);
    assertThat(waits(behind)).isTrue();
    assertThat(went(alice.submit(endpointFixture.endpoint("/there"), 1))).isTrue();
    endpointFixture.drivers.run();
    assertThat(went(behind)).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void keepsNothing_isNotWokenByItsKeysGoingElsewhere() {
    FakeCallers.Caller alice =
        new FakeCallers().waiting("alice").limit(LimitMeasure.REQUESTS, 9, RefusalReason.KEY_RPM);
    endpointFixture.apply(none("/here").to(U), none("/there").to(upstream("v", 0, 0)));
    submit(endpointFixture.endpoint("/here"), 50);
    ParkedTicket large = alice.submit(endpointFixture.endpoint("/here"), 60);
    endpointFixture.drivers.run();
    assertThat(went(alice.submit(endpointFixture.endpoint("/there"), 1))).isTrue();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).isTrue();
    assertThat(endpointFixture.drivers.driver(1).isIdle()).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void heldByItsKey_andOneCameThatTheUpstreamHolds_itIsWokenByThat() {
    FakeCallers.Caller alice =
        new FakeCallers().waiting("alice").limit(LimitMeasure.TOKENS, 10, RefusalReason.KEY_TPM);
    endpointFixture.apply(none("/a").to(U), none("/b").to(U));
    alice.submit(endpointFixture.endpoint("/a"), 5);
    ParkedTicket runs = submit(endpointFixture.endpoint("/b"), 95);
    ParkedTicket large = alice.submit(endpointFixture.endpoint("/a"), 10);
    ParkedTicket small = alice.submit(endpointFixture.endpoint("/a"), 5);
    assertThat(List.of(large, small)).allMatch(EndpointFixture::waits);
    settlement(runs).served(new TokenUsage(50, 0, 0), 0, START);
    endpointFixture.drivers.run();
    assertThat(went(small)).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void looksAgainWhileItsUpstreamIsPaused_isLookedAtWhenThereIsRoomForTheOneItIsKeptFor() {
    Endpoint endpoint = endpointFixture.open(none("/a").maxSkips(0).to(U));
    submit(endpoint, 50);
    endpointFixture.at(20 * SECOND);
    submit(endpoint, 40);
    ParkedTicket claims = submit(endpoint, 60);
    assertThat(waits(submit(endpoint, 5))).isTrue();
    submit(endpoint, 90);
    ProviderLesson lesson =
        new ProviderLesson(429, List.of(), 5 * SECOND, ProviderLesson.ErrorCause.RATE);
    upstreamOf("u")
        .judge(UpstreamFixture.attempt(null, 1, 0), lesson, endpointFixture.ticker.nanos());
    endpointFixture.at(61 * SECOND);
    assertThat(went(claims)).isTrue();
  }

  @Test
  void claimIsMadeTooLate_whileItsEndpointIsPaused_isVoid() {
    Endpoint endpoint = endpointFixture.open(none("/a").to(U));
    submit(endpoint, 50);
    ParkedTicket large = submit(endpoint, 60);
    Lane lane = (Lane) Objects.requireNonNull(large.lane());
    WaitList waitList = upstreamOf("u").pool(null, START).waitList();
    waitList.claim(lane, large);
    assertThat(waitList.isClaimed()).isTrue();
    endpoint.pause(true);
    endpointFixture.drivers.run();
    waitList.claim(lane, large);
    assertThat(waitList.isClaimed()).isFalse();
  }

  @Test
  void nobodyWaitsInItAnyMore_comesBeforeNobody() {
    Endpoint endpoint = endpointFixture.open(none("/a").to(U));
    submit(endpoint, 50);
    ParkedTicket leaves = submit(endpoint, 60);
    Lane lane = (Lane) Objects.requireNonNull(leaves.lane());
    ParkedTicket later = submit(endpoint, 70);
    assertThat(lane.precedes(later)).isTrue();
    leaves.cancel();
    later.cancel();
    endpointFixture.drivers.run();
    assertThat(lane.precedes(submit(endpoint, 1))).isFalse();
  }
}
