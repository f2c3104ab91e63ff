package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.RefusalReason;
import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that no flow of a fair queue takes the places of the others. */
class FlowPlacesTest {
  private static final long ANY = QueueBounds.UNLIMITED;

  private final EndpointFixture endpointFixture = new EndpointFixture();

  private Endpoint open(QueueOrder order, QueueBounds bounds, int maxBlocked) {
    Scheduling scheduling = new Scheduling(order, 0, 64, new FairBy.Key());
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.strict("/a", 1, 10),
            scheduling,
            new Waiting(bounds, maxBlocked, 0, false, 0, 0, 0));
    submit(endpoint, "first", 1, 0); // goes at once, so that the next ones wait
    return endpoint;
  }

  private static ParkedTicket submit(Endpoint endpoint, String flow, long tokens, long bytes) {
    return endpoint.submit(
        RequestFixture.of(null, new Cost(tokens, 0, 0))
            .bytes(bytes)
            .flow(new TicketRequest.Flow(flow, 1))
            .made());
  }

  /** Returns how many of many tickets of a flow may wait. */
  private static int flood(Endpoint endpoint, String flow, long tokens, long bytes) {
    int waiting = 0;
    for (int each = 0; each < 2_000; each++) {
      waiting += waits(submit(endpoint, flow, tokens, bytes)) ? 1 : 0;
    }
    return waiting;
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({"1, 1", "3, 3", "4, 3", "8, 6", "1000, 750"})
  void oneFlow_takesThreeQuartersOfTheQueue(long places, int taken) {
    Endpoint endpoint = open(QueueOrder.FAIR, new QueueBounds(places, ANY, ANY), 0);
    assertThat(flood(endpoint, "hostile", 1, 0)).isEqualTo(taken);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void floodOfAFlow_leavesPlacesForEachFlowThatComesLater() {
    Endpoint endpoint = open(QueueOrder.FAIR, new QueueBounds(1_000, ANY, ANY), 0);
    List<Integer> taken = new ArrayList<>();
    for (int flow = 0; flow < 4; flow++) {
      taken.add(flood(endpoint, "flow-" + flow, 1, 0));
    }
    assertThat(taken).containsExactly(750, 188, 47, 12);
    ParkedTicket last = submit(endpoint, "modest", 1, 0);
    assertThat(waits(last)).isTrue();
    endpointFixture.at(50 * SECOND);
    assertThat(went(last)).isTrue();
  }

  @Test
  void refusal_saysWhatTheFlowHolds_andWhenThereIsAPlace() {
    Endpoint endpoint = open(QueueOrder.FAIR, new QueueBounds(8, ANY, ANY), 0);
    flood(endpoint, "hostile", 1, 0);
    ParkedTicket refused = submit(endpoint, "hostile", 1, 0);
    assertThat(refusal(refused).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    assertThat(refusal(refused).detail())
        .isEqualTo(
            "the queue is nearly full, and its flow already holds 6 of 8 tickets, which is its"
                + " share");
    assertThat(refusal(refused).retryAfterNanos()).isGreaterThan(0);
  }

  @Test
  void placeOfATicketThatWent_isFreeForItsFlow() {
    Endpoint endpoint = open(QueueOrder.FAIR, new QueueBounds(8, ANY, ANY), 0);
    flood(endpoint, "hostile", 1, 0);
    endpointFixture.at(10 * SECOND);
    assertThat(waits(submit(endpoint, "hostile", 1, 0))).isTrue();
    assertThat(waits(submit(endpoint, "hostile", 1, 0))).isFalse();
    EndpointFixture.assertBalanced(endpoint);
  }

  @Test
  void tokensAndBytes_areSharedLikePlaces() {
    Endpoint tokens = open(QueueOrder.FAIR, new QueueBounds(1_000, 800, ANY), 0);
    assertThat(flood(tokens, "hostile", 100, 0)).isEqualTo(6);
    assertThat(waits(submit(tokens, "other", 200, 0))).isTrue();
  }

  @Test
  void bytes_areSharedLikePlaces() {
    Endpoint bytes = open(QueueOrder.FAIR, new QueueBounds(1_000, ANY, 800), 0);
    assertThat(flood(bytes, "hostile", 1, 100)).isEqualTo(6);
    assertThat(waits(submit(bytes, "other", 1, 200))).isTrue();
  }

  @Test
  void largeTicketOfAFlowOfWhichNothingWaits_mayTakeTheWholeQueue() {
    Endpoint endpoint = open(QueueOrder.FAIR, new QueueBounds(1_000, 800, ANY), 0);
    assertThat(waits(submit(endpoint, "large", 800, 0))).isTrue();
  }

  @Test
  void whereTheQueueBlocks_oneFlowTakesThreeQuartersOfAllPlaces() {
    Endpoint endpoint = open(QueueOrder.FAIR, new QueueBounds(4, ANY, ANY), 4);
    assertThat(flood(endpoint, "hostile", 1, 0)).isEqualTo(6);
    assertThat(waits(submit(endpoint, "other", 1, 0))).isTrue();
    endpointFixture.at(200 * SECOND);
    EndpointFixture.assertBalanced(endpoint);
  }

  @ParameterizedTest
  @CsvSource({"FIFO", "LIFO", "PRIORITY", "RANDOM", "DEADLINE"})
  void otherOrders_knowNoFlows(QueueOrder order) {
    Endpoint endpoint = open(order, new QueueBounds(8, ANY, ANY), 0);
    assertThat(flood(endpoint, "hostile", 1, 0)).isEqualTo(8);
  }

  @Test
  void reloadThatMakesAQueueFair_countsWhatWaitsThereAlready() {
    Endpoint endpoint = open(QueueOrder.FIFO, new QueueBounds(8, ANY, ANY), 0);
    for (int each = 0; each < 6; each++) {
      assertThat(waits(submit(endpoint, "hostile", 1, 0))).isTrue();
    }
    open(QueueOrder.FAIR, new QueueBounds(8, ANY, ANY), 0);
    assertThat(waits(submit(endpoint, "hostile", 1, 0))).isFalse();
    assertThat(waits(submit(endpoint, "other", 1, 0))).isTrue();
  }
}
