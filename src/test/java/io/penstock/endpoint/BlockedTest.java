package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Binding.What;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import io.penstock.quota.LimitId.Kind;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of tickets that wait for a place in the queue: when they get it, and how they are refused.
 */
class BlockedTest {
  private static final Scheduling FIFO = Scheduling.fifo(64);

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static Waiting places(int tickets, int maxBlocked, long maxWaitNanos) {
    Bounds bounds = new Bounds(tickets, Bounds.UNLIMITED, Bounds.UNLIMITED);
    return new Waiting(bounds, maxBlocked, 0, false, maxWaitNanos, 0);
  }

  private static Pending impatient(Endpoint endpoint, String model) {
    Patience patience = new Patience(Patience.UNSAID, 5 * SECOND);
    return endpoint.submit(Ask.of(model, Cost.ofInput(1), 0, patience));
  }

  @Test
  void placeIsFree_whoIsLetInGoesAtOnceIfItCan() {
    Endpoint endpoint = house.open(tokens("/a", 100, 60), FIFO, places(1, 5, 0));
    submit(endpoint, 60);
    Pending queued = submit(endpoint, 80);
    Pending next = submit(endpoint, 90);
    Pending small = submit(endpoint, 5); // it would fit, but may not overtake blocked tickets
    for (Pending each : List.of(queued, next)) {
      assertThat(waits(small)).isTrue();
      endpoint.cancel(each);
      house.drivers.run();
    }
    assertThat(went(small)).isTrue();
  }

  @Test
  void letInWhileItsEndpointIsPaused_keepsNothingFromOthers() {
    UpstreamSpec u = upstream("u", 0, 100);
    house.registry.apply(
        List.of(
            none("/a").to(u).spec(Scheduling.fifo(0), places(1, 5, 0)), none("/b").to(u).spec()));
    Endpoint paused = house.endpoint("/a");
    paused.pause(true);
    house.drivers.run();
    submit(house.endpoint("/b"), 50);
    Pending expires = impatient(paused, "m");
    Pending large = submit(paused, 80);
    house.at(5 * SECOND);
    assertThat(refusal(expires).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(waits(large)).isTrue();
    assertThat(went(submit(house.endpoint("/b"), 5))).isTrue();
  }

  private Past past(Pending pending) {
    AtomicReference<Optional<Known>> told = new AtomicReference<>();
    house.registry.tickets().find(String.valueOf(pending.order()), told::set);
    return (Past) told.get().orElseThrow();
  }

  @Test
  void oneTooManyIsBlocked_isToldWhenTheNextGoes_andWhatWouldHoldIt() {
    Endpoint endpoint = house.open(strict("/a", 1, 10), FIFO, places(1, 1, 0));
    submit(endpoint, 1);
    submit(endpoint, 1);
    submit(endpoint, 1);
    house.at(4 * SECOND);
    Pending tooMany = submit(endpoint, 1);
    assertThat(refusal(tooMany))
        .isEqualTo(
            new Refusal(
                Reason.QUEUE_FULL,
                "the queue is full: it holds at most 1 blocked tickets",
                6 * SECOND));
    assertThat(past(tooMany).explanation().binds())
        .isEqualTo(
            new Binding(What.LIMIT, Kind.ENDPOINT, "/a", Measure.REQUESTS, START + 10 * SECOND));
  }

  @Test
  void oneTooManyIsBlocked_itsTimeIsNotWatchedAnyMore() {
    Endpoint endpoint = house.open(strict("/a", 1, 10), FIFO, places(1, 1, 60 * SECOND));
    submit(endpoint, 1);
    Pending queued = submit(endpoint, 1);
    Pending blocked = submit(endpoint, 1);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.QUEUE_FULL);
    house.at(25 * SECOND);
    assertThat(went(queued) && went(blocked)).isTrue();
    assertThat(house.drivers.nextAlarm()).isGreaterThan(START + 1_000 * SECOND);
  }

  @Test
  void limitLowered_whoIsBlockedAndNeverFitsAnyMoreIsRefused() {
    Endpoint endpoint = house.open(tokens("/a", 100, 10), FIFO, places(1, 5, 0));
    submit(endpoint, 100);
    submit(endpoint, 10);
    Pending blocked = submit(endpoint, 60);
    Pending small = submit(endpoint, 5);
    house.open(tokens("/a", 40, 10), FIFO, places(1, 5, 0));
    assertThat(refusal(blocked).reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(waits(small)).isTrue();
  }

  @Test
  void orderChanged_whoIsBlockedWaitsInTheNewOneOnceItIsLetIn() {
    Bounds bounds = new Bounds(10, 100, Bounds.UNLIMITED);
    Waiting waiting = new Waiting(bounds, 5, 0, false, 0, 0);
    Endpoint endpoint = house.open(strict("/a", 1, 1), FIFO, waiting);
    submit(endpoint, 1);
    Pending large = submit(endpoint, 100);
    Pending first = submit(endpoint, 10);
    Pending last = submit(endpoint, 10);
    Scheduling lifo = new Scheduling(Order.LIFO, 0, 64, new FairBy.Key());
    endpoint.reconfigure(strict("/a", 1, 1).spec(lifo, waiting));
    house.at(SECOND);
    assertThat(went(large)).isTrue(); // and both others get a place
    house.at(2 * SECOND);
    assertThat(went(last)).isTrue();
    assertThat(waits(first)).isTrue();
  }
}
