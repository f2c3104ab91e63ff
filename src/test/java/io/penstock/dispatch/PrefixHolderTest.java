package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that requests prefer the upstream with the beginning of their prompt in its cache. */
class PrefixHolderTest {
  private static final String COMMON = "conversation";
  private static final Cost PROMPT = new Cost(90, 0, 0, 80);
  private static final WaitPatience NONE = new WaitPatience(0, 0);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  /** An upstream that does not count what is read from its cache. */
  private static UpstreamSpec caching(String id, long tpm) {
    return UpstreamSetup.of(id)
        .limits(0, tpm, 0, 0)
        .charge(ChargeRule.ANTHROPIC)
        .cacheTrust(100)
        .spec();
  }

  private Endpoint twoUpstreams() {
    return endpointFixture.open(
        EndpointFixture.none("/a").to(caching("u", 100), caching("v", 100)));
  }

  private static ParkedTicket ask(
      Endpoint endpoint,
      Cost cost,
      @Nullable String holder,
      long waitNanos,
      WaitPatience patience) {
    return endpoint.submit(
        RequestFixture.of(null, cost)
            .patience(patience)
            .affinity(new TicketRequest.RequestAffinity(COMMON, null, holder, waitNanos))
            .made());
  }

  private static ParkedTicket ask(Endpoint endpoint, String holder, long waitNanos) {
    return ask(endpoint, PROMPT, holder, waitNanos, WaitPatience.DEFAULT);
  }

