package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.OPEN;
import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
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
import io.penstock.event.Event;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of orders and full queues, seen from outside the endpoint. */
class OrderTest {

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private Endpoint open(EndpointSetup setup, QueueOrder queueOrder, Waiting waiting) {
    Scheduling scheduling = new Scheduling(queueOrder, 30 * SECOND, 64, new FairBy.Key());
    return endpointFixture.open(setup, scheduling, waiting);
  }

  private static ParkedTicket submit(Endpoint endpoint, long tokens, int priority, String flow) {
    return submit(endpoint, tokens, priority, flow, WaitPatience.DEFAULT);
  }

  private static ParkedTicket submit(
      Endpoint endpoint, long tokens, int priority, String flow, WaitPatience patience) {
    TicketRequest.Flow whose = new TicketRequest.Flow(flow, 1);
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(tokens))
            .bytes(10)
            .patience(patience)
            .priority(priority)
            .flow(whose)
            .made());
  }

  private List<Long> released() {
    return endpointFixture.recorded.of(Event.Released.class).stream()
        .map(Event.Released::ticket)
        .toList();
  }

  private List<Long> orderOf(QueueOrder queueOrder) {
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 1), queueOrder, OPEN);
    List<Long> relative = new ArrayList<>();
    ParkedTicket first = submit(endpoint, 1, 0, "first");
    int[] priorities = {0, 5, 0, 9};
    long[] deadlines = {90, 60, 30, 80};
    String[] flows = {"a", "a", "b", "c"};
    for (int at = 0; at < 4; at++) {
      WaitPatience patience = new WaitPatience(WaitPatience.UNSTATED, deadlines[at] * SECOND);
      submit(endpoint, 1, priorities[at], flows[at], patience);
    }
    endpointFixture.at(10 * SECOND);
    released().stream().skip(1).forEach(each -> relative.add(each - first.order()));
    return relative;
  }

  @Test
  void eachOrder_releasesAsItSays() {
    assertThat(orderOf(QueueOrder.FIFO)).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void lifo_newestFirst() {
    assertThat(orderOf(QueueOrder.LIFO)).containsExactly(4L, 3L, 2L, 1L);
  }

  @Test
  void priority_highestFirst() {
    assertThat(orderOf(QueueOrder.PRIORITY)).containsExactly(4L, 2L, 1L, 3L);
  }

  @Test
  void deadline_earliestFirst() {
    assertThat(orderOf(QueueOrder.DEADLINE)).containsExactly(3L, 2L, 4L, 1L);
  }

  @Test
  void fair_eachFlowInTurn() {
    assertThat(orderOf(QueueOrder.FAIR)).containsExactly(1L, 3L, 4L, 2L);
  }

  @Test
  void random_everybodyOnce() {
    assertThat(orderOf(QueueOrder.RANDOM)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void orderChanged_whoWaitsIsPutInTheNewOne(QueueOrder queueOrder) {
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 1), queueOrder, OPEN);
    List<ParkedTicket> all = new ArrayList<>();
    for (int each = 0; each < 5; each++) {
      all.add(submit(endpoint, 1, each % 3, "f" + each % 2));
    }
    open(EndpointFixture.strict("/a", 1, 1), QueueOrder.LIFO, OPEN);
    endpointFixture.at(4 * SECOND);
    assertThat(released())
        .containsExactly(
            all.get(0).order(),
            all.get(4).order(),
            all.get(3).order(),
            all.get(2).order(),
            all.get(1).order());
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void fullQueue_refusesWhateverTheOrder(QueueOrder queueOrder) {
    Waiting two =
        EndpointSetup.waiting(
            new QueueBounds(2, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED), 0, 0, false, 0);
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 1), queueOrder, two);
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    assertThat(refusal(submit(endpoint, 1, 9, "b")).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
  }

  @Test
  void estimate_countsThoseAheadInOrder_lifoAndRandomNeverRefuseByIt() {
    for (QueueOrder queueOrder : QueueOrder.values()) {
      EndpointFixture fresh = new EndpointFixture();
      OrderTest test = new OrderTest();
      Endpoint endpoint = test.open(EndpointFixture.strict("/a", 1, 1), queueOrder, OPEN);
      for (int each = 0; each < 10; each++) {
        submit(endpoint, 1, 0, "busy");
      }
      WaitPatience short3 = new WaitPatience(3 * SECOND, Long.MAX_VALUE);
      ParkedTicket urgent = submit(endpoint, 1, 9, "other", short3);
      boolean goesSoon = queueOrder != QueueOrder.FIFO;
      assertThat(waits(urgent)).as(queueOrder.toString()).isEqualTo(goesSoon);
      fresh.registry.all().forEach(EndpointFixture::assertBalanced);
    }
  }

  private static Waiting block(int tickets, long tokens, int maxBlocked) {
    return EndpointSetup.waiting(
        new QueueBounds(tickets, tokens, QueueBounds.UNLIMITED), maxBlocked, 0, false, 0);
  }

  @Test
  void overflowBlocks_untilThereIsAPlace_inOrderOfArrival() {
    Endpoint endpoint =
        open(
            EndpointFixture.strict("/a", 1, 1),
            QueueOrder.LIFO,
            block(1, QueueBounds.UNLIMITED, 2));
    submit(endpoint, 1, 0, "a");
    ParkedTicket queued = submit(endpoint, 1, 0, "a");
    ParkedTicket blocked = submit(endpoint, 1, 0, "a");
    ParkedTicket next = submit(endpoint, 1, 0, "a");
    ParkedTicket tooMany = submit(endpoint, 1, 0, "a");
    assertThat(refusal(tooMany).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    endpointFixture.at(3 * SECOND);
    // Newest first, but only among the tickets in the queue, which has one place.
    assertThat(released()).endsWith(queued.order(), blocked.order(), next.order());
    assertThat(settlement(next).waitedNanos()).isEqualTo(3 * SECOND);
  }

  @Test
  void blocked_leavesAndExpiresLikeAnybodyElse() {
    Endpoint endpoint =
        open(
            EndpointFixture.strict("/a", 1, 10),
            QueueOrder.FIFO,
            block(1, QueueBounds.UNLIMITED, 10));
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    ParkedTicket leaves = submit(endpoint, 1, 0, "a");
    ParkedTicket expires =
        submit(endpoint, 1, 0, "a", new WaitPatience(0, 5 * SECOND)); // without an estimate
    ParkedTicket stays = submit(endpoint, 1, 0, "a");
    leaves.cancel();
    endpointFixture.at(5 * SECOND);
    assertThat(refusal(expires).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    endpointFixture.at(20 * SECOND);
    assertThat(went(stays)).isTrue();
  }

  @Test
  void largerThanTheQueueEverHolds_isRefusedAndBlocksNobody() {
    Endpoint endpoint =
        open(EndpointFixture.strict("/a", 1, 1), QueueOrder.FIFO, block(10, 100, 10));
    submit(endpoint, 1, 0, "a");
    assertThat(waits(submit(endpoint, 60, 0, "a"))).isTrue();
    assertThat(refusal(submit(endpoint, 101, 0, "a")).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    ParkedTicket blocked = submit(endpoint, 60, 0, "a");
    assertThat(waits(blocked)).isTrue();
    ParkedTicket small = submit(endpoint, 1, 0, "a");
    endpointFixture.at(SECOND);
    endpointFixture.at(2 * SECOND);
    assertThat(went(blocked)).isTrue();
    endpointFixture.at(3 * SECOND);
    assertThat(went(small)).isTrue();
  }

  @Test
  void endpointRemoved_blockedAreRefusedToo() {
    Endpoint endpoint =
        open(
            EndpointFixture.strict("/a", 1, 10),
            QueueOrder.FIFO,
            block(1, QueueBounds.UNLIMITED, 10));
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    ParkedTicket blocked = submit(endpoint, 1, 0, "a");
    endpointFixture.registry.apply(List.of(EndpointFixture.strict("/b", 1, 1).spec()));
    endpointFixture.drivers.run();
    assertThat(refusal(blocked).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    EndpointFixture.assertBalanced(endpoint);
  }

  @Test
  void estimateOnly_refusesAtArrivalAndEndsNoWait() {
    Waiting rls =
        EndpointSetup.waiting(
            new QueueBounds(10, QueueBounds.UNLIMITED, 1 << 20), 0, SECOND, true, 0);
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 1), QueueOrder.LIFO, rls);
    submit(endpoint, 1, 0, "a");
    ParkedTicket first = submit(endpoint, 1, 0, "a");
    ParkedTicket second = submit(endpoint, 1, 0, "a");
    endpointFixture.at(2 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(went(second)).isTrue();
  }
}
