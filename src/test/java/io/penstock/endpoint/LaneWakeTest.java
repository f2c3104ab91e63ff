package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Binding.What;
import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.LimitId.Kind;
import io.penstock.quota.Line;
import io.penstock.quota.ModelLimits;
import io.penstock.refusal.Reason;
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

  private final House house = new House();

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(house.upstreams.find(id));
  }

  private static Pending ask(Endpoint endpoint, String model) {
    return ask(endpoint, model, new Patience(100 * SECOND, Long.MAX_VALUE));
  }

  private static Pending ask(Endpoint endpoint, String model, Patience patience) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(1), 0, patience));
  }

  private Binding held(Pending pending) {
    AtomicReference<Optional<Known>> told = new AtomicReference<>();
    house.registry.tickets().find(String.valueOf(pending.order()), told::set);
    Explanation explanation = ((Past) told.get().orElseThrow()).explanation();
    return Objects.requireNonNull(explanation.binds());
  }

  @Test
  void claimTakenOverByAnotherEndpoint_nobodyPassesByTheOtherWay() {
    UpstreamSpec v = upstream("v", 0, 100);
    house.apply(none("/a").maxSkips(0).to(U, v), none("/b").maxSkips(0).to(U, v));
    Endpoint waits = house.endpoint("/a");
    submit(waits, 100);
    submit(waits, 30);
    Pending claims = submit(waits, 80);
    Pending passes = submit(house.endpoint("/b"), 60);
    Pending back = settlement(passes).again(Failure.BROKEN, false, START);
    house.drivers.run();
    assertThat(waits(Objects.requireNonNull(back))).isTrue();
    Pending last = submit(waits, 5);
    house.drivers.run();
    assertThat(waits(last)).isTrue();
    assertThat(waits(claims)).isTrue();
  }

  @Test
  void estimate_countsOnlyThoseOfTheSameModel() {
    house.models.configure(
        List.of(),
        Map.of("m", new ModelLimits(1, 0, 0), "n", new ModelLimits(1, 0, 0)),
        house.ticker.nanos());
    Endpoint endpoint = house.open(none("/a").to(upstream("u", 0, 0)));
    for (int each = 0; each < 5; each++) {
      ask(endpoint, "n", Patience.DEFAULT);
    }
    assertThat(went(ask(endpoint, "m"))).isTrue();
    assertThat(waits(ask(endpoint, "m"))).isTrue();
  }

  @Test
  void somethingIsGivenBack_theOldestOfManyEndpointsGoes() {
    World world = new World();
    UpstreamSpec shared = World.upstream("u", 100, 60);
    List<EndpointSpec> specs = new ArrayList<>();
    for (int each = 0; each < 8; each++) {
      specs.add(World.endpoint("/" + each, 64, shared));
    }
    world.registry.apply(specs);
    Pending runs = submit(at(world, 0), 100);
    List<Pending> all = new ArrayList<>();
    for (int each = 7; each >= 0; each--) {
      all.add(submit(at(world, each), 100));
    }
    for (Pending next : all) {
      settlement(runs).served(new Usage(0, 0, 0), 0, world.now());
      world.run();
      assertThat(next.state()).isEqualTo(State.GRANTED);
      runs = next;
    }
  }

  private static Endpoint at(World world, int number) {
    return Objects.requireNonNull(world.registry.find("/" + number));
  }

  @Test
  void heldAfterAPauseToo_isRememberedWithWhatHeldItLast() {
    Endpoint endpoint = house.open(strict("/a", 1, 10));
    submit(endpoint, 1);
    endpoint.pause(true);
    house.drivers.run();
    Pending waits = submit(endpoint, 1);
    house.at(SECOND);
    endpoint.pause(false);
    house.drivers.run();
    house.at(10 * SECOND);
    assertThat(went(waits)).isTrue();
    assertThat(held(waits).what()).isEqualTo(What.LIMIT);
  }

  /**
   * Returns what was last recorded to block a ticket: its endpoint's limit, until that is removed,
   * and an upstream after that.
   */
  private Kind heldLast(long endpointUntilNanos) {
    UpstreamSpec u = upstream("u", 1, 0);
    Endpoint endpoint = house.open(strict("/a", 1, 100).to(u));
    submit(endpoint, 1);
    Pending waits = submit(endpoint, 1);
    house.at(endpointUntilNanos);
    endpoint.reconfigure(none("/a").to(u).spec());
    house.at(61 * SECOND);
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
    Callers.Caller alice =
        new Callers().waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    house.apply(none("/here").maxSkips(0).to(U), none("/there").to(upstream("v", 0, 0)));
    Endpoint here = house.endpoint("/here");
    submit(here, 50);
    Pending large = alice.submit(here, 60);
    Pending behind = submit(here, 10);
    assertThat(waits(behind)).isTrue();
    assertThat(went(alice.submit(house.endpoint("/there"), 1))).isTrue();
    house.drivers.run();
    assertThat(went(behind)).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void keepsNothing_isNotWokenByItsKeysGoingElsewhere() {
    Callers.Caller alice =
        new Callers().waiting("alice").limit(Measure.REQUESTS, 9, Reason.KEY_RPM);
    house.apply(none("/here").to(U), none("/there").to(upstream("v", 0, 0)));
    submit(house.endpoint("/here"), 50);
    Pending large = alice.submit(house.endpoint("/here"), 60);
    house.drivers.run();
    assertThat(went(alice.submit(house.endpoint("/there"), 1))).isTrue();
    assertThat(house.drivers.driver(0).isIdle()).isTrue();
    assertThat(house.drivers.driver(1).isIdle()).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void heldByItsKey_andOneCameThatTheUpstreamHolds_itIsWokenByThat() {
    Callers.Caller alice = new Callers().waiting("alice").limit(Measure.TOKENS, 10, Reason.KEY_TPM);
    house.apply(none("/a").to(U), none("/b").to(U));
    alice.submit(house.endpoint("/a"), 5);
    Pending runs = submit(house.endpoint("/b"), 95);
    Pending large = alice.submit(house.endpoint("/a"), 10);
    Pending small = alice.submit(house.endpoint("/a"), 5);
    assertThat(List.of(large, small)).allMatch(House::waits);
    settlement(runs).served(new Usage(50, 0, 0), 0, START);
    house.drivers.run();
    assertThat(went(small)).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void looksAgainWhileItsUpstreamIsPaused_isLookedAtWhenThereIsRoomForTheOneItIsKeptFor() {
    Endpoint endpoint = house.open(none("/a").maxSkips(0).to(U));
    submit(endpoint, 50);
    house.at(20 * SECOND);
    submit(endpoint, 40);
    Pending claims = submit(endpoint, 60);
    assertThat(waits(submit(endpoint, 5))).isTrue();
    submit(endpoint, 90);
    Lesson lesson = new Lesson(429, List.of(), 5 * SECOND, Lesson.Wording.RATE);
    upstreamOf("u").judge(new Tries(null, 1, 0, true), lesson, house.ticker.nanos());
    house.at(61 * SECOND);
    assertThat(went(claims)).isTrue();
  }

  @Test
  void claimIsMadeTooLate_whileItsEndpointIsPaused_isVoid() {
    Endpoint endpoint = house.open(none("/a").to(U));
    submit(endpoint, 50);
    Pending large = submit(endpoint, 60);
    Lane lane = Objects.requireNonNull(large.lane);
    Line line = upstreamOf("u").pool(null, START).line();
    line.claim(lane, large);
    assertThat(line.kept()).isTrue();
    endpoint.pause(true);
    house.drivers.run();
    line.claim(lane, large);
    assertThat(line.kept()).isFalse();
  }

  @Test
  void nobodyWaitsInItAnyMore_comesBeforeNobody() {
    Endpoint endpoint = house.open(none("/a").to(U));
    submit(endpoint, 50);
    Pending leaves = submit(endpoint, 60);
    Lane lane = Objects.requireNonNull(leaves.lane);
    Pending later = submit(endpoint, 70);
    assertThat(lane.precedes(later)).isTrue();
    endpoint.cancel(leaves);
    endpoint.cancel(later);
    house.drivers.run();
    assertThat(lane.precedes(submit(endpoint, 1))).isFalse();
  }
}
