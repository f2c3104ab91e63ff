package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.waits;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.CallEnd;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketFate;
import io.penstock.event.Event;
import io.penstock.explain.PastTicket;
import io.penstock.explain.TicketRecord;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of what is counted, published and recorded of each request. */
class TicketAccountingTest {
  private static final Refusal BAD = Refusal.of(RefusalReason.BAD_REQUEST, "it is no JSON");
  private static final Refusal GONE = Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "it is gone");

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static void assertSums(
      Endpoint endpoint, TicketFate fate, long requests, long tokens, long bytes) {
    EndpointTotals endpointTotals = endpoint.totals();
    assertThat(
            List.of(
                endpointTotals.requests(fate),
                endpointTotals.tokens(fate),
                endpointTotals.bytes(fate)))
        .as(fate.toString())
        .containsExactly(requests, tokens, bytes);
  }

  private PastTicket past(ParkedTicket parkedTicket) {
    List<Optional<TicketRecord>> told = new ArrayList<>();
    endpointFixture.registry.tickets().find(String.valueOf(parkedTicket.order()), told::add);
    endpointFixture.drivers.run();
    return (PastTicket) told.getFirst().orElseThrow();
  }

  @Test
  void refusedAndGoneBeforeTheyWereTickets_areNumberedCountedAndTold() {
    Endpoint endpoint = endpointFixture.open(none("/a"));
    endpointFixture.at(SECOND);
    endpoint.countCancelled(new Cost(3, 4, 0), 50);
    endpoint.refused(Cost.ofInput(6), 70, BAD);
    assertThat(endpointFixture.recorded.all())
        .containsExactly(
            new Event.Cancelled(START + SECOND, "/a", 0),
            new Event.Refused(START + SECOND, "/a", 1, BAD));
    assertSums(endpoint, TicketFate.CANCELLED, 1, 7, 50);
    assertSums(endpoint, TicketFate.REFUSED, 1, 6, 70);
    assertSums(endpoint, TicketFate.OFFERED, 2, 13, 120);
  }

  @Test
  void refusedAsItComes_isToldAtThatInstant() {
    Endpoint endpoint = endpointFixture.open(tokens("/a", 100, 10));
    endpointFixture.at(SECOND);
    ParkedTicket parkedTicket =
        endpoint.submit(RequestFixture.of(null, Cost.ofInput(101)).bytes(9).made());
    assertThat(endpointFixture.recorded.all())
        .containsExactly(new Event.Refused(START + SECOND, "/a", 0, refusal(parkedTicket)));
    assertSums(endpoint, TicketFate.REFUSED, 1, 101, 9);
    assertSums(endpoint, TicketFate.WAITING, 0, 0, 0);
  }

  @Test
  void refusedAfterItWaited_isToldAtThatInstant() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 60));
    submit(endpoint, 1);
    ParkedTicket waiting = submit(endpoint, 5);
    endpointFixture.at(2 * SECOND);
    waiting.refuse(BAD);
    endpointFixture.drivers.run();
    assertThat(endpointFixture.recorded.of(Event.Refused.class))
        .containsExactly(new Event.Refused(START + 2 * SECOND, "/a", 1, BAD));
    assertSums(endpoint, TicketFate.REFUSED, 1, 5, 0);
  }

  @Test
  void expired_isToldAtThatInstant() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 60).maxWait(7 * SECOND));
    submit(endpoint, 1);
    ParkedTicket waiting = submit(endpoint, 5);
    endpointFixture.at(7 * SECOND);
    assertThat(endpointFixture.recorded.of(Event.Expired.class))
        .containsExactly(new Event.Expired(START + 7 * SECOND, "/a", 1, refusal(waiting)));
    assertSums(endpoint, TicketFate.EXPIRED, 1, 5, 0);
  }

  @Test
  void failedAfterItWaitedForLong_isRememberedWithWhy() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 10));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.at(10 * SECOND);
    assertThat(past(second).fate()).isEqualTo(TicketFate.RUNNING);
    endpointFixture.at(12 * SECOND);
    settlement(second).failed(GONE, 0, endpointFixture.ticker.nanos());
    assertThat(past(second).fate()).isEqualTo(TicketFate.REFUSED);
    assertThat(past(second).refusal()).isEqualTo(GONE);
    assertThat(past(second).waitedNanos()).isEqualTo(10 * SECOND);
  }

  /** Returns a caller charged at the arrival of a shadow, which still waits. */
  private FakeCallers.Caller chargedForAShadowThatWaits(Endpoint endpoint) {
    FakeCallers.Caller alice =
        new FakeCallers().rejecting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    submit(endpoint, 1);
    settlement(alice.submit(endpoint, 30)).served(null, 0, endpointFixture.ticker.nanos());
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(30);
    assertThat(alice.empty()).as("its shadow is inside").isFalse();
    return alice;
  }

  @Test
  void shadowThatExpires_hasTakenNothing_andIsInsideNoMore() {
    Endpoint endpoint = endpointFixture.openShadow(strict("/a", 1, 60).maxWait(7 * SECOND));
    FakeCallers.Caller alice = chargedForAShadowThatWaits(endpoint);
    endpointFixture.at(7 * SECOND);
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isZero();
    assertThat(alice.empty()).isTrue();
  }

  @Test
  void shadowThatIsRefused_hasTakenNothing_andIsInsideNoMore() {
    Endpoint endpoint = endpointFixture.openShadow(strict("/a", 1, 60));
    FakeCallers.Caller alice = chargedForAShadowThatWaits(endpoint);
    endpoint.refuseAll(BAD);
    endpointFixture.drivers.run();
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isZero();
    assertThat(alice.empty()).isTrue();
  }

  @Test
  void shadowWhoseClientLeaves_hasTakenNothing_andItsPlaceIsFree() {
    Endpoint endpoint = endpointFixture.openShadow(strict("/a", 1, 60).bounds(1, 100, 100));
    FakeCallers.Caller alice =
        new FakeCallers().rejecting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    submit(endpoint, 1);
    settlement(alice.submit(endpoint, 30)).cancelled(CallEnd.answered(null, 0), START);
    endpointFixture.drivers.run();
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isZero();
    assertThat(alice.empty()).isTrue();
    submit(endpoint, 1);
    endpointFixture.at(60 * SECOND);
    assertThat(endpointFixture.recorded.of(Event.Shadowed.class))
        .containsExactly(
            new Event.Shadowed(START, "/a", 0, 0, null),
            new Event.Shadowed(START + 60 * SECOND, "/a", 2, 60 * SECOND, null));
  }

  @Test
  void shadowsThatWait_areNoRequestsThatWait() {
    Endpoint endpoint = endpointFixture.openShadow(strict("/a", 1, 60));
    submit(endpoint, 1);
    submit(endpoint, 1);
    endpointFixture.at(5 * SECOND);
    assertThat(endpoint.oldestWaitNanos()).isZero();
    endpointFixture.apply(strict("/a", 1, 60));
    assertThat(waits(submit(endpoint, 1))).isTrue();
    endpointFixture.at(7 * SECOND);
    assertThat(endpoint.oldestWaitNanos()).as("a shadow is the oldest").isEqualTo(7 * SECOND);
  }
}