  private static ParkedTicket at(Endpoint endpoint, String upstream, long tokens) {
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(tokens))
            .affinity(new TicketRequest.RequestAffinity(null, upstream))
            .made());
  }

  /** Uses up some of an upstream's limit for a minute. */
  private static void fill(Endpoint endpoint, String upstream, long tokens) {
    assertThat(goesTo(at(endpoint, upstream, tokens))).isEqualTo(upstream);
  }

  /** Uses up some of an upstream's limit for a minute; nothing of it will be given back. */
  private void serve(Endpoint endpoint, String upstream, long tokens) {
    ParkedTicket full = at(endpoint, upstream, tokens);
    settlement(full).served(new TokenUsage(tokens, 0, 0), 0, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
  }

  private static String goesTo(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(settlement(parkedTicket).upstream()).spec().id();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  @Test
  void holderHasRoom_allGoThereAndRelyOnItsCache() {
    Endpoint endpoint = twoUpstreams();
    for (String holder : List.of("u", "v")) {
      for (int each = 0; each < 10; each++) {
        ParkedTicket ticket = ask(endpoint, holder, SECOND);
        assertThat(goesTo(ticket)).isEqualTo(holder);
        assertThat(settlement(ticket).reliesOnCache()).isTrue();
        settlement(ticket).served(new TokenUsage(90, 80, 0), 0, endpointFixture.ticker.nanos());
        endpointFixture.drivers.run();
      }
    }
    assertThat(waits(ask(endpoint, "u", SECOND))).as("ten times ten tokens were charged").isTrue();
  }

  @Test
  void holderIsFull_waitsAsLongAsTheCacheIsWorth_thenGoesElsewhereInFull() {
    Endpoint endpoint = twoUpstreams();
    fill(endpoint, "u", 100);
    ParkedTicket ticket = ask(endpoint, "u", 2 * SECOND);
    endpointFixture.at(2 * SECOND - 1);
    assertThat(waits(ticket)).isTrue();
    endpointFixture.at(2 * SECOND);
    assertThat(goesTo(ticket)).isEqualTo("v");
    assertThat(settlement(ticket).reliesOnCache()).isFalse();
    assertThat(upstreamOf("v").pool(null, START).globalUtilization(START + 2 * SECOND))
        .as("nothing is expected to be read there")
        .isEqualTo(0.9);
  }

  @Test
  void allAreFull_waitsForTheFirstWithRoomInFull() {
    Endpoint endpoint = twoUpstreams();
    fill(endpoint, "u", 100);
    endpointFixture.at(20 * SECOND);
    fill(endpoint, "v", 95);
    ParkedTicket ticket = ask(endpoint, "v", 5 * SECOND);
    endpointFixture.at(59 * SECOND);
    assertThat(waits(ticket)).as("10 tokens do not fit, 90 still less").isTrue();
    endpointFixture.at(63 * SECOND);
    assertThat(goesTo(ticket)).isEqualTo("u");
  }

  @Test
  void requestThatMayNotWait_goesElsewhereAtOnce() {
    Endpoint endpoint = twoUpstreams();
    fill(endpoint, "u", 100);
    assertThat(goesTo(ask(endpoint, PROMPT, "u", 2 * SECOND, NONE))).isEqualTo("v");
    assertThat(refusal(ask(endpoint, PROMPT, "u", 2 * SECOND, NONE)).reason())
        .isEqualTo(RefusalReason.QUEUE_TIMEOUT);
  }

  @Test
  void holderIsUnwell_anotherServesAndRequestDoesNotRelyOnItsCache() {
    Endpoint endpoint = twoUpstreams();
    upstreamOf("u").health().tryFrom(START + 9 * SECOND, SECOND);
    ParkedTicket ticket = ask(endpoint, "u", 2 * SECOND);
    assertThat(goesTo(ticket)).isEqualTo("v");
    assertThat(settlement(ticket).reliesOnCache()).isFalse();
  }

  @Test
  void holderBecomesUnwellMeanwhile_anotherServesThen() {
    Endpoint endpoint = twoUpstreams();
    fill(endpoint, "u", 100);
    ParkedTicket ticket = ask(endpoint, "u", 9 * SECOND);
    endpointFixture.at(SECOND);
    assertThat(waits(ticket)).isTrue();
    for (int failure = 0; failure < 3; failure++) {
      upstreamOf("u")
          .judge(
              UpstreamFixture.attempt(null, 0, 1), AttemptFailure.UNSENT, "unsent", START + SECOND);
    }
    endpointFixture.drivers.run();
    assertThat(goesTo(ticket)).isEqualTo("v");
    assertThat(settlement(ticket).reliesOnCache()).isFalse();
  }

  @Test
  void onlyTheHolderCouldTakeIt_waitsForThatHoweverLong() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.none("/a").to(caching("u", 100), caching("v", 20)));
    fill(endpoint, "u", 100);
    ParkedTicket ticket = ask(endpoint, "u", 2 * SECOND);
    endpointFixture.at(59 * SECOND);
    assertThat(waits(ticket)).isTrue();
    endpointFixture.at(63 * SECOND);
    assertThat(goesTo(ticket)).isEqualTo("u");
    assertThat(settlement(ticket).reliesOnCache()).isTrue();
  }

  @Test
  void holderCanNeverTakeIt_anotherServesAtOnce() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.none("/a").to(caching("u", 5), caching("v", 100)));
    assertThat(goesTo(ask(endpoint, "u", 2 * SECOND))).isEqualTo("v");
  }

  @Test
  void nobodyHoldsIt_goesWhereItsConversationIsHashed_unlessThatIsFull() {
    Endpoint endpoint = twoUpstreams();
    Cost small = Cost.ofInput(1);
    String home = goesTo(ask(endpoint, small, null, 0, WaitPatience.DEFAULT));
    fill(endpoint, home.equals("u") ? "v" : "u", 50);
    assertThat(
            IntStream.range(0, 20)
                .mapToObj(i -> goesTo(ask(endpoint, small, null, 0, WaitPatience.DEFAULT))))
        .containsOnly(home);
    fill(endpoint, home, 79);
    assertThat(goesTo(ask(endpoint, small, null, 0, WaitPatience.DEFAULT))).isNotEqualTo(home);
  }

  @Test
  void estimateOfAWait_knowsThatTheRequestGoesElsewhere() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a")
                .to(caching("u", 100), caching("v", 100))
                .queueTimeout(10 * SECOND));
    serve(endpoint, "u", 100);
    ParkedTicket first = ask(endpoint, "u", 2 * SECOND);
    assertThat(waits(first)).as("a minute would be too long, two seconds are not").isTrue();
    endpointFixture.at(2 * SECOND);
    assertThat(goesTo(first)).isEqualTo("v");
    settlement(first).served(new TokenUsage(90, 0, 0), 0, START + 2 * SECOND);
    endpointFixture.drivers.run();
    assertThat(refusal(ask(endpoint, "u", 2 * SECOND)).reason())
        .as("the other has no room for the whole prompt")
        .isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
  }

  @Test
  void blockedRequest_leavesItsUpstreamToo() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a").to(caching("u", 100), caching("v", 100)),
            EndpointSetup.fifo(64),
            EndpointSetup.waiting(
                new QueueBounds(1, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED), 10, 0, false, 0));
    fill(endpoint, "u", 100);
    fill(endpoint, "v", 100);
    ParkedTicket queued = ask(endpoint, "u", 2 * SECOND);
    ParkedTicket blocked = ask(endpoint, "u", 2 * SECOND);
    endpointFixture.at(2 * SECOND);
    assertThat(List.of(queued, blocked)).allMatch(EndpointFixture::waits);
    endpointFixture.at(63 * SECOND);
    assertThat(List.of(goesTo(queued), goesTo(blocked))).containsExactlyInAnyOrder("u", "v");
    assertThat(settlement(blocked).reliesOnCache()).isFalse();
  }
}
