package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.OPEN;
import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueOrder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the counting of skips, by tickets of one endpoint and of several, and of the claims that
 * follow.
 */
class SkipTest {
  private static final UpstreamSpec U = upstream("u", 0, 100);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private Endpoint a() {
    return endpointFixture.endpoint("/a");
  }

  private Endpoint b() {
    return endpointFixture.endpoint("/b");
  }

  /** Opens endpoints /a and /b, which share upstream u; the order and the skips are those of /b. */
  private void open(QueueOrder queueOrder, int maxSkips) {
    endpointFixture.registry.apply(
        List.of(
            none("/a").to(U).spec(),
            none("/b").to(U).scheduling(scheduling(queueOrder, maxSkips)).spec()));
    endpointFixture.drivers.run();
  }

  private static Scheduling scheduling(QueueOrder queueOrder, int maxSkips) {
    return new Scheduling(queueOrder, 0, maxSkips, new FairBy.Key());
  }

  private void cancel(ParkedTicket parkedTicket) {
    parkedTicket.cancel();
    endpointFixture.drivers.run();
  }

  /** Submits a request of the lowest priority that may only go to upstream u. */
  private static ParkedTicket keptToU(Endpoint endpoint, long tokens) {
    TicketRequest.RequestAffinity kept = new TicketRequest.RequestAffinity(null, "u");
    Cost cost = Cost.ofInput(tokens);
    TicketRequest.Flow flow = TicketRequest.Flow.ANONYMOUS;
    return endpoint.submit(RequestFixture.of(null, cost).flow(flow).affinity(kept).made());
  }

