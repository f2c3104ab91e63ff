package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import org.junit.jupiter.api.Test;

/** Tests of requests that are refused before anything of their body is known. */
class BodylessRefusalTest {
  private static final QueueBounds ONE =
      new QueueBounds(1, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();

  @Test
  void keyWithRoom_isNotRefused_andNothingIsTaken() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    assertThat(endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account)).isNull();
    assertThat(endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account)).isNull();
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isZero();
    assertThat(alice.empty()).isTrue();
    assertThat(endpoint.totals().requests(TicketFate.OFFERED)).isZero();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void keyWithoutRoom_isRefusedAsItsRequestWouldBe_untilThereIsRoom() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    Refusal foreseen = endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account);
    assertThat(foreseen).isNotNull();
    assertThat(foreseen.retryAfterNanos()).isEqualTo(61 * SECOND);
    assertThat(refusal(alice.submit(endpoint, 1)))
        .as("it is told a time behind the first")
        .isEqualTo(foreseen.retryAfter(122 * SECOND));
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null))
        .as("of somebody else")
        .isNull();
    endpointFixture.at(61 * SECOND);
    assertThat(endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account)).isNull();
  }

  @Test
  void slotsOfAKey_areForeseen() {
    FakeCallers.Caller alice =
        callers
            .rejecting("alice")
            .limit(LimitMeasure.CONCURRENCY, 1, RefusalReason.KEY_CONCURRENCY);
    Endpoint endpoint = endpointFixture.open(none("/"));
    ParkedTicket runs = alice.submit(endpoint, 1);
    Refusal foreseen = endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account);
    assertThat(foreseen).extracting(Refusal::reason).isEqualTo(RefusalReason.KEY_CONCURRENCY);
    EndpointFixture.settlement(runs).permitted(EndpointFixture.START);
    assertThat(endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account)).isNull();
  }

  @Test
  void groupWithoutRoom_isForeseen() {
    FakeCallers.Caller team =
        callers.group("team").limit(LimitMeasure.REQUESTS, 1, RefusalReason.GROUP_RPM);
    FakeCallers.Caller alice = callers.rejecting("alice").in(team);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    assertThat(endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account))
        .extracting(Refusal::reason)
        .isEqualTo(RefusalReason.GROUP_RPM);
  }

  @Test
  void tokens_areNotForeseen_whileARequestWithFewWouldGo() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 10, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 9);
    assertThat(endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account)).isNull();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void keyThatWaits_isNeverRefused() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    assertThat(endpoint.certainRefusal(new PromiseHolder("alice", ""), alice.account)).isNull();
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void fullQueue_isForeseen_withTheTimeOfTheNextRelease() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 10).bounds(1, 100, 100));
    submit(endpoint, 1);
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null)).isNull();
    ParkedTicket waits = submit(endpoint, 1);
    assertThat(waits(waits)).isTrue();
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null))
        .isEqualTo(refusal(submit(endpoint, 1)));
    endpointFixture.at(10 * SECOND);
    assertThat(went(waits)).isTrue();
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null)).isNull();
  }

  @Test
  void fullQueue_ofLargeRequests_isNotForeseen_whileASmallOneWouldGo() {
    Endpoint endpoint = endpointFixture.open(tokens("/a", 100, 10).bounds(1, 1_000, 100));
    submit(endpoint, 70);
    assertThat(waits(submit(endpoint, 60))).isTrue();
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null)).isNull();
    assertThat(went(submit(endpoint, 30))).isTrue();
  }

  @Test
  void fullQueue_thatBlocks_isForeseenOnceNoMoreAreHeld() {
    Scheduling fifo = new Scheduling(QueueOrder.FIFO, 0, 64, new FairBy.Key());
    Endpoint endpoint =
        endpointFixture.open(strict("/a", 1, 10), fifo, EndpointSetup.waiting(ONE, 1, 0, false, 0));
    submit(endpoint, 1);
    submit(endpoint, 1);
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null)).isNull();
    submit(endpoint, 1);
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null))
        .extracting(Refusal::reason)
        .isEqualTo(RefusalReason.QUEUE_FULL);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
  }

  @Test
  void fullQueueOfAPausedEndpoint_isForeseen() {
    Endpoint endpoint = endpointFixture.open(none("/a").bounds(1, 100, 100));
    endpoint.pause(true);
    endpointFixture.drivers.run();
    submit(endpoint, 1);
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null))
        .extracting(Refusal::reason)
        .isEqualTo(RefusalReason.QUEUE_FULL);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
  }

  @Test
  void endpointThatIsGone_isForeseen() {
    Endpoint endpoint = endpointFixture.open(none("/a"));
    Refusal gone = Refusal.of(RefusalReason.SHUTTING_DOWN, "it stops");
    endpointFixture.registry.refuseAll(gone);
    assertThat(endpoint.certainRefusal(new PromiseHolder("nobody", ""), null)).isEqualTo(gone);
  }

  @Test
  void thrownOut_isRefusedOnce_andLeavesItsPlace() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 10));
    submit(endpoint, 1);
    ParkedTicket waits = submit(endpoint, 1);
    Refusal why = Refusal.of(RefusalReason.QUEUE_FULL, "no memory");
    waits.refuse(why);
    waits.refuse(Refusal.of(RefusalReason.QUEUE_FULL, "again"));
    endpointFixture.drivers.run();
    assertThat(refusal(waits)).isEqualTo(why);
    EndpointFixture.assertBalanced(endpoint);
  }
}
