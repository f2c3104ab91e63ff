package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the routes of requests in shadow mode, also for further attempts. */
class ShadowRouteTest {
  private static final UpstreamSpec U = upstream("u", 0, 0);
  private static final UpstreamSpec V = upstream("v", 0, 0);
  private static final Refusal UNREACHABLE = Refusal.of(Reason.UPSTREAM_UNREACHABLE, "it is gone");

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static String goesTo(Pending pending) {
    return Objects.requireNonNull(settlement(pending).upstream()).spec().id();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(house.upstreams.find(id));
  }

  private long now() {
    return house.ticker.nanos();
  }

  private Pending again(Pending pending, Failure failure, boolean elsewhere) {
    Pending next = Objects.requireNonNull(settlement(pending).again(failure, elsewhere, now()));
    assertThat(went(next)).isTrue();
    return next;
  }

  private void pause(String id, long nanos) {
    Lesson lesson = new Lesson(429, List.of(), nanos, Lesson.Wording.RATE);
    upstreamOf(id).judge(new Tries(null, 1, 0, true), lesson, now());
  }

  private static List<String> twenty(Endpoint endpoint) {
    return IntStream.range(0, 20).mapToObj(each -> goesTo(submit(endpoint, 1))).toList();
  }

  /** Returns an upstream with a limit of requests a day. */
  private static UpstreamSpec daily(String id, long rpd) {
    UpstreamSpec spec = upstream(id, 0, 0);
    UpstreamSpec.Budget budget = spec.budget();
    return new UpstreamSpec(
        id,
        spec.url(),
        spec.access(),
        spec.models(),
        1,
        new UpstreamSpec.Budget(
            new UpstreamSpec.Limits(0, 0, 0, 0, rpd, 0),
            List.of(),
            budget.day(),
            budget.charge(),
            false,
            0,
            budget.burstSeconds()),
        spec.link(),
        true);
  }

