package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.OPEN;
import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.event.Event;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the turns of tickets when the order changes, or the first ticket does. */
class TurnTest {

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static Scheduling scheduling(QueueOrder queueOrder, int maxSkips) {
    return new Scheduling(queueOrder, 0, maxSkips, new FairBy.Key());
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  private List<Long> released() {
    return endpointFixture.recorded.of(Event.Released.class).stream()
        .map(Event.Released::ticket)
        .toList();
  }

  @Test
  void orderChanged_holdsForAllModels_andForWhoComesLater() {
    Endpoint endpoint =
        endpointFixture.open(strict("/a", 1, 1), scheduling(QueueOrder.FIFO, 64), OPEN);
    ParkedTicket first = ask(endpoint, "m", 1);
    ParkedTicket second = ask(endpoint, "m", 1);
    ParkedTicket third = ask(endpoint, "n", 1);
    ParkedTicket fourth = ask(endpoint, "m", 1);
    endpoint.reconfigure(strict("/a", 1, 1).scheduling(scheduling(QueueOrder.LIFO, 64)).spec());
    endpointFixture.drivers.run();
    ParkedTicket fifth = ask(endpoint, "n", 1);
    endpointFixture.at(4 * SECOND);
    assertThat(released())
        .containsExactly(
            first.order(), fifth.order(), fourth.order(), third.order(), second.order());
  }

  @Test
  void reconfiguredWhileItIsPaused_keepsNothingFromOthers() {
    UpstreamSpec u = upstream("u", 0, 100);
    endpointFixture.apply(none("/a").to(u).maxSkips(0), none("/b").to(u));
    submit(endpointFixture.endpoint("/b"), 50);
    ParkedTicket large = submit(endpointFixture.endpoint("/a"), 80);
    endpointFixture.endpoint("/a").pause(true);
    endpointFixture.drivers.run();
    endpointFixture.endpoint("/a").reconfigure(none("/a").to(u).maxSkips(0).maxWait(SECOND).spec());
    endpointFixture.drivers.run();
    assertThat(waits(large)).isTrue();
    assertThat(went(submit(endpointFixture.endpoint("/b"), 5))).isTrue();
  }

  @Test
  void alarmIsLate_whoseTimeWasUpBeforeItsTurn_isRefused() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 6).maxWait(5 * SECOND));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.ticker.advance(7 * SECOND);
    endpointFixture.drivers.driver(0).ring();
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
  }

  @Test
  void skippedOnce_isNotSkippedAgainByWhoTakesNothingItWaitsFor() {
    UpstreamSpec u = upstream("u", 0, 100);
    endpointFixture.apply(none("/a").to(u), none("/b").to(u).maxSkips(2));
    Endpoint passes = endpointFixture.endpoint("/a");
    ask(passes, "m", 50);
    ParkedTicket large = ask(endpointFixture.endpoint("/b"), "m", 60);
    assertThat(went(ask(passes, "m", 5))).as("the first skip").isTrue();
    for (int other = 0; other < 5; other++) {
      assertThat(went(ask(passes, "other", 5))).isTrue();
    }
    assertThat(went(ask(passes, "m", 5))).as("the second skip").isTrue();
    assertThat(waits(ask(passes, "m", 5))).as("a third one").isTrue();
    assertThat(waits(large)).isTrue();
  }

  /** Opens endpoint /a, with fair shares, and /b; they share upstream u, of 100 tokens. */
  private void openFair() {
    UpstreamSpec u = upstream("u", 0, 100);
    endpointFixture.registry.apply(
        List.of(
            none("/a").to(u).scheduling(scheduling(QueueOrder.FAIR, 0)).spec(),
            none("/b").to(u).spec()));
    endpointFixture.drivers.run();
  }

  private ParkedTicket of(String flow, long tokens) {
    TicketRequest.Flow whose = new TicketRequest.Flow(flow, 1);
    return endpointFixture
        .endpoint("/a")
        .submit(RequestFixture.of(null, Cost.ofInput(tokens)).flow(whose).made());
  }

  /**
   * Asserts that {@code first} goes before {@code other}: upstream u is claimed for it, so that a
   * ticket of /b may not pass.
   */
  private void assertGoesBefore(ParkedTicket first, ParkedTicket other) {
    assertThat(waits(submit(endpointFixture.endpoint("/b"), 5))).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(waits(other)).isTrue();
  }

  @Test
  void fair_oneFlowGets_othersKeepForTheOneWhoseTurnIsNext() {
    openFair();
    ParkedTicket runs = submit(endpointFixture.endpoint("/b"), 100);
    ParkedTicket x = of("x", 30);
    ParkedTicket nextOfX = of("x", 60);
    ParkedTicket y = of("y", 60);
    settlement(runs).served(new TokenUsage(60, 0, 0), 0, START);
    endpointFixture.drivers.run();
    assertThat(went(x)).isTrue();
    assertGoesBefore(y, nextOfX);
  }

  @Test
  void fair_oneFlowUsedMoreThanWasThought_othersKeepForTheOneWhoseTurnIsNext() {
    openFair();
    of("x", 30);
    ParkedTicket runs = of("y", 20);
    ParkedTicket y = of("y", 60);
    ParkedTicket x = of("x", 60);
    settlement(runs).served(new TokenUsage(60, 0, 0), 0, START);
    endpointFixture.drivers.run();
    assertGoesBefore(x, y);
  }
}
