package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of blocked requests while the bounds change, and of requests without an estimate of their
 * wait.
 */
class OverflowTest {
  private final House house = new House();

  private Endpoint open(Order order, Bounds bounds) {
    return open(House.strict("/a", 1, 10), order, bounds, 64);
  }

  private Endpoint open(House.Setup setup, Order order, Bounds bounds, int maxSkips) {
    Scheduling scheduling = new Scheduling(order, 0, maxSkips, new FairBy.Key());
    return house.open(setup, scheduling, new Waiting(bounds, 10, 0, false, 0, 0));
  }

  @Test
  void boundsLowered_whoNeverFitsAnyMoreIsRefusedAndBlocksNobody() {
    Endpoint endpoint = open(Order.FIFO, new Bounds(1, 100, Bounds.UNLIMITED));
    submit(endpoint, 1);
    submit(endpoint, 1);
    Pending large = submit(endpoint, 90);
    Pending small = submit(endpoint, 1);
    open(Order.FIFO, new Bounds(1, 50, Bounds.UNLIMITED));
    assertThat(refusal(large).reason()).isEqualTo(Reason.QUEUE_FULL);
    house.at(10 * SECOND);
    assertThat(waits(small)).isTrue();
    house.at(20 * SECOND);
    assertThat(went(small)).isTrue();
    House.assertBalanced(endpoint);
  }

  @Test
  void timeOfTheBlockedIsUp_theyTakeNoPlaceFromWhoComesBeforeTheAlarm() {
    Bounds one = new Bounds(1, Bounds.UNLIMITED, Bounds.UNLIMITED);
    Scheduling fifo = Scheduling.fifo(64);
    Waiting oneMore = new Waiting(one, 1, 0, false, 5 * SECOND, 0);
    Endpoint endpoint = house.open(House.strict("/a", 1, 3_600), fifo, oneMore);
    submit(endpoint, 1);
    submit(endpoint, 1);
    Pending blocked = submit(endpoint, 1);
    house.ticker.advance(6 * SECOND); // the clock jumps, and no alarm has rung
    Pending came = submit(endpoint, 1);
    assertThat(refusal(blocked).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(waits(came)).isTrue();
    House.assertBalanced(endpoint);
  }

  private static Pending ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  @Test
  void letInTogether_whoMayNotBeSkippedIsNot() {
    Bounds bounds = new Bounds(10, 100, Bounds.UNLIMITED);
    Endpoint endpoint = open(House.tokens("/a", 105, 10), Order.FIFO, bounds, 0);
    ask(endpoint, "c", 105);
    ask(endpoint, "c", 95);
    Pending first = ask(endpoint, "b", 8); // waits for a place, and so do all behind it
    Pending large = ask(endpoint, "a", 60);
    Pending other = ask(endpoint, "b", 2);
    Pending small = ask(endpoint, "a", 1);
    house.at(10 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(waits(large)).isTrue();
    assertThat(waits(other)).isTrue();
    assertThat(waits(small)).isTrue();
    house.at(20 * SECOND);
    assertThat(went(large)).isTrue();
    assertThat(went(other)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Order.class,
      names = {"LIFO", "RANDOM"})
  void nobodyKnowsWhoIsNext_theFullLimitRefusesNobodyByEstimate(Order order) {
    Endpoint endpoint = open(order, new Bounds(10, Bounds.UNLIMITED, Bounds.UNLIMITED));
    submit(endpoint, 1);
    Patience impatient = new Patience(3 * SECOND, Long.MAX_VALUE);
    Pending next = endpoint.submit(Ask.of(null, Cost.ofInput(1), 0, impatient));
    assertThat(waits(next)).isTrue();
    house.at(3 * SECOND);
    assertThat(refusal(next).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
  }
}
