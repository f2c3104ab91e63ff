package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.RefusalReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of blocked requests while the bounds change, and of requests without an estimate of their
 * wait.
 */
class QueueOverflowTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  private Endpoint open(QueueOrder order, QueueBounds queueBounds) {
    return open(EndpointFixture.strict("/a", 1, 10), order, queueBounds, 64);
  }

  private Endpoint open(
      EndpointSetup setup, QueueOrder order, QueueBounds queueBounds, int maxSkips) {
    Scheduling scheduling = new Scheduling(order, 0, maxSkips, new FairBy.Key());
    return endpointFixture.open(
        setup, scheduling, EndpointSetup.waiting(queueBounds, 10, 0, false, 0));
  }

  @Test
  void boundsLowered_whoNeverFitsAnyMoreIsRefusedAndBlocksNobody() {
    Endpoint endpoint = open(QueueOrder.FIFO, new QueueBounds(1, 100, QueueBounds.UNLIMITED));
    submit(endpoint, 1);
    submit(endpoint, 1);
    ParkedTicket large = submit(endpoint, 90);
    ParkedTicket small = submit(endpoint, 1);
    open(QueueOrder.FIFO, new QueueBounds(1, 50, QueueBounds.UNLIMITED));
    assertThat(refusal(large).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    endpointFixture.at(10 * SECOND);
    assertThat(waits(small)).isTrue();
    endpointFixture.at(20 * SECOND);
    assertThat(went(small)).isTrue();
    EndpointFixture.assertBalanced(endpoint);
  }

  @Test
  void timeOfTheBlockedIsUp_theyTakeNoPlaceFromWhoComesBeforeTheAlarm() {
    QueueBounds one = new QueueBounds(1, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);
    Scheduling fifo = EndpointSetup.fifo(64);
    Waiting oneMore = EndpointSetup.waiting(one, 1, 0, false, 5 * SECOND);
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 3_600), fifo, oneMore);
    submit(endpoint, 1);
    submit(endpoint, 1);
    ParkedTicket blocked = submit(endpoint, 1);
    endpointFixture.ticker.advance(6 * SECOND); // the clock jumps, and no alarm has rung
    ParkedTicket came = submit(endpoint, 1);
    assertThat(refusal(blocked).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(waits(came)).isTrue();
    EndpointFixture.assertBalanced(endpoint);
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  @Test
  void letInTogether_whoMayNotBeSkippedIsNot() {
    QueueBounds queueBounds = new QueueBounds(10, 100, QueueBounds.UNLIMITED);
    Endpoint endpoint =
        open(EndpointFixture.tokens("/a", 105, 10), QueueOrder.FIFO, queueBounds, 0);
    ask(endpoint, "c", 105);
    ask(endpoint, "c", 95);
    ParkedTicket first = ask(endpoint, "b", 8); // waits for a place, and so do all behind it
    ParkedTicket large = ask(endpoint, "a", 60);
    ParkedTicket other = ask(endpoint, "b", 2);
    ParkedTicket small = ask(endpoint, "a", 1);
    endpointFixture.at(10 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(waits(large)).isTrue();
    assertThat(waits(other)).isTrue();
    assertThat(waits(small)).isTrue();
    endpointFixture.at(20 * SECOND);
    assertThat(went(large)).isTrue();
    assertThat(went(other)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = QueueOrder.class,
      names = {"LIFO", "RANDOM"})
  void nobodyKnowsWhoIsNext_theFullLimitRefusesNobodyByEstimate(QueueOrder order) {
    Endpoint endpoint =
        open(order, new QueueBounds(10, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED));
    submit(endpoint, 1);
    WaitPatience impatient = new WaitPatience(3 * SECOND, Long.MAX_VALUE);
    ParkedTicket next =
        endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).patience(impatient).made());
    assertThat(waits(next)).isTrue();
    endpointFixture.at(3 * SECOND);
    assertThat(refusal(next).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
  }
}
