package io.penstock.explain;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.FakeCallers;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.explain.WaitExplanation.Considered;
import io.penstock.explain.WaitExplanation.Owner;
import io.penstock.explain.WaitExplanation.Use;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.pool.AttemptAdditions;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of why a ticket waits or was refused: by which limits, and until when. */
class WaitExplanationTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();

  private TicketRecord known(ParkedTicket parkedTicket) {
    AtomicReference<Optional<TicketRecord>> told = new AtomicReference<>();
    endpointFixture.registry.tickets().find(String.valueOf(parkedTicket.order()), told::set);
    endpointFixture.drivers.run();
    return told.get().orElseThrow();
  }

  private WaitExplanation explained(ParkedTicket parkedTicket) {
    return switch (known(parkedTicket)) {
      case WaitingTicket waitingTicket -> waitingTicket.explanation();
      case PastTicket past -> past.explanation();
      case HeldRequest held -> throw new AssertionError("no ticket: " + held);
    };
  }

  private BindingLimit binds(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(explained(parkedTicket).binding());
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  private Endpoint withFallback(UpstreamSpec... upstreams) {
    return endpointFixture.open(
        none("/")
            .to(upstreams)
            .fallbacks(Map.of("large", new EndpointSpec.Fallback(List.of("small"), 5 * SECOND))));
  }

  private static UpstreamSpec serving(String id, String model, @Nullable String disabled) {
    return upstream(id, 0, 100, ChargeRule.TOTAL, Map.of(model, model), disabled);
  }

  private static @Nullable String wentTo(TicketRecord record) {
    return record instanceof PastTicket past ? past.upstream() : null;
  }

  @Test
  void limitHasRoomAndSpreadsIt_thePaceHoldsTheTicket() {
    UpstreamSpec slow =
        UpstreamSetup.of("u").limits(60, 0, 0, 0).charge(ChargeRule.TOTAL).burstSeconds(1).spec();
    Endpoint endpoint = endpointFixture.open(none("/").to(slow));
    assertThat(submit(endpoint, 1).outcome()).isNotNull();
    ParkedTicket waits = submit(endpoint, 1);
    assertThat(binds(waits))
        .isEqualTo(
            new BindingLimit(
                Cause.PACE, Kind.UPSTREAM, "u", LimitMeasure.REQUESTS, START + SECOND));
    assertThat(binds(submit(endpoint, 1)).cause()).isEqualTo(Cause.PACE);
  }

  @Test
  void fallbackServesAtOnce_isToldWithWhatItsOwnUpstreamLacks() {
    Endpoint endpoint = withFallback(serving("u", "large", null), serving("v", "small", null));
    Objects.requireNonNull(endpointFixture.upstreams.find("u"))
        .health()
        .tryFrom(START + 9 * SECOND, SECOND);
    ParkedTicket served = ask(endpoint, "large", 10);
    assertThat(wentTo(known(served))).isEqualTo("v/small");
    assertThat(binds(served))
        .isEqualTo(
            new BindingLimit(
                Cause.UPSTREAM_UNHEALTHY, Kind.UPSTREAM, "u", null, START + 9 * SECOND));
  }

  @Test
  void fallbackServes_afterALongWaitForItsOwnUpstream_isToldWithWhatThatLacks() {
    Endpoint endpoint = withFallback(serving("u", "large", null), serving("v", "small", null));
    ask(endpoint, "large", 100);
    ParkedTicket waits = ask(endpoint, "large", 10);
    endpointFixture.at(2 * SECOND);
    Upstream own = Objects.requireNonNull(endpointFixture.upstreams.find("u"));
    for (int each = 0; each < 3; each++) {
      own.judge(
          UpstreamFixture.attempt(null, 0, 1), AttemptFailure.UNSENT, "unsent", START + 2 * SECOND);
    }
    endpointFixture.drivers.run();
    assertThat(wentTo(known(waits))).isEqualTo("v/small");
    assertThat(binds(waits).name()).isEqualTo("u");
  }

  @Test
  void fallbackServes_becauseNoUpstreamOfItsOwnIsEnabled_isTold() {
    Endpoint endpoint = withFallback(serving("u", "large", "no key"), serving("v", "small", null));
    ParkedTicket served = ask(endpoint, "large", 10);
    assertThat(wentTo(known(served))).isEqualTo("v/small");
    assertThat(binds(served).cause()).isEqualTo(Cause.NO_UPSTREAM_ENABLED);
  }

  @Test
  void limitOfTheEndpoint_isToldWithWhatItHoldsAndWhatIsNeeded() {
    Endpoint endpoint = endpointFixture.open(tokens("/", 100, 60));
    submit(endpoint, 70);
    ParkedTicket waits = submit(endpoint, 40);
    assertThat(explained(waits).limits())
        .containsExactly(
            new Considered(
                new Owner(Kind.ENDPOINT, "/", null),
                LimitMeasure.TOKENS,
                new LimitSpec.FixedWindow(100, 60 * SECOND),
                100,
                new Use(70, 0, 0),
                40,
                false,
                START + 60 * SECOND));
    assertThat(binds(waits))
        .isEqualTo(
            new BindingLimit(
                Cause.LIMIT, Kind.ENDPOINT, "/", LimitMeasure.TOKENS, START + 60 * SECOND));
  }

  @Test
  void ofSeveralLimits_theOneThatHoldsForLongestBinds() {
    Endpoint endpoint = endpointFixture.open(tokens("/", 100, 10).to(upstream("u", 1, 0)));
    ask(endpoint, "m", 70);
    ParkedTicket waits = ask(endpoint, "m", 40);
    List<Considered> limits = explained(waits).limits();
    assertThat(limits)
        .extracting(each -> each.owner().kind())
        .containsExactly(Kind.UPSTREAM, Kind.ENDPOINT);
    assertThat(limits.getFirst().owner().pool()).isEqualTo("m");
    assertThat(limits.getFirst().use().here()).isEqualTo(1);
    assertThat(binds(waits).kind()).isEqualTo(Kind.UPSTREAM);
    assertThat(binds(waits).untilNanos()).isGreaterThanOrEqualTo(START + 60 * SECOND);
  }

  @Test
  void ofSeveralUpstreams_theOneThatOpensFirstIsWaitedFor() {
    Endpoint endpoint =
        endpointFixture.open(none("/").to(upstream("slow", 1, 0), upstream("soon", 0, 100)));
    ask(endpoint, "m", 100);
    ask(endpoint, "m", 100);
    endpointFixture.at(30 * SECOND);
    ParkedTicket waits = ask(endpoint, "m", 100);
    assertThat(explained(waits).limits()).hasSize(2);
    BindingLimit binds = binds(waits);
    assertThat(explained(waits).limits())
        .allSatisfy(
            each -> assertThat(each.untilNanos()).isGreaterThanOrEqualTo(binds.untilNanos()));
  }

  @Test
  void limitThatIsOnlyReserved_isGivenBackBySomebody_andNoInstantIsKnown() {
    Endpoint endpoint = endpointFixture.open(none("/"));
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.CONCURRENCY, 1, RefusalReason.KEY_CONCURRENCY);
    ParkedTicket runs = alice.submit(endpoint, 10);
    ParkedTicket waits = alice.submit(endpoint, 10);
    assertThat(binds(waits))
        .isEqualTo(
            new BindingLimit(
                Cause.LIMIT, Kind.KEY, "alice", LimitMeasure.CONCURRENCY, Ticker.NEVER));
    Considered limit = explained(waits).limits().getFirst();
    assertThat(limit.use().reserved()).isEqualTo(1);
    assertThat(limit.capacity()).isEqualTo(1);
    settlement(runs).permitted(endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(EndpointFixture.went(waits)).isTrue();
  }

  @Test
  void keyThatRefuses_isExplainedAsItWasThen() {
    Endpoint endpoint = endpointFixture.open(none("/"));
    FakeCallers.Caller group =
        callers.group("team").limit(LimitMeasure.TOKENS, 50, RefusalReason.GROUP_TPM);
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 5, RefusalReason.KEY_RPM).in(group);
    alice.submit(endpoint, 40);
    ParkedTicket refused = alice.submit(endpoint, 20);
    endpointFixture.at(120 * SECOND);
    PastTicket past = (PastTicket) known(refused);
    assertThat(Objects.requireNonNull(past.refusal()).reason()).isEqualTo(RefusalReason.GROUP_TPM);
    assertThat(past.explanation().limits())
        .extracting(Considered::owner, each -> each.use().here(), Considered::needs)
        .containsExactly(
            tuple(new Owner(Kind.KEY, "alice", null), 1L, 1L),
            tuple(new Owner(Kind.GROUP, "team", null), 40L, 20L));
    BindingLimit binds = binds(refused);
    assertThat(binds.name()).isEqualTo("team");
    assertThat(binds.untilNanos()).isBetween(START + 60 * SECOND, START + 61 * SECOND);
  }

  @Test
  void keyThatGaveAlready_isToldAsGiven_andDoesNotBind() {
    Endpoint endpoint = endpointFixture.open(tokens("/", 100, 60));
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 2, RefusalReason.KEY_RPM);
    alice.submit(endpoint, 70);
    ParkedTicket waits = alice.submit(endpoint, 40);
    assertThat(explained(waits).limits())
        .extracting(each -> each.owner().kind(), Considered::alreadyCharged)
        .containsExactly(tuple(Kind.KEY, true), tuple(Kind.ENDPOINT, false));
    assertThat(binds(waits).kind()).isEqualTo(Kind.ENDPOINT);
  }

  @Test
  void modelsQuota_isToldUnderTheModelsName() {
    endpointFixture.models.configure(List.of(), Map.of("m", new ModelLimits(1L, 0L, 0L)), START);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("u", 0, 0)));
    ask(endpoint, "m", 1);
    ParkedTicket waits = ask(endpoint, "m", 1);
    assertThat(binds(waits).kind()).isEqualTo(Kind.MODEL);
    assertThat(binds(waits).name()).isEqualTo("m");
  }

  @Test
  void upstreamThatSaidEnough_isToldWithTheEndOfItsPause() {
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("u", 10, 0)));
    ParkedTicket first = ask(endpoint, "m", 1);
    Upstream upstream = Objects.requireNonNull(settlement(first).upstream());
    upstream.judge(
        UpstreamFixture.attempt("m", 1, 0),
        new ProviderLesson(429, List.of(), 7 * SECOND, ProviderLesson.ErrorCause.RATE),
        endpointFixture.ticker.nanos());
    ParkedTicket waits = ask(endpoint, "m", 1);
    assertThat(binds(waits))
        .isEqualTo(
            new BindingLimit(Cause.UPSTREAM_PAUSED, Kind.UPSTREAM, "u", null, START + 7 * SECOND));
  }

  @Test
  void upstreamThatHoldsOneTenant_isToldWithTheEndOfItsPause() {
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("u", 10, 0)));
    ask(endpoint, "m", 1);
    endpoint.submit(RequestFixture.of("m", Cost.ofInput(1)).tenant("held").made());
    Objects.requireNonNull(endpointFixture.upstreams.find("u"))
        .judge(
            new AttemptHistory("m", 1, 0, true, AttemptAdditions.NONE, "held", false, false, false),
            new ProviderLesson(429, List.of(), 7 * SECOND, ProviderLesson.ErrorCause.RATE),
            endpointFixture.ticker.nanos());
    ParkedTicket waits =
        endpoint.submit(RequestFixture.of("m", Cost.ofInput(1)).tenant("held").made());
    assertThat(binds(waits))
        .isEqualTo(
            new BindingLimit(Cause.UPSTREAM_PAUSED, Kind.UPSTREAM, "u", null, START + 7 * SECOND));
  }

  @Test
  void costThatNeverFits_isRefusedWithTheLimitItExceeds() {
    Endpoint endpoint = endpointFixture.open(tokens("/", 100, 60));
    ParkedTicket refused = submit(endpoint, 101);
    Considered limit = explained(refused).limits().getFirst();
    assertThat(limit.needs()).isEqualTo(101);
    assertThat(limit.capacity()).isEqualTo(100);
    assertThat(limit.untilNanos()).isEqualTo(Ticker.NEVER);
    assertThat(binds(refused).cause()).isEqualTo(Cause.LIMIT);
  }

  @Test
  void fullQueueAndExpiry_areExplainedByWhatHoldsTheQueue() {
    Endpoint endpoint =
        endpointFixture.open(tokens("/", 100, 60).bounds(1, 1_000, 1_000).maxWait(5 * SECOND));
    submit(endpoint, 100);
    ParkedTicket expires = submit(endpoint, 100);
    ParkedTicket refused = submit(endpoint, 100);
    assertThat(binds(refused).untilNanos()).isEqualTo(START + 60 * SECOND);
    endpointFixture.at(5 * SECOND);
    PastTicket past = (PastTicket) known(expires);
    assertThat(Objects.requireNonNull(past.refusal()).reason())
        .isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(binds(expires).untilNanos()).isEqualTo(START + 60 * SECOND);
  }

  @Test
  void manyThatLeaveAtOneInstant_areExplainedOnlyAsFarAsTheyAreRemembered() {
    int many = RecentOutcomes.MOST + 100;
    Endpoint endpoint = endpointFixture.open(tokens("/", 100, 60).maxWait(5 * SECOND));
    submit(endpoint, 100);
    List<ParkedTicket> all = Stream.generate(() -> submit(endpoint, 1)).limit(many).toList();
    endpointFixture.at(5 * SECOND);
    long remembered = all.stream().filter(each -> WaitNote.explanation(each) != null).count();
    assertThat(remembered).isEqualTo(RecentOutcomes.MOST);
    assertThat(explained(all.getFirst()).limits()).hasSize(1);
  }
}
