package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.upstream;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Binding.What;
import io.penstock.endpoint.Explanation.Considered;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.quota.LimitId.Kind;
import io.penstock.quota.ModelLimits;
import io.penstock.refusal.Reason;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests of why a ticket waits or was refused: by which limits, and until when. */
class ExplanationTest {
  private final House house = new House();
  private final Callers callers = new Callers();

  private Known known(Pending pending) {
    AtomicReference<Optional<Known>> told = new AtomicReference<>();
    house.registry.tickets().find(String.valueOf(pending.order()), told::set);
    house.drivers.run();
    return told.get().orElseThrow();
  }

  private Explanation explained(Pending pending) {
    return switch (known(pending)) {
      case Look look -> look.explanation();
      case Past past -> past.explanation();
    };
  }

  private Binding binds(Pending pending) {
    return Objects.requireNonNull(explained(pending).binds());
  }

  private static Pending ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  @Test
  void limitOfTheEndpoint_isToldWithWhatItHoldsAndWhatIsNeeded() {
    Endpoint endpoint = house.open(tokens("/", 100, 60));
    submit(endpoint, 70);
    Pending waits = submit(endpoint, 40);
    assertThat(explained(waits).limits())
        .containsExactly(
            new Considered(
                Kind.ENDPOINT,
                "/",
                null,
                Measure.TOKENS,
                new LimitSpec.FixedWindow(100, 60 * SECOND),
                100,
                70,
                0,
                0,
                40,
                false,
                START + 60 * SECOND));
    assertThat(binds(waits))
        .isEqualTo(
            new Binding(What.LIMIT, Kind.ENDPOINT, "/", Measure.TOKENS, START + 60 * SECOND));
  }

  @Test
  void ofSeveralLimits_theOneThatHoldsForLongestBinds() {
    Endpoint endpoint = house.open(tokens("/", 100, 10).to(upstream("u", 1, 0)));
    ask(endpoint, "m", 70);
    Pending waits = ask(endpoint, "m", 40);
    List<Considered> limits = explained(waits).limits();
    assertThat(limits).extracting(Considered::kind).containsExactly(Kind.UPSTREAM, Kind.ENDPOINT);
    assertThat(limits.getFirst().pool()).isEqualTo("m");
    assertThat(limits.getFirst().used()).isEqualTo(1);
    assertThat(binds(waits).kind()).isEqualTo(Kind.UPSTREAM);
    assertThat(binds(waits).untilNanos()).isGreaterThanOrEqualTo(START + 60 * SECOND);
  }

  @Test
  void ofSeveralUpstreams_theOneThatOpensFirstIsWaitedFor() {
    Endpoint endpoint = house.open(none("/").to(upstream("slow", 1, 0), upstream("soon", 0, 100)));
    ask(endpoint, "m", 100);
    ask(endpoint, "m", 100);
    house.at(30 * SECOND);
    Pending waits = ask(endpoint, "m", 100);
    assertThat(explained(waits).limits()).hasSize(2);
    Binding binds = binds(waits);
    assertThat(explained(waits).limits())
        .allSatisfy(
            each -> assertThat(each.untilNanos()).isGreaterThanOrEqualTo(binds.untilNanos()));
  }

  @Test
  void limitThatIsOnlyReserved_isGivenBackBySomebody_andNoInstantIsKnown() {
    Endpoint endpoint = house.open(none("/"));
    Callers.Caller alice =
        callers.waiting("alice").limit(Measure.CONCURRENCY, 1, Reason.KEY_CONCURRENCY);
    Pending runs = alice.submit(endpoint, 10);
    Pending waits = alice.submit(endpoint, 10);
    assertThat(binds(waits))
        .isEqualTo(new Binding(What.LIMIT, Kind.KEY, "alice", Measure.CONCURRENCY, Ticker.NEVER));
    Considered limit = explained(waits).limits().getFirst();
    assertThat(limit.reserved()).isEqualTo(1);
    assertThat(limit.capacity()).isEqualTo(1);
    settlement(runs).permitted(house.ticker.nanos());
    house.drivers.run();
    assertThat(House.went(waits)).isTrue();
  }

