package io.penstock.endpoint;

import static io.penstock.endpoint.House.OPEN;
import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.event.Event;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of orders and full queues, seen from outside the endpoint. */
class OrderTest {

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private Endpoint open(House.Setup setup, Order order, Waiting waiting) {
    Scheduling scheduling = new Scheduling(order, 30 * SECOND, 64, new FairBy.Key());
    return house.open(setup, scheduling, waiting);
  }

  private static Pending submit(Endpoint endpoint, long tokens, int priority, String flow) {
    return submit(endpoint, tokens, priority, flow, Patience.DEFAULT);
  }

  private static Pending submit(
      Endpoint endpoint, long tokens, int priority, String flow, Patience patience) {
    Ask.Flow whose = new Ask.Flow(flow, 1);
    return endpoint.submit(new Ask(null, Cost.ofInput(tokens), 10, patience, priority, whose));
  }

  private List<Long> released() {
    return house.recorded.of(Event.Released.class).stream().map(Event.Released::ticket).toList();
  }

  private List<Long> orderOf(Order order) {
    Endpoint endpoint = open(House.strict("/a", 1, 1), order, OPEN);
    List<Long> relative = new ArrayList<>();
    Pending first = submit(endpoint, 1, 0, "first");
    int[] priorities = {0, 5, 0, 9};
    long[] deadlines = {90, 60, 30, 80};
    String[] flows = {"a", "a", "b", "c"};
    for (int at = 0; at < 4; at++) {
      Patience patience = new Patience(Patience.UNSAID, deadlines[at] * SECOND);
      submit(endpoint, 1, priorities[at], flows[at], patience);
    }
    house.at(10 * SECOND);
    released().stream().skip(1).forEach(each -> relative.add(each - first.order()));
    return relative;
  }

