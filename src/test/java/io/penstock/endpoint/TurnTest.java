package io.penstock.endpoint;

import static io.penstock.endpoint.House.OPEN;
import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.event.Event;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the turns of tickets when the order changes, or the first ticket does. */
class TurnTest {

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static Scheduling scheduling(Order order, int maxSkips) {
    return new Scheduling(order, 0, maxSkips, new FairBy.Key());
  }

  private static Pending ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  private List<Long> released() {
    return house.recorded.of(Event.Released.class).stream().map(Event.Released::ticket).toList();
  }

  @Test
  void orderChanged_holdsForAllModels_andForWhoComesLater() {
    Endpoint endpoint = house.open(strict("/a", 1, 1), scheduling(Order.FIFO, 64), OPEN);
    Pending first = ask(endpoint, "m", 1);
    Pending second = ask(endpoint, "m", 1);
    Pending third = ask(endpoint, "n", 1);
    Pending fourth = ask(endpoint, "m", 1);
    endpoint.reconfigure(strict("/a", 1, 1).spec(scheduling(Order.LIFO, 64), OPEN));
    house.drivers.run();
    Pending fifth = ask(endpoint, "n", 1);
    house.at(4 * SECOND);
    assertThat(released())
        .containsExactly(
            first.order(), fifth.order(), fourth.order(), third.order(), second.order());
  }

  @Test
  void reconfiguredWhileItIsPaused_keepsNothingFromOthers() {
    UpstreamSpec u = upstream("u", 0, 100);
    house.apply(none("/a").to(u).maxSkips(0), none("/b").to(u));
    submit(house.endpoint("/b"), 50);
    Pending large = submit(house.endpoint("/a"), 80);
    house.endpoint("/a").pause(true);
    house.drivers.run();
    house.endpoint("/a").reconfigure(none("/a").to(u).maxSkips(0).maxWait(SECOND).spec());
    house.drivers.run();
    assertThat(waits(large)).isTrue();
    assertThat(went(submit(house.endpoint("/b"), 5))).isTrue();
  }

  @Test
  void alarmIsLate_whoseTimeWasUpBeforeItsTurn_isRefused() {
    Endpoint endpoint = house.open(strict("/a", 1, 6).maxWait(5 * SECOND));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.ticker.advance(7 * SECOND);
    house.drivers.driver(0).ring();
    assertThat(refusal(second).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
  }

  @Test
  void skippedOnce_isNotSkippedAgainByWhoTakesNothingItWaitsFor() {
    UpstreamSpec u = upstream("u", 0, 100);
    house.apply(none("/a").to(u), none("/b").to(u).maxSkips(2));
    Endpoint passes = house.endpoint("/a");
    ask(passes, "m", 50);
    Pending large = ask(house.endpoint("/b"), "m", 60);
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
    house.registry.apply(
        List.of(none("/a").to(u).spec(scheduling(Order.FAIR, 0), OPEN), none("/b").to(u).spec()));
    house.drivers.run();
  }

  private Pending of(String flow, long tokens) {
    Ask.Flow whose = new Ask.Flow(flow, 1);
    return house
        .endpoint("/a")
        .submit(new Ask(null, Cost.ofInput(tokens), 0, Patience.DEFAULT, 0, whose));
  }

  /**
   * Asserts that {@code first} goes before {@code other}: upstream u is claimed for it, so that a
   * ticket of /b may not pass.
   */
  private void assertGoesBefore(Pending first, Pending other) {
    assertThat(waits(submit(house.endpoint("/b"), 5))).isTrue();
    house.at(61 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(waits(other)).isTrue();
  }

  @Test
  void fair_oneFlowGets_othersKeepForTheOneWhoseTurnIsNext() {
    openFair();
    Pending runs = submit(house.endpoint("/b"), 100);
    Pending x = of("x", 30);
    Pending nextOfX = of("x", 60);
    Pending y = of("y", 60);
    settlement(runs).served(new Usage(60, 0, 0), 0, START);
    house.drivers.run();
    assertThat(went(x)).isTrue();
    assertGoesBefore(y, nextOfX);
  }

  @Test
  void fair_oneFlowUsedMoreThanWasThought_othersKeepForTheOneWhoseTurnIsNext() {
    openFair();
    of("x", 30);
    Pending runs = of("y", 20);
    Pending y = of("y", 60);
    Pending x = of("x", 60);
    settlement(runs).served(new Usage(60, 0, 0), 0, START);
    house.drivers.run();
    assertGoesBefore(x, y);
  }
}
