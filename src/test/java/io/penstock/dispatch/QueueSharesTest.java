package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.pool.AttemptFailure;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.RefusalReason;
import io.penstock.suite.Hostile;
import io.penstock.tenant.PromiseHolder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that no flow of a fair queue takes the places of the others, and in any order no tenant
 * does beside which another one is active.
 */
class QueueSharesTest {
  private static final long ANY = QueueBounds.UNLIMITED;

  private final EndpointFixture endpointFixture = new EndpointFixture();

  private Endpoint open(QueueOrder order, QueueBounds bounds, int maxBlocked) {
    Scheduling scheduling = new Scheduling(order, 0, 64, new FairBy.Key());
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.strict("/a", 1, 10),
            scheduling,
            EndpointSetup.waiting(bounds, maxBlocked, 0, false, 0));
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
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FAIR")
  void otherOrders_knowNoFlows_andATenantAloneMayFillTheQueue(QueueOrder order) {
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

  private static ParkedTicket ask(Endpoint endpoint, String key, long tokens, long bytes) {
    return endpoint.submit(
        RequestFixture.of(null, new Cost(tokens, 0, 0))
            .bytes(bytes)
            .origin(new TicketRequest.Origin(null, key, "a group of all keys"))
            .flow(new TicketRequest.Flow(key, 1))
            .made());
  }

  private static List<ParkedTicket> ask(Endpoint endpoint, String key, int times) {
    List<ParkedTicket> tickets = new ArrayList<>();
    for (int each = 0; each < times; each++) {
      tickets.add(ask(endpoint, key, 1, 0));
    }
    return tickets;
  }

  private static long waiting(List<ParkedTicket> tickets) {
    return tickets.stream().filter(each -> waits(each)).count();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @EnumSource
  void keyBesideAnActiveOne_leavesPlacesInEveryOrder(QueueOrder order) {
    Endpoint endpoint = open(order, new QueueBounds(8, ANY, ANY), 0);
    ParkedTicket modest = ask(endpoint, "modest", 1, 0);
    List<ParkedTicket> hostile = ask(endpoint, "hostile", 20);
    assertThat(waits(modest)).isTrue();
    assertThat(waiting(hostile)).isEqualTo(6);
    assertThat(refusal(hostile.getLast()).detail())
        .endsWith("already holds 6 of 8 tickets, which is its share");
    assertThat(waits(ask(endpoint, "modest", 1, 0))).isTrue();
    EndpointFixture.assertBalanced(endpoint);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyAtAnEndpointWithUpstreams_leavesPlacesForOthers() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/up")
                .bounds(1_000, ANY, ANY)
                .to(EndpointFixture.upstream("up", 1, 0)));
    assertThat(ask(endpoint, "modest", 1)).allMatch(each -> went(each));
    assertThat(waiting(ask(endpoint, "hostile", 2_000))).isEqualTo(750);
    assertThat(waiting(ask(endpoint, "other", 2_000))).isEqualTo(188);
    assertThat(waiting(ask(endpoint, "modest", 10))).isEqualTo(10);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyThatFilledTheQueueAlone_getsNoPlaceOnceAnotherOneCame() {
    Endpoint endpoint = open(QueueOrder.FIFO, new QueueBounds(8, ANY, ANY), 0);
    endpointFixture.at(3_700 * SECOND);
    ask(endpoint, "hostile", 1);
    assertThat(waiting(ask(endpoint, "hostile", 20))).isEqualTo(8);
    assertThat(refusal(ask(endpoint, "modest", 1, 0)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    endpointFixture.at(3_711 * SECOND);
    assertThat(waits(ask(endpoint, "hostile", 1, 0))).isFalse();
    assertThat(waits(ask(endpoint, "modest", 1, 0))).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyThatIsRefusedBeforeItsBodyIsRead_isActive() {
    Endpoint endpoint = open(QueueOrder.FIFO, new QueueBounds(8, ANY, ANY), 0);
    assertThat(flood(endpoint, "any", 1, 0)).isEqualTo(8);
    assertThat(endpoint.certainRefusal(new PromiseHolder("modest", ""), null)).isNotNull();
    endpointFixture.at(11 * SECOND);
    assertThat(waits(submit(endpoint, "any", 1, 0))).isFalse();
    assertThat(waits(ask(endpoint, "modest", 1, 0))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"3600, 6", "3602, 8"})
  void keyThatSentNothingForAnHour_isNotActive(long seconds, int places) {
    Endpoint endpoint = open(QueueOrder.FIFO, new QueueBounds(8, ANY, ANY), 0);
    endpointFixture.at(seconds * SECOND);
    ask(endpoint, "hostile", 1);
    assertThat(waiting(ask(endpoint, "hostile", 20))).isEqualTo(places);
  }

  @Test
  void keyThatWaits_isActiveForAsLongAsItDoes() {
    Scheduling scheduling = new Scheduling(QueueOrder.FIFO, 0, 64, new FairBy.Key());
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.strict("/slow", 1, 100_000),
            scheduling,
            EndpointSetup.waiting(new QueueBounds(8, ANY, ANY), 0, 0, false, 0));
    List<ParkedTicket> modest = ask(endpoint, "modest", 2);
    endpointFixture.at(7_300 * SECOND);
    assertThat(waits(modest.getLast())).isTrue();
    assertThat(waiting(ask(endpoint, "hostile", 20))).isEqualTo(6);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tokensAreSharedByKey() {
    Endpoint endpoint = open(QueueOrder.PRIORITY, new QueueBounds(1_000, 800, ANY), 0);
    List<ParkedTicket> hostile = new ArrayList<>();
    for (int each = 0; each < 10; each++) {
      hostile.add(ask(endpoint, "hostile", 100, 0));
    }
    assertThat(waiting(hostile)).isEqualTo(6);
    assertThat(waits(ask(endpoint, "modest", 200, 0))).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bytesAreSharedByKey() {
    Endpoint endpoint = open(QueueOrder.DEADLINE, new QueueBounds(1_000, ANY, 800), 0);
    List<ParkedTicket> hostile = new ArrayList<>();
    for (int each = 0; each < 10; each++) {
      hostile.add(ask(endpoint, "hostile", 1, 100));
    }
    assertThat(waiting(hostile)).isEqualTo(6);
    assertThat(refusal(hostile.getLast()).detail())
        .contains("its key already holds 600 of 800 bytes");
    assertThat(waits(ask(endpoint, "modest", 1, 200))).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void whereTheQueueBlocks_oneKeyTakesThreeQuartersOfAllPlaces() {
    Endpoint endpoint = open(QueueOrder.FIFO, new QueueBounds(4, ANY, ANY), 4);
    List<ParkedTicket> hostile = ask(endpoint, "hostile", 20);
    assertThat(waiting(hostile)).isEqualTo(6);
    assertThat(waits(ask(endpoint, "modest", 1, 0))).isTrue();
    hostile.getFirst().cancel();
    hostile.get(5).cancel();
    endpointFixture.drivers.run();
    assertThat(waiting(ask(endpoint, "hostile", 20))).isEqualTo(2);
    endpointFixture.at(200 * SECOND);
    EndpointFixture.assertBalanced(endpoint);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyWithManyFlows_hasOneShare() {
    Endpoint endpoint = open(QueueOrder.FAIR, new QueueBounds(100, ANY, ANY), 0);
    int waiting = 0;
    for (int each = 0; each < 500; each++) {
      ParkedTicket ticket =
          endpoint.submit(
              RequestFixture.of(null, new Cost(1, 0, 0))
                  .origin(new TicketRequest.Origin(null, "hostile", null))
                  .flow(new TicketRequest.Flow("made up " + each, 1))
                  .made());
      waiting += waits(ticket) ? 1 : 0;
    }
    assertThat(waiting).isEqualTo(75);
    assertThat(waiting(ask(endpoint, "modest", 10))).isEqualTo(10);
  }

  @Test
  void clientsWithoutKeys_shareByAddress() {
    Endpoint endpoint = open(QueueOrder.FIFO, new QueueBounds(8, ANY, ANY), 0);
    List<ParkedTicket> hostile = new ArrayList<>();
    for (int each = 0; each < 20; each++) {
      hostile.add(
          endpoint.submit(RequestFixture.of(null, new Cost(1, 0, 0)).tenant("192.0.2.1").made()));
    }
    assertThat(waiting(hostile)).isEqualTo(6);
    assertThat(refusal(hostile.getLast()).detail()).contains("its client already holds");
  }

  @Test
  void ticketThatComesBack_countsForItsKey_andIsNotRefused() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/up")
                .bounds(8, ANY, ANY)
                .to(EndpointFixture.upstream("up", 1, 0)));
    ParkedTicket first = ask(endpoint, "hostile", 1, 0);
    assertThat(waits(ask(endpoint, "modest", 1, 0))).isTrue();
    assertThat(waiting(ask(endpoint, "hostile", 20))).isEqualTo(6);
    ParkedTicket back = again(first);
    assertThat(waits(back)).isTrue();
    back.cancel();
    endpointFixture.drivers.run();
    assertThat(waits(ask(endpoint, "hostile", 1, 0))).isFalse();
  }

  private ParkedTicket again(ParkedTicket ticket) {
    ParkedTicket next =
        EndpointFixture.settlement(ticket)
            .retry(AttemptFailure.BROKEN, false, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    return Objects.requireNonNull(next);
  }
}