  private static ParkedTicket ranked(Endpoint endpoint, long tokens, int priority) {
    Cost cost = Cost.ofInput(tokens);
    TicketRequest.Flow flow = TicketRequest.Flow.ANONYMOUS;
    return endpoint.submit(RequestFixture.of(null, cost).priority(priority).flow(flow).made());
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  @Test
  void skippedByAnotherEndpoint_isNotSkippedByItsOwnBeyondWhatIsAllowed() {
    open(QueueOrder.FIFO, 1);
    submit(a(), 50);
    ParkedTicket large = submit(b(), 60);
    assertThat(went(submit(a(), 5))).isTrue();
    assertThat(waits(submit(b(), 5))).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void skippedByAnotherEndpoint_isNotSkippedByItsOwnOfAnotherLaneEither() {
    open(QueueOrder.FIFO, 1);
    submit(a(), 50);
    ParkedTicket large = submit(b(), 60);
    assertThat(went(submit(a(), 5))).isTrue();
    assertThat(waits(keptToU(b(), 5))).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void comesAfterOthersWereSkipped_wasNotSkippedItself() {
    open(QueueOrder.FIFO, 2);
    submit(a(), 50);
    ParkedTicket large = submit(b(), 60);
    assertThat(went(submit(a(), 5))).isTrue();
    submit(b(), 70);
    cancel(large);
    assertThat(went(submit(a(), 5))).as("the first skip").isTrue();
    assertThat(went(submit(a(), 5))).as("the second skip").isTrue();
    assertThat(waits(submit(a(), 5))).as("a third one").isTrue();
  }

  @Test
  void comesAfterWhoGoes_isNotSkippedByIt() {
    Endpoint endpoint =
        endpointFixture.open(tokens("/a", 100, 60).maxSkips(1).to(upstream("u", 0, 0)));
    ParkedTicket runs = ask(endpoint, "m", 100);
    ParkedTicket skipped = ask(endpoint, "m", 80);
    ParkedTicket goes = ask(endpoint, "n", 50);
    ask(endpoint, "m", 70);
    settlement(runs).served(new TokenUsage(40, 0, 0), 0, START);
    endpointFixture.drivers.run();
    assertThat(went(goes)).isTrue();
    cancel(skipped);
    assertThat(went(ask(endpoint, "n", 5))).as("the first skip").isTrue();
    assertThat(waits(ask(endpoint, "n", 5))).as("a second one").isTrue();
  }

  @Test
  void firstOneGoesAway_othersKeepForTheNext() {
    open(QueueOrder.FIFO, 0);
    submit(a(), 50);
    ParkedTicket first = submit(b(), 80);
    ParkedTicket second = submit(b(), 60);
    cancel(first);
    assertThat(waits(submit(a(), 5))).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void orderChanged_othersKeepForWhoIsFirstThen() {
    open(QueueOrder.FIFO, 0);
    submit(a(), 50);
    ParkedTicket first = submit(b(), 80);
    ParkedTicket last = submit(b(), 60);
    b().reconfigure(none("/b").to(U).scheduling(scheduling(QueueOrder.LIFO, 0)).spec());
    endpointFixture.drivers.run();
    assertThat(waits(submit(a(), 5))).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(last)).isTrue();
    assertThat(waits(first)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a", "/b"})
  void orderChanged_skipsStayCounted(String skipping) {
    open(QueueOrder.FIFO, 1);
    submit(a(), 50);
    ParkedTicket large = submit(b(), 80);
    assertThat(went(submit(endpointFixture.endpoint(skipping), 5))).as("the only skip").isTrue();
    b().reconfigure(none("/b").to(U).scheduling(scheduling(QueueOrder.PRIORITY, 1)).spec());
    endpointFixture.drivers.run();
    assertThat(waits(submit(b(), 5))).as("by its own endpoint").isTrue();
    assertThat(waits(submit(a(), 5))).as("by another endpoint").isTrue();
    assertThat(waits(large)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "FAIR"})
  void returnsAfterAFailedAttempt_skipsStayCounted(QueueOrder queueOrder) {
    open(queueOrder, 1);
    ParkedTicket runs = submit(a(), 50);
    ParkedTicket large = submit(b(), 60);
    assertThat(went(submit(b(), 5))).as("the only skip").isTrue();
    settlement(runs).served(new TokenUsage(0, 0, 0), 0, START);
    endpointFixture.drivers.run();
    submit(a(), 30);
    ParkedTicket back = settlement(large).retry(AttemptFailure.BROKEN, false, START);
    endpointFixture.drivers.run();
    assertThat(waits(Objects.requireNonNull(back))).isTrue();
    assertThat(waits(submit(b(), 5))).as("by its own endpoint").isTrue();
    assertThat(waits(submit(a(), 5))).as("by another endpoint").isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "FAIR"})
  void fallbackModelsMayServeToo_skipsStayCounted(QueueOrder queueOrder) {
    EndpointSpec spec =
        none("/b")
            .to(serving("u", "large"), serving("v", "small"))
            .scheduling(scheduling(queueOrder, 1))
            .fallbacks(Map.of("large", new EndpointSpec.Fallback(List.of("small"), 5 * SECOND)))
            .spec();
    endpointFixture.registry.apply(List.of(spec));
    endpointFixture.drivers.run();
    ask(b(), "large", 50);
    ParkedTicket widened = ask(b(), "large", 80);
    assertThat(went(ask(b(), "large", 5))).as("the only skip").isTrue();
    endpointFixture.at(SECOND);
    ask(b(), "small", 100); // so that u has room before v
    endpointFixture.at(5 * SECOND);
    assertThat(waits(ask(b(), "large", 5))).as("a second skip").isTrue();
    assertThat(waits(widened)).isTrue();
  }

  private static UpstreamSpec serving(String id, String model) {
    return upstream(id, 0, 100, ChargeRule.TOTAL, Map.of(model, model), null);
  }

  @Test
  void newestFirst_olderOnesOfTheSameEndpointAreNotSkipped() {
    Scheduling lifo = scheduling(QueueOrder.LIFO, 0);
    Endpoint endpoint =
        endpointFixture.open(tokens("/a", 100, 60).to(upstream("u", 0, 0)), lifo, OPEN);
    ask(endpoint, "m", 50);
    ParkedTicket older = ask(endpoint, "m", 80);
    assertThat(went(ask(endpoint, "n", 5))).isTrue();
    assertThat(waits(older)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"LIFO", "FIFO"})
  void olderOnesOfAnotherEndpointSkipNobody(QueueOrder queueOrder) {
    open(queueOrder, 0);
    ParkedTicket runs = submit(a(), 100);
    ParkedTicket older = submit(a(), 20);
    ParkedTicket newer = submit(b(), 80);
    settlement(runs).served(new TokenUsage(60, 0, 0), 0, START);
    endpointFixture.drivers.run();
    assertThat(went(older)).isTrue();
    assertThat(waits(newer)).isTrue();
  }

  @Test
  void onesOfHigherPriorityCame_whoMayNotBeSkippedBehindThemIsNot() {
    Endpoint endpoint =
        endpointFixture.open(none("/b").to(U), scheduling(QueueOrder.PRIORITY, 1), OPEN);
    ranked(endpoint, 50, 0);
    ParkedTicket large = ranked(endpoint, 80, 5);
    assertThat(went(keptToU(endpoint, 5))).as("the only skip").isTrue();
    ParkedTicket first = ranked(endpoint, 90, 9);
    assertThat(waits(keptToU(endpoint, 5))).isTrue();
    assertThat(List.of(large, first)).allMatch(EndpointFixture::waits);
  }

  @Test
  void nobodyWaitsAnyMore_isNotWokenForOthers() {
    open(QueueOrder.FIFO, 64);
    ParkedTicket runs = submit(a(), 100);
    ParkedTicket leaves = submit(b(), 60);
    cancel(leaves);
    settlement(runs).served(new TokenUsage(60, 0, 0), 0, START);
    assertThat(endpointFixture.drivers.driver(0).isIdle()).isTrue();
    assertThat(endpointFixture.drivers.driver(1).isIdle()).isTrue();
  }
}