  @Test
  void unhealthyUpstream_getsNothing_thoughItIsUsedLeast() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, upstream("v", 0, 100)));
    upstreamOf("u").health().tryFrom(START + 60 * SECOND, 60 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void pausedUpstream_getsNothingUntilThePauseEnds() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, upstream("v", 0, 100)));
    pause("u", 5 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
    house.at(5 * SECOND);
    assertThat(twenty(endpoint)).containsOnly("u");
  }

  @Test
  void upstreamThatIsOutForItsDay_getsNothing() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(daily("u", 1), upstream("v", 0, 1)));
    assertThat(goesTo(submit(endpoint, 1))).isIn("u", "v");

    // Both are used up by now: v for a minute, u for its day.
    submit(endpoint, 1);
    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void noUpstreamIsHealthy_goesToTheOneThatIsTriedFirst() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, V));
    upstreamOf("u").health().tryFrom(START + 60 * SECOND, 60 * SECOND);
    upstreamOf("v").health().tryFrom(START + 20 * SECOND, 60 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void allHealthyUpstreamsArePaused_goesThereRatherThanToOneThatIsUnhealthy() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, V));
    upstreamOf("u").health().tryFrom(START + 60 * SECOND, 60 * SECOND);
    pause("v", 5 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void trialThatIsDue_isOneRequests() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, upstream("v", 0, 1_000)));
    submit(endpoint, 1);
    upstreamOf("u").health().tryFrom(START, 60 * SECOND);
    upstreamOf("v").pool(null, now()).take(Cost.ofInput(10), now(), new ArrayList<>());

    List<String> taken = twenty(endpoint);
    assertThat(taken.getFirst()).isEqualTo("u");
    assertThat(taken.subList(1, 20)).containsOnly("v");
  }

  @Test
  void shadowsThatWait_leaveTheTrialToARequest() {
    Endpoint endpoint = house.openShadow(House.strict("/a", 1, 10).to(U, upstream("v", 0, 1_000)));
    upstreamOf("u").health().tryFrom(START + 5 * SECOND, 60 * SECOND);
    for (int each = 0; each < 3; each++) {
      assertThat(goesTo(submit(endpoint, 1))).isEqualTo("v");
    }
    house.at(20 * SECOND);
    assertThat(house.recorded.of(Event.Shadowed.class)).hasSize(3);

    assertThat(goesTo(submit(endpoint, 1))).isEqualTo("u");
    assertThat(goesTo(submit(endpoint, 1))).isEqualTo("v");
  }

  @Test
  void failedAttempt_goesElsewhereAtOnce_andEverythingIsCountedOnce() {
    Callers.Caller alice =
        new Callers()
            .rejecting("alice")
            .limit(Measure.TOKENS, 1_000, Reason.KEY_TPM)
            .limit(Measure.CONCURRENCY, 10, Reason.KEY_CONCURRENCY);
    Endpoint endpoint =
        house.openShadow(House.tokens("/a", 100, 60).to(U, upstream("v", 0, 1_000)));
    upstreamOf("v").pool(null, now()).take(Cost.ofInput(1), now(), new ArrayList<>());
    Pending first = alice.submit(endpoint, new Cost(40, 60, 0));
    assertThat(goesTo(first)).isEqualTo("u");

    Pending second = again(first, Failure.UNSENT, true);
    assertThat(goesTo(second)).isEqualTo("v");
    assertThat(endpoint.totals().requests(Fate.RUNNING)).isEqualTo(1);
    assertThat(endpoint.totals().requests(Fate.WAITING)).isZero();
    settlement(first).served(new Usage(999, 0, 0), 0, now());
    assertThat(settlement(first).again(Failure.UNSENT, true, now())).isNull();
    settlement(second).served(new Usage(40, 0, 10), 10, now());

    assertThat(endpoint.totals().requests(Fate.OFFERED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(Fate.SERVED)).isEqualTo(1);
    assertThat(endpoint.utilization()).as("what its shadow took, settled").isEqualTo(0.5);
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(50);
    assertThat(alice.held(Measure.CONCURRENCY, house)).isZero();
    assertThat(alice.empty()).isTrue();
    assertThat(house.recorded.of(Event.Released.class)).hasSize(2);
    assertThat(house.recorded.of(Event.Returned.class)).hasSize(1);
    assertThat(house.recorded.of(Event.Settled.class)).hasSize(1);
    assertThat(house.recorded.of(Event.Shadowed.class)).hasSize(1);
  }

  @Test
  void clientGoneAfterItWentAgain_takesItsShadowWithIt() {
    Callers.Caller alice = new Callers().rejecting("alice");
    Endpoint endpoint = house.openShadow(House.strict("/a", 1, 10).to(U, V));
    settlement(alice.submit(endpoint, 1)).served(null, 0, now());
    Pending second = again(alice.submit(endpoint, 1), Failure.BROKEN, true);

    endpoint.cancel(second);
    house.at(30 * SECOND);

    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
    assertThat(house.recorded.of(Event.Shadowed.class)).hasSize(1);
    assertThat(alice.empty()).isTrue();
  }

  @Test
  void failedAttempt_whereNoOtherIsOpen_goesToTheSame() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, V));
    upstreamOf("v").health().tryFrom(START + 60 * SECOND, 60 * SECOND);

    assertThat(goesTo(again(submit(endpoint, 1), Failure.BROKEN, true))).isEqualTo("u");
  }

  @Test
  void rejectedAttempt_goesToOneThatIsNotPaused() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, V));
    Pending first = submit(endpoint, 1);
    String other = goesTo(first).equals("u") ? "v" : "u";
    pause(goesTo(first), 5 * SECOND);

    assertThat(goesTo(again(first, Failure.REJECTED, false))).isEqualTo(other);
  }

  @Test
  void nothingIsOpen_itDoesNotGoAgain_andEndsAsItIs() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U));
    Pending first = submit(endpoint, 1);
    pause("u", 5 * SECOND);

    assertThat(settlement(first).again(Failure.REJECTED, false, now())).isNull();
    settlement(first).failed(UNREACHABLE, 0, now());
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
  }

  @Test
  void gatewayThatStops_letsNothingGoAgain() {
    Endpoint endpoint = house.openShadow(House.none("/a").to(U, V));
    Pending first = submit(endpoint, 1);
    endpoint.refuseAll(Refusal.of(Reason.SHUTTING_DOWN, "stopping"));

    assertThat(settlement(first).again(Failure.UNSENT, true, now())).isNull();
    settlement(first).refused(UNREACHABLE, now());
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
  }
}
