package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.event.Event;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the routes of requests in shadow mode, also for further attempts. */
class ShadowTicketRouteTest {
  private static final UpstreamSpec U = upstream("u", 0, 0);
  private static final UpstreamSpec V = upstream("v", 0, 0);
  private static final Refusal UNREACHABLE =
      Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "it is gone");

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static String goesTo(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(settlement(parkedTicket).upstream()).spec().id();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  private long now() {
    return endpointFixture.ticker.nanos();
  }

  private ParkedTicket again(
      ParkedTicket parkedTicket, AttemptFailure failure, boolean toOtherUpstream) {
    ParkedTicket next =
        Objects.requireNonNull(settlement(parkedTicket).retry(failure, toOtherUpstream, now()));
    assertThat(went(next)).isTrue();
    return next;
  }

  private void pause(String id, long nanos) {
    ProviderLesson lesson =
        new ProviderLesson(429, List.of(), nanos, ProviderLesson.ErrorCause.RATE);
    upstreamOf(id).judge(UpstreamFixture.attempt(null, 1, 0), lesson, now());
  }

  private static List<String> twenty(Endpoint endpoint) {
    return IntStream.range(0, 20).mapToObj(each -> goesTo(submit(endpoint, 1))).toList();
  }

  /** Returns an upstream with a limit of requests a day. */
  private static UpstreamSpec daily(String id, long rpd) {
    return UpstreamSetup.of(id).limits(new UpstreamSpec.Limits(0, 0, 0, 0, rpd, 0)).spec();
  }

  @Test
  void unhealthyUpstream_getsNothing_thoughItIsUsedLeast() {
    Endpoint endpoint =
        endpointFixture.openShadow(EndpointFixture.none("/a").to(U, upstream("v", 0, 100)));
    upstreamOf("u").health().tryFrom(START + 60 * SECOND, 60 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void pausedUpstream_getsNothingUntilThePauseEnds() {
    Endpoint endpoint =
        endpointFixture.openShadow(EndpointFixture.none("/a").to(U, upstream("v", 0, 100)));
    pause("u", 5 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
    endpointFixture.at(5 * SECOND);
    assertThat(twenty(endpoint)).containsOnly("u");
  }

  @Test
  void upstreamThatIsOutForItsDay_getsNothing() {
    Endpoint endpoint =
        endpointFixture.openShadow(
            EndpointFixture.none("/a").to(daily("u", 1), upstream("v", 0, 1)));
    assertThat(goesTo(submit(endpoint, 1))).isIn("u", "v");

    // Both are used up by now: v for a minute, u for its day.
    submit(endpoint, 1);
    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void noUpstreamIsHealthy_goesToTheOneThatIsTriedFirst() {
    Endpoint endpoint = endpointFixture.openShadow(EndpointFixture.none("/a").to(U, V));
    upstreamOf("u").health().tryFrom(START + 60 * SECOND, 60 * SECOND);
    upstreamOf("v").health().tryFrom(START + 20 * SECOND, 60 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void allHealthyUpstreamsArePaused_goesThereRatherThanToOneThatIsUnhealthy() {
    Endpoint endpoint = endpointFixture.openShadow(EndpointFixture.none("/a").to(U, V));
    upstreamOf("u").health().tryFrom(START + 60 * SECOND, 60 * SECOND);
    pause("v", 5 * SECOND);

    assertThat(twenty(endpoint)).containsOnly("v");
  }

  @Test
  void trialThatIsDue_isOneRequests() {
    Endpoint endpoint =
        endpointFixture.openShadow(EndpointFixture.none("/a").to(U, upstream("v", 0, 1_000)));
    submit(endpoint, 1);
    upstreamOf("u").health().tryFrom(START, 60 * SECOND);
    upstreamOf("v").pool(null, now()).take(Cost.ofInput(10), now(), new ArrayList<>());

    List<String> taken = twenty(endpoint);
    assertThat(taken.getFirst()).isEqualTo("u");
    assertThat(taken.subList(1, 20)).containsOnly("v");
  }

  @Test
  void shadowsThatWait_leaveTheTrialToARequest() {
    Endpoint endpoint =
        endpointFixture.openShadow(
            EndpointFixture.strict("/a", 1, 10).to(U, upstream("v", 0, 1_000)));
    upstreamOf("u").health().tryFrom(START + 5 * SECOND, 60 * SECOND);
    for (int each = 0; each < 3; each++) {
      assertThat(goesTo(submit(endpoint, 1))).isEqualTo("v");
    }
    endpointFixture.at(20 * SECOND);
    assertThat(endpointFixture.recorded.of(Event.Shadowed.class)).hasSize(3);

    assertThat(goesTo(submit(endpoint, 1))).isEqualTo("u");
    assertThat(goesTo(submit(endpoint, 1))).isEqualTo("v");
  }

  @Test
  void requestThatHasEnded_doesNotGoAgain_andLeavesTheTrialToAnother() {
    Endpoint endpoint =
        endpointFixture.openShadow(EndpointFixture.none("/a").to(U, upstream("v", 0, 1_000)));
    upstreamOf("u").health().tryFrom(START + 5 * SECOND, 60 * SECOND);
    ParkedTicket first = submit(endpoint, 1);
    assertThat(goesTo(first)).isEqualTo("v");
    settlement(first).cancelled(CallEnd.answered(null, 0), now());
    endpointFixture.at(5 * SECOND);

    assertThat(settlement(first).retry(AttemptFailure.BROKEN, true, now())).isNull();
    assertThat(goesTo(submit(endpoint, 1))).isEqualTo("u");
    assertThat(endpointFixture.recorded.of(Event.Returned.class)).isEmpty();
  }

  @Test
  void failedAttempt_goesElsewhereAtOnce_andEverythingIsCountedOnce() {
    FakeCallers.Caller alice =
        new FakeCallers()
            .rejecting("alice")
            .limit(LimitMeasure.TOKENS, 1_000, RefusalReason.KEY_TPM)
            .limit(LimitMeasure.CONCURRENCY, 10, RefusalReason.KEY_CONCURRENCY);
    Endpoint endpoint =
        endpointFixture.openShadow(
            EndpointFixture.tokens("/a", 100, 60).to(U, upstream("v", 0, 1_000)));
    upstreamOf("v").pool(null, now()).take(Cost.ofInput(1), now(), new ArrayList<>());
    ParkedTicket first = alice.submit(endpoint, new Cost(40, 60, 0));
    assertThat(goesTo(first)).isEqualTo("u");

    ParkedTicket second = again(first, AttemptFailure.UNSENT, true);
    assertThat(goesTo(second)).isEqualTo("v");
    assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isEqualTo(1);
    assertThat(endpoint.totals().requests(TicketFate.WAITING)).isZero();
    settlement(first).served(new TokenUsage(999, 0, 0), 0, now());
    assertThat(settlement(first).retry(AttemptFailure.UNSENT, true, now())).isNull();
    settlement(second).served(new TokenUsage(40, 0, 10), 10, now());

    assertThat(endpoint.totals().requests(TicketFate.OFFERED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(TicketFate.SERVED)).isEqualTo(1);
    assertThat(endpoint.utilization()).as("what its shadow took, settled").isEqualTo(0.5);
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(50);
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isZero();
    assertThat(alice.empty()).isTrue();
    assertThat(endpointFixture.recorded.of(Event.Released.class)).hasSize(2);
    assertThat(endpointFixture.recorded.of(Event.Returned.class)).hasSize(1);
    assertThat(endpointFixture.recorded.of(Event.Settled.class)).hasSize(1);
    assertThat(endpointFixture.recorded.of(Event.Shadowed.class)).hasSize(1);
  }

  @Test
  void clientGoneAfterItWentAgain_takesItsShadowWithIt() {
    FakeCallers.Caller alice = new FakeCallers().rejecting("alice");
    Endpoint endpoint = endpointFixture.openShadow(EndpointFixture.strict("/a", 1, 10).to(U, V));
    settlement(alice.submit(endpoint, 1)).served(null, 0, now());
    ParkedTicket second = again(alice.submit(endpoint, 1), AttemptFailure.BROKEN, true);

    second.cancel();
    endpointFixture.at(30 * SECOND);

    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
    assertThat(endpointFixture.recorded.of(Event.Shadowed.class)).hasSize(1);
    assertThat(alice.empty()).isTrue();
  }

  @Test
  void failedAttempt_whereNoOtherIsOpen_goesToTheSame() {
    Endpoint endpoint = endpointFixture.openShadow(EndpointFixture.none("/a").to(U, V));
    upstreamOf("v").health().tryFrom(START + 60 * SECOND, 60 * SECOND);

    assertThat(goesTo(again(submit(endpoint, 1), AttemptFailure.BROKEN, true))).isEqualTo("u");
  }

  @Test
  void rejectedAttempt_goesToOneThatIsNotPaused() {
    Endpoint endpoint = endpointFixture.openShadow(EndpointFixture.none("/a").to(U, V));
    ParkedTicket first = submit(endpoint, 1);
    String other = goesTo(first).equals("u") ? "v" : "u";
    pause(goesTo(first), 5 * SECOND);

    assertThat(goesTo(again(first, AttemptFailure.REJECTED, false))).isEqualTo(other);
  }

  @Test
  void nothingIsOpen_itDoesNotGoAgain_andEndsAsItIs() {
    Endpoint endpoint = endpointFixture.openShadow(EndpointFixture.none("/a").to(U));
    ParkedTicket first = submit(endpoint, 1);
    pause("u", 5 * SECOND);

    assertThat(settlement(first).retry(AttemptFailure.REJECTED, false, now())).isNull();
    settlement(first).failed(UNREACHABLE, 0, now());
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
  }

  @Test
  void gatewayThatStops_letsNothingGoAgain() {
    Endpoint endpoint = endpointFixture.openShadow(EndpointFixture.none("/a").to(U, V));
    ParkedTicket first = submit(endpoint, 1);
    endpoint.refuseAll(Refusal.of(RefusalReason.SHUTTING_DOWN, "stopping"));

    assertThat(settlement(first).retry(AttemptFailure.UNSENT, true, now())).isNull();
    settlement(first).refused(UNREACHABLE, now());
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
  }
}
