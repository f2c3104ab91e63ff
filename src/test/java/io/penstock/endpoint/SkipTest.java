package io.penstock.endpoint;

import static io.penstock.endpoint.House.OPEN;
import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Order;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of the counting of skips, by tickets of one endpoint and of several, and of the claims that
 * follow.
 */
class SkipTest {
  private static final UpstreamSpec U = upstream("u", 0, 100);

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private Endpoint a() {
    return house.endpoint("/a");
  }

  private Endpoint b() {
    return house.endpoint("/b");
  }

  /** Opens endpoints /a and /b, which share upstream u; the order and the skips are those of /b. */
  private void open(Order order, int maxSkips) {
    house.registry.apply(
        List.of(none("/a").to(U).spec(), none("/b").to(U).spec(scheduling(order, maxSkips), OPEN)));
    house.drivers.run();
  }

  private static Scheduling scheduling(Order order, int maxSkips) {
    return new Scheduling(order, 0, maxSkips, new FairBy.Key());
  }

  private void cancel(Endpoint endpoint, Pending pending) {
    endpoint.cancel(pending);
    house.drivers.run();
  }

  /** Submits a request of the lowest priority that may only go to upstream u. */
  private static Pending keptToU(Endpoint endpoint, long tokens) {
    Ask.Kept kept = new Ask.Kept(null, "u");
    Cost cost = Cost.ofInput(tokens);
    Ask.Flow flow = Ask.Flow.ANONYMOUS;
    return endpoint.submit(new Ask(null, cost, 0, Patience.DEFAULT, 0, flow, kept));
  }

  private static Pending ranked(Endpoint endpoint, long tokens, int priority) {
    Cost cost = Cost.ofInput(tokens);
    Ask.Flow flow = Ask.Flow.ANONYMOUS;
    return endpoint.submit(new Ask(null, cost, 0, Patience.DEFAULT, priority, flow));
  }

  private static Pending ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  @Test
  void skippedByAnotherEndpoint_isNotSkippedByItsOwnBeyondWhatIsAllowed() {
    open(Order.FIFO, 1);
    submit(a(), 50);
    Pending large = submit(b(), 60);
    assertThat(went(submit(a(), 5))).isTrue();
    assertThat(waits(submit(b(), 5))).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void skippedByAnotherEndpoint_isNotSkippedByItsOwnOfAnotherLaneEither() {
    open(Order.FIFO, 1);
    submit(a(), 50);
    Pending large = submit(b(), 60);
    assertThat(went(submit(a(), 5))).isTrue();
    assertThat(waits(keptToU(b(), 5))).isTrue();
    assertThat(waits(large)).isTrue();
  }

  @Test
  void comesAfterOthersWereSkipped_wasNotSkippedItself() {
    open(Order.FIFO, 2);
    submit(a(), 50);
    Pending large = submit(b(), 60);
    assertThat(went(submit(a(), 5))).isTrue();
    submit(b(), 70);
    cancel(b(), large);
    assertThat(went(submit(a(), 5))).as("the first skip").isTrue();
    assertThat(went(submit(a(), 5))).as("the second skip").isTrue();
    assertThat(waits(submit(a(), 5))).as("a third one").isTrue();
  }

  @Test
  void comesAfterWhoGoes_isNotSkippedByIt() {
    Endpoint endpoint = house.open(tokens("/a", 100, 60).maxSkips(1).to(upstream("u", 0, 0)));
    Pending runs = ask(endpoint, "m", 100);
    Pending skipped = ask(endpoint, "m", 80);
    Pending goes = ask(endpoint, "n", 50);
    ask(endpoint, "m", 70);
    settlement(runs).served(new Usage(40, 0, 0), 0, START);
    house.drivers.run();
    assertThat(went(goes)).isTrue();
    cancel(endpoint, skipped);
    assertThat(went(ask(endpoint, "n", 5))).as("the first skip").isTrue();
    assertThat(waits(ask(endpoint, "n", 5))).as("a second one").isTrue();
  }

  @Test
  void firstOneGoesAway_othersKeepForTheNext() {
    open(Order.FIFO, 0);
    submit(a(), 50);
    Pending first = submit(b(), 80);
    Pending second = submit(b(), 60);
    cancel(b(), first);
    assertThat(waits(submit(a(), 5))).isTrue();
    house.at(61 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void orderChanged_othersKeepForWhoIsFirstThen() {
    open(Order.FIFO, 0);
    submit(a(), 50);
    Pending first = submit(b(), 80);
    Pending last = submit(b(), 60);
    b().reconfigure(none("/b").to(U).spec(scheduling(Order.LIFO, 0), OPEN));
    house.drivers.run();
    assertThat(waits(submit(a(), 5))).isTrue();
    house.at(61 * SECOND);
    assertThat(went(last)).isTrue();
    assertThat(waits(first)).isTrue();
  }

  @Test
  void newestFirst_olderOnesOfTheSameEndpointAreNotSkipped() {
    Scheduling lifo = scheduling(Order.LIFO, 0);
    Endpoint endpoint = house.open(tokens("/a", 100, 60).to(upstream("u", 0, 0)), lifo, OPEN);
    ask(endpoint, "m", 50);
    Pending older = ask(endpoint, "m", 80);
    assertThat(went(ask(endpoint, "n", 5))).isTrue();
    assertThat(waits(older)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"LIFO", "FIFO"})
  void olderOnesOfAnotherEndpointSkipNobody(Order order) {
    open(order, 0);
    Pending runs = submit(a(), 100);
    Pending older = submit(a(), 20);
    Pending newer = submit(b(), 80);
    settlement(runs).served(new Usage(60, 0, 0), 0, START);
    house.drivers.run();
    assertThat(went(older)).isTrue();
    assertThat(waits(newer)).isTrue();
  }

  @Test
  void onesOfHigherPriorityCame_whoMayNotBeSkippedBehindThemIsNot() {
    Endpoint endpoint = house.open(none("/b").to(U), scheduling(Order.PRIORITY, 1), OPEN);
    ranked(endpoint, 50, 0);
    Pending large = ranked(endpoint, 80, 5);
    assertThat(went(keptToU(endpoint, 5))).as("the only skip").isTrue();
    Pending first = ranked(endpoint, 90, 9);
    assertThat(waits(keptToU(endpoint, 5))).isTrue();
    assertThat(List.of(large, first)).allMatch(House::waits);
  }

  @Test
  void nobodyWaitsAnyMore_isNotWokenForOthers() {
    open(Order.FIFO, 64);
    Pending runs = submit(a(), 100);
    Pending leaves = submit(b(), 60);
    cancel(b(), leaves);
    settlement(runs).served(new Usage(60, 0, 0), 0, START);
    assertThat(house.drivers.driver(0).isIdle()).isTrue();
    assertThat(house.drivers.driver(1).isIdle()).isTrue();
  }
}
