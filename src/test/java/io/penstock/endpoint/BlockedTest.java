package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.explain.PastTicket;
import io.penstock.explain.TicketRecord;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId.Kind;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of tickets that wait for a place in the queue: when they get it, and how they are refused.
 */
class BlockedTest {
  private static final Scheduling FIFO = EndpointSetup.fifo(64);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static Waiting places(int tickets, int maxBlocked, long maxWaitNanos) {
    QueueBounds bounds = new QueueBounds(tickets, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);
    return EndpointSetup.waiting(bounds, maxBlocked, 0, false, maxWaitNanos);
  }

  private static ParkedTicket impatient(Endpoint endpoint, String model) {
    WaitPatience patience = new WaitPatience(WaitPatience.UNSTATED, 5 * SECOND);
    return endpoint.submit(RequestFixture.of(model, Cost.ofInput(1)).patience(patience).made());
  }

  @Test
  void placeIsFree_whoIsLetInGoesAtOnceIfItCan() {
    Endpoint endpoint = endpointFixture.open(tokens("/a", 100, 60), FIFO, places(1, 5, 0));
    submit(endpoint, 60);
    ParkedTicket queued = submit(endpoint, 80);
    ParkedTicket next = submit(endpoint, 90);
    ParkedTicket small = submit(endpoint, 5); // it would fit, but may not overtake blocked tickets
    for (ParkedTicket each : List.of(queued, next)) {
      assertThat(waits(small)).isTrue();
      each.cancel();
      endpointFixture.drivers.run();
    }
    assertThat(went(small)).isTrue();
  }

  @Test
  void letInWhileItsEndpointIsPaused_keepsNothingFromOthers() {
    UpstreamSpec u = upstream("u", 0, 100);
    endpointFixture.registry.apply(
        List.of(
            none("/a").to(u).maxSkips(0).waiting(places(1, 5, 0)).spec(), none("/b").to(u).spec()));
    Endpoint paused = endpointFixture.endpoint("/a");
    paused.pause(true);
    endpointFixture.drivers.run();
    submit(endpointFixture.endpoint("/b"), 50);
    ParkedTicket expires = impatient(paused, "m");
    ParkedTicket large = submit(paused, 80);
    endpointFixture.at(5 * SECOND);
    assertThat(refusal(expires).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(waits(large)).isTrue();
    assertThat(went(submit(endpointFixture.endpoint("/b"), 5))).isTrue();
  }

  private PastTicket past(ParkedTicket parkedTicket) {
    AtomicReference<Optional<TicketRecord>> told = new AtomicReference<>();
    endpointFixture.registry.tickets().find(String.valueOf(parkedTicket.order()), told::set);
    return (PastTicket) told.get().orElseThrow();
  }

  @Test
  void oneTooManyIsBlocked_isToldWhenTheNextGoes_andWhatWouldHoldIt() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 10), FIFO, places(1, 1, 0));
    submit(endpoint, 1);
    submit(endpoint, 1);
    submit(endpoint, 1);
    endpointFixture.at(4 * SECOND);
    ParkedTicket tooMany = submit(endpoint, 1);
    assertThat(refusal(tooMany))
        .isEqualTo(
            new Refusal(
                RefusalReason.QUEUE_FULL,
                "the queue is full: it holds at most 1 blocked tickets",
                6 * SECOND));
    assertThat(past(tooMany).explanation().binding())
        .isEqualTo(
            new BindingLimit(
                Cause.LIMIT, Kind.ENDPOINT, "/a", LimitMeasure.REQUESTS, START + 10 * SECOND));
  }

  @Test
  void oneTooManyIsBlocked_itsTimeIsNotWatchedAnyMore() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 10), FIFO, places(1, 1, 60 * SECOND));
    submit(endpoint, 1);
    ParkedTicket queued = submit(endpoint, 1);
    ParkedTicket blocked = submit(endpoint, 1);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    endpointFixture.at(25 * SECOND);
    assertThat(went(queued) && went(blocked)).isTrue();
    assertThat(endpointFixture.drivers.nextAlarm()).isGreaterThan(START + 1_000 * SECOND);
  }

  @Test
  void limitLowered_whoIsBlockedAndNeverFitsAnyMoreIsRefused() {
    Endpoint endpoint = endpointFixture.open(tokens("/a", 100, 10), FIFO, places(1, 5, 0));
    submit(endpoint, 100);
    submit(endpoint, 10);
    ParkedTicket blocked = submit(endpoint, 60);
    ParkedTicket small = submit(endpoint, 5);
    endpointFixture.open(tokens("/a", 40, 10), FIFO, places(1, 5, 0));
    assertThat(refusal(blocked).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
    assertThat(waits(small)).isTrue();
  }

  @Test
  void orderChanged_whoIsBlockedWaitsInTheNewOneOnceItIsLetIn() {
    QueueBounds bounds = new QueueBounds(10, 100, QueueBounds.UNLIMITED);
    Waiting waiting = EndpointSetup.waiting(bounds, 5, 0, false, 0);
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 1), FIFO, waiting);
    submit(endpoint, 1);
    ParkedTicket large = submit(endpoint, 100);
    ParkedTicket first = submit(endpoint, 10);
    ParkedTicket last = submit(endpoint, 10);
    Scheduling lifo = new Scheduling(QueueOrder.LIFO, 0, 64, new FairBy.Key());
    endpoint.reconfigure(strict("/a", 1, 1).scheduling(lifo).waiting(waiting).spec());
    endpointFixture.at(SECOND);
    assertThat(went(large)).isTrue(); // and both others get a place
    endpointFixture.at(2 * SECOND);
    assertThat(went(last)).isTrue();
    assertThat(waits(first)).isTrue();
  }
}
