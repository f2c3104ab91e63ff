package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import org.junit.jupiter.api.Test;

/** Tests of requests that are refused before anything of their body is known. */
class ForesightTest {
  private static final Bounds ONE = new Bounds(1, Bounds.UNLIMITED, Bounds.UNLIMITED);

  private final House house = new House();
  private final Callers callers = new Callers();

  @Test
  void keyWithRoom_isNotRefused_andNothingIsTaken() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/"));
    assertThat(endpoint.foreseen(alice.account)).isNull();
    assertThat(endpoint.foreseen(alice.account)).isNull();
    assertThat(alice.charged(Measure.REQUESTS, house)).isZero();
    assertThat(alice.empty()).isTrue();
    assertThat(endpoint.totals().requests(Fate.OFFERED)).isZero();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void keyWithoutRoom_isRefusedAsItsRequestWouldBe_untilThereIsRoom() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/"));
    alice.submit(endpoint, 1);
    Refusal foreseen = endpoint.foreseen(alice.account);
    assertThat(foreseen).isEqualTo(refusal(alice.submit(endpoint, 1)));
    assertThat(endpoint.foreseen(null)).as("of somebody else").isNull();
    house.at(61 * SECOND);
    assertThat(endpoint.foreseen(alice.account)).isNull();
  }

  @Test
  void slotsOfAKey_areForeseen() {
    Callers.Caller alice =
        callers.rejecting("alice").limit(Measure.CONCURRENCY, 1, Reason.KEY_CONCURRENCY);
    Endpoint endpoint = house.open(none("/"));
    Pending runs = alice.submit(endpoint, 1);
    Refusal foreseen = endpoint.foreseen(alice.account);
    assertThat(foreseen).extracting(Refusal::reason).isEqualTo(Reason.KEY_CONCURRENCY);
    House.settlement(runs).permitted(House.START);
    assertThat(endpoint.foreseen(alice.account)).isNull();
  }

  @Test
  void groupWithoutRoom_isForeseen() {
    Callers.Caller team = callers.group("team").limit(Measure.REQUESTS, 1, Reason.GROUP_RPM);
    Callers.Caller alice = callers.rejecting("alice").in(team);
    Endpoint endpoint = house.open(none("/"));
    alice.submit(endpoint, 1);
    assertThat(endpoint.foreseen(alice.account))
        .extracting(Refusal::reason)
        .isEqualTo(Reason.GROUP_RPM);
  }

  @Test
  void tokens_areNotForeseen_whileARequestWithFewWouldGo() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.TOKENS, 10, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/"));
    alice.submit(endpoint, 9);
    assertThat(endpoint.foreseen(alice.account)).isNull();
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void keyThatWaits_isNeverRefused() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/"));
    alice.submit(endpoint, 1);
    assertThat(endpoint.foreseen(alice.account)).isNull();
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void fullQueue_isForeseen_withTheTimeOfTheNextRelease() {
    Endpoint endpoint = house.open(strict("/a", 1, 10).bounds(1, 100, 100));
    submit(endpoint, 1);
    assertThat(endpoint.foreseen(null)).isNull();
    Pending waits = submit(endpoint, 1);
    assertThat(waits(waits)).isTrue();
    assertThat(endpoint.foreseen(null)).isEqualTo(refusal(submit(endpoint, 1)));
    house.at(10 * SECOND);
    assertThat(went(waits)).isTrue();
    assertThat(endpoint.foreseen(null)).isNull();
  }

  @Test
  void fullQueue_ofLargeRequests_isNotForeseen_whileASmallOneWouldGo() {
    Endpoint endpoint = house.open(tokens("/a", 100, 10).bounds(1, 1_000, 100));
    submit(endpoint, 70);
    assertThat(waits(submit(endpoint, 60))).isTrue();
    assertThat(endpoint.foreseen(null)).isNull();
    assertThat(went(submit(endpoint, 30))).isTrue();
  }

  @Test
  void fullQueue_thatBlocks_isForeseenOnceNoMoreAreHeld() {
    Scheduling fifo = new Scheduling(Order.FIFO, 0, 64, new FairBy.Key());
    Endpoint endpoint = house.open(strict("/a", 1, 10), fifo, new Waiting(ONE, 1, 0, false, 0, 0));
    submit(endpoint, 1);
    submit(endpoint, 1);
    assertThat(endpoint.foreseen(null)).isNull();
    submit(endpoint, 1);
    assertThat(endpoint.foreseen(null)).extracting(Refusal::reason).isEqualTo(Reason.QUEUE_FULL);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.QUEUE_FULL);
  }

  @Test
  void fullQueueOfAPausedEndpoint_isForeseen() {
    Endpoint endpoint = house.open(none("/a").bounds(1, 100, 100));
    endpoint.pause(true);
    house.drivers.run();
    submit(endpoint, 1);
    assertThat(endpoint.foreseen(null)).extracting(Refusal::reason).isEqualTo(Reason.QUEUE_FULL);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.QUEUE_FULL);
  }

  @Test
  void endpointThatIsGone_isForeseen() {
    Endpoint endpoint = house.open(none("/a"));
    Refusal gone = Refusal.of(Reason.SHUTTING_DOWN, "it stops");
    house.registry.refuseAll(gone);
    assertThat(endpoint.foreseen(null)).isEqualTo(gone);
  }

  @Test
  void thrownOut_isRefusedOnce_andLeavesItsPlace() {
    Endpoint endpoint = house.open(strict("/a", 1, 10));
    submit(endpoint, 1);
    Pending waits = submit(endpoint, 1);
    Refusal why = Refusal.of(Reason.QUEUE_FULL, "no memory");
    waits.refuse(why);
    waits.refuse(Refusal.of(Reason.QUEUE_FULL, "again"));
    house.drivers.run();
    assertThat(refusal(waits)).isEqualTo(why);
    House.assertBalanced(endpoint);
  }
}