  @Test
  void keyThatRefuses_isExplainedAsItWasThen() {
    Endpoint endpoint = house.open(none("/"));
    Callers.Caller group = callers.group("team").limit(Measure.TOKENS, 50, Reason.GROUP_TPM);
    Callers.Caller alice =
        callers.rejecting("alice").limit(Measure.REQUESTS, 5, Reason.KEY_RPM).in(group);
    alice.submit(endpoint, 40);
    Pending refused = alice.submit(endpoint, 20);
    house.at(120 * SECOND);
    Past past = (Past) known(refused);
    assertThat(Objects.requireNonNull(past.refusal()).reason()).isEqualTo(Reason.GROUP_TPM);
    assertThat(past.explanation().limits())
        .extracting(Considered::kind, Considered::name, Considered::used, Considered::needs)
        .containsExactly(tuple(Kind.KEY, "alice", 1L, 1L), tuple(Kind.GROUP, "team", 40L, 20L));
    Binding binds = binds(refused);
    assertThat(binds.name()).isEqualTo("team");
    assertThat(binds.untilNanos()).isBetween(START + 60 * SECOND, START + 61 * SECOND);
  }

  @Test
  void keyThatGaveAlready_isToldAsGiven_andDoesNotBind() {
    Endpoint endpoint = house.open(tokens("/", 100, 60));
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.REQUESTS, 2, Reason.KEY_RPM);
    alice.submit(endpoint, 70);
    Pending waits = alice.submit(endpoint, 40);
    assertThat(explained(waits).limits())
        .extracting(Considered::kind, Considered::given)
        .containsExactly(tuple(Kind.KEY, true), tuple(Kind.ENDPOINT, false));
    assertThat(binds(waits).kind()).isEqualTo(Kind.ENDPOINT);
  }

  @Test
  void modelsQuota_isToldUnderTheModelsName() {
    house.models.configure(List.of(), Map.of("m", new ModelLimits(1L, 0L, 0L)), START);
    Endpoint endpoint = house.open(none("/").to(upstream("u", 0, 0)));
    ask(endpoint, "m", 1);
    Pending waits = ask(endpoint, "m", 1);
    assertThat(binds(waits).kind()).isEqualTo(Kind.MODEL);
    assertThat(binds(waits).name()).isEqualTo("m");
  }

  @Test
  void upstreamThatSaidEnough_isToldWithTheEndOfItsPause() {
    Endpoint endpoint = house.open(none("/").to(upstream("u", 10, 0)));
    Pending first = ask(endpoint, "m", 1);
    Upstream upstream = Objects.requireNonNull(settlement(first).upstream());
    upstream.judge(
        new Tries("m", 1, 0, true),
        new Lesson(429, List.of(), 7 * SECOND, Lesson.Wording.RATE),
        house.ticker.nanos());
    Pending waits = ask(endpoint, "m", 1);
    assertThat(binds(waits))
        .isEqualTo(new Binding(What.UPSTREAM_PAUSED, Kind.UPSTREAM, "u", null, START + 7 * SECOND));
  }

  @Test
  void costThatNeverFits_isRefusedWithTheLimitItExceeds() {
    Endpoint endpoint = house.open(tokens("/", 100, 60));
    Pending refused = submit(endpoint, 101);
    Considered limit = explained(refused).limits().getFirst();
    assertThat(limit.needs()).isEqualTo(101);
    assertThat(limit.capacity()).isEqualTo(100);
    assertThat(limit.untilNanos()).isEqualTo(Ticker.NEVER);
    assertThat(binds(refused).what()).isEqualTo(What.LIMIT);
  }

  @Test
  void fullQueueAndExpiry_areExplainedByWhatHoldsTheQueue() {
    Endpoint endpoint =
        house.open(tokens("/", 100, 60).bounds(1, 1_000, 1_000).maxWait(5 * SECOND));
    submit(endpoint, 100);
    Pending expires = submit(endpoint, 100);
    Pending refused = submit(endpoint, 100);
    assertThat(binds(refused).untilNanos()).isEqualTo(START + 60 * SECOND);
    house.at(5 * SECOND);
    Past past = (Past) known(expires);
    assertThat(Objects.requireNonNull(past.refusal()).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(binds(expires).untilNanos()).isEqualTo(START + 60 * SECOND);
  }

  @Test
  void manyThatLeaveAtOneInstant_areExplainedOnlyAsFarAsTheyAreRemembered() {
    int many = Lately.MOST + 100;
    Endpoint endpoint = house.open(tokens("/", 100, 60).maxWait(5 * SECOND));
    submit(endpoint, 100);
    List<Pending> all = Stream.generate(() -> submit(endpoint, 1)).limit(many).toList();
    house.at(5 * SECOND);
    long remembered = all.stream().filter(each -> each.why != null).count();
    assertThat(remembered).isEqualTo(Lately.MOST);
    assertThat(explained(all.getFirst()).limits()).hasSize(1);
  }
}