  @Test
  void eachOrder_releasesAsItSays() {
    assertThat(orderOf(Order.FIFO)).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void lifo_newestFirst() {
    assertThat(orderOf(Order.LIFO)).containsExactly(4L, 3L, 2L, 1L);
  }

  @Test
  void priority_highestFirst() {
    assertThat(orderOf(Order.PRIORITY)).containsExactly(4L, 2L, 1L, 3L);
  }

  @Test
  void deadline_earliestFirst() {
    assertThat(orderOf(Order.DEADLINE)).containsExactly(3L, 2L, 4L, 1L);
  }

  @Test
  void fair_eachFlowInTurn() {
    assertThat(orderOf(Order.FAIR)).containsExactly(1L, 3L, 4L, 2L);
  }

  @Test
  void random_everybodyOnce() {
    assertThat(orderOf(Order.RANDOM)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void orderChanged_whoWaitsIsPutInTheNewOne(Order order) {
    Endpoint endpoint = open(House.strict("/a", 1, 1), order, OPEN);
    List<Pending> all = new ArrayList<>();
    for (int each = 0; each < 5; each++) {
      all.add(submit(endpoint, 1, each % 3, "f" + each % 2));
    }
    open(House.strict("/a", 1, 1), Order.LIFO, OPEN);
    house.at(4 * SECOND);
    assertThat(released())
        .containsExactly(
            all.get(0).order(),
            all.get(4).order(),
            all.get(3).order(),
            all.get(2).order(),
            all.get(1).order());
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void fullQueue_refusesWhateverTheOrder(Order order) {
    Waiting two = Waiting.of(new Bounds(2, Bounds.UNLIMITED, Bounds.UNLIMITED), 0, 0);
    Endpoint endpoint = open(House.strict("/a", 1, 1), order, two);
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    assertThat(refusal(submit(endpoint, 1, 9, "b")).reason()).isEqualTo(Reason.QUEUE_FULL);
  }

  @Test
  void estimate_countsThoseAheadInOrder_lifoAndRandomNeverRefuseByIt() {
    for (Order order : Order.values()) {
      House fresh = new House();
      OrderTest test = new OrderTest();
      Endpoint endpoint = test.open(House.strict("/a", 1, 1), order, OPEN);
      for (int each = 0; each < 10; each++) {
        submit(endpoint, 1, 0, "busy");
      }
      Patience short3 = new Patience(3 * SECOND, Long.MAX_VALUE);
      Pending urgent = submit(endpoint, 1, 9, "other", short3);
      boolean goesSoon = order != Order.FIFO;
      assertThat(waits(urgent)).as(order.toString()).isEqualTo(goesSoon);
      fresh.registry.all().forEach(House::assertBalanced);
    }
  }

  private static Waiting block(int tickets, long tokens, int maxBlocked) {
    return new Waiting(new Bounds(tickets, tokens, Bounds.UNLIMITED), maxBlocked, 0, false, 0, 0);
  }

  @Test
  void overflowBlocks_untilThereIsAPlace_inOrderOfArrival() {
    Endpoint endpoint = open(House.strict("/a", 1, 1), Order.LIFO, block(1, Bounds.UNLIMITED, 2));
    submit(endpoint, 1, 0, "a");
    Pending queued = submit(endpoint, 1, 0, "a");
    Pending blocked = submit(endpoint, 1, 0, "a");
    Pending next = submit(endpoint, 1, 0, "a");
    Pending tooMany = submit(endpoint, 1, 0, "a");
    assertThat(refusal(tooMany).reason()).isEqualTo(Reason.QUEUE_FULL);
    house.at(3 * SECOND);
    // Newest first, but only among the tickets in the queue, which has one place.
    assertThat(released()).endsWith(queued.order(), blocked.order(), next.order());
    assertThat(settlement(next).waitedNanos()).isEqualTo(3 * SECOND);
  }

  @Test
  void blocked_leavesAndExpiresLikeAnybodyElse() {
    Endpoint endpoint = open(House.strict("/a", 1, 10), Order.FIFO, block(1, Bounds.UNLIMITED, 10));
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    Pending leaves = submit(endpoint, 1, 0, "a");
    Pending expires = submit(endpoint, 1, 0, "a", new Patience(Patience.UNSAID, 5 * SECOND));
    Pending stays = submit(endpoint, 1, 0, "a");
    endpoint.cancel(leaves);
    house.at(5 * SECOND);
    assertThat(refusal(expires).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    house.at(20 * SECOND);
    assertThat(went(stays)).isTrue();
  }

  @Test
  void largerThanTheQueueEverHolds_isRefusedAndBlocksNobody() {
    Endpoint endpoint = open(House.strict("/a", 1, 1), Order.FIFO, block(10, 100, 10));
    submit(endpoint, 1, 0, "a");
    assertThat(waits(submit(endpoint, 60, 0, "a"))).isTrue();
    assertThat(refusal(submit(endpoint, 101, 0, "a")).reason()).isEqualTo(Reason.QUEUE_FULL);
    Pending blocked = submit(endpoint, 60, 0, "a");
    assertThat(waits(blocked)).isTrue();
    Pending small = submit(endpoint, 1, 0, "a");
    house.at(SECOND);
    house.at(2 * SECOND);
    assertThat(went(blocked)).isTrue();
    house.at(3 * SECOND);
    assertThat(went(small)).isTrue();
  }

  @Test
  void endpointRemoved_blockedAreRefusedToo() {
    Endpoint endpoint = open(House.strict("/a", 1, 10), Order.FIFO, block(1, Bounds.UNLIMITED, 10));
    submit(endpoint, 1, 0, "a");
    submit(endpoint, 1, 0, "a");
    Pending blocked = submit(endpoint, 1, 0, "a");
    house.registry.apply(List.of(House.strict("/b", 1, 1).spec()));
    house.drivers.run();
    assertThat(refusal(blocked).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    House.assertBalanced(endpoint);
  }

  @Test
  void estimateOnly_refusesAtArrivalAndEndsNoWait() {
    Waiting rls = new Waiting(new Bounds(10, Bounds.UNLIMITED, 1 << 20), 0, SECOND, true, 0, 0);
    Endpoint endpoint = open(House.strict("/a", 1, 1), Order.LIFO, rls);
    submit(endpoint, 1, 0, "a");
    Pending first = submit(endpoint, 1, 0, "a");
    Pending second = submit(endpoint, 1, 0, "a");
    house.at(2 * SECOND);
    assertThat(went(first)).isTrue();
    assertThat(went(second)).isTrue();
  }
}
