package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.event.Event;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the events of a granted ticket, and of what its settlement reports. */
class TicketSettlementEventsTest {
  private static final Refusal GONE = Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "it is gone");
  private static final Cost COST = new Cost(100, 50, 0);
  private static final long LATER = START + SECOND;

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private Endpoint open() {
    return endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 0, 1_000)));
  }

  private static ParkedTicket ask(Endpoint endpoint) {
    return endpoint.submit(RequestFixture.of("m", COST).bytes(10).made());
  }

  /** Returns the settlement of a first ticket, granted at the start, and advances the clock. */
  private TicketSettlement released() {
    TicketSettlement ticketSettlement = settlement(ask(open()));
    endpointFixture.at(SECOND);
    return ticketSettlement;
  }

  /** Returns all events since the first ticket was granted. */
  private List<Event> told() {
    List<Event> all = endpointFixture.recorded.all();
    int released = all.indexOf(released(START));
    return all.subList(released + 1, all.size());
  }

  private static Event.Released released(long at) {
    return new Event.Released(at, "/a", 0, "u", "m", COST, at - START);
  }

  private static Event.Returned returned() {
    return new Event.Returned(LATER, "/a", 0, "u", "m", 150);
  }

  private static Event.Settled settled(long used, long overrun) {
    return new Event.Settled(LATER, "/a", 0, "u", "m", 150, used, overrun);
  }

  private static Event.Cancelled cancelled() {
    return new Event.Cancelled(LATER, "/a", 0);
  }

  @Test
  void served_whatTheAnswerSaysIsTold() {
    released().served(new TokenUsage(60, 7, 20), 99, LATER);
    assertThat(told()).containsExactly(settled(80, 0), new Event.Served(LATER, "/a", 0));
  }

  @Test
  void servedByAnAnswerThatSaysNothing_expectedInputAndCountedOutputAreTold() {
    released().served(null, 60, LATER);
    assertThat(told()).containsExactly(settled(160, 10), new Event.Served(LATER, "/a", 0));
  }

  @Test
  void cancelledWhileTheAnswerRan_whatWasCountedIsTold_thenThatItsClientIsGone() {
    released().cancelled(CallEnd.answered(null, 30), LATER);
    assertThat(told()).containsExactly(settled(130, 0), cancelled());
  }

  @Test
  void failed_inputIsToldAsUsed_thenTheRefusal() {
    released().failed(GONE, 0, LATER);
    assertThat(told()).containsExactly(settled(100, 0), new Event.Refused(LATER, "/a", 0, GONE));
  }

  @Test
  void abandoned_allIsToldToBeReturned_thenThatItsClientIsGone() {
    TicketSettlement ticketSettlement = released();
    ticketSettlement.abandoned(LATER);
    ticketSettlement.abandoned(LATER);
    assertThat(told()).containsExactly(returned(), cancelled());
  }

  @Test
  void refusedBeforeItWasSent_allIsToldToBeReturned_thenTheRefusal() {
    TicketSettlement ticketSettlement = released();
    ticketSettlement.refused(GONE, LATER);
    ticketSettlement.refused(GONE, LATER);
    assertThat(told()).containsExactly(returned(), new Event.Refused(LATER, "/a", 0, GONE));
  }

  @Test
  void goesAgain_allIsToldToBeReturned_andItWaitsAndIsReleasedAnew() {
    TicketSettlement ticketSettlement = released();
    assertThat(ticketSettlement.retry(AttemptFailure.BROKEN, false, LATER)).isNotNull();
    assertThat(ticketSettlement.retry(AttemptFailure.BROKEN, false, LATER)).isNull();
    assertThat(told())
        .containsExactly(returned(), new Event.Queued(LATER, "/a", 0, COST), released(LATER));
  }

  @Test
  void lasted_isCountedFromTheRelease_andWaitedUntilThen() {
    Endpoint endpoint = open();
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ParkedTicket parkedTicket = ask(endpoint);
    endpointFixture.at(3 * SECOND);
    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(settlement(parkedTicket).waitedNanos()).isEqualTo(3 * SECOND);
    assertThat(settlement(parkedTicket).lastedNanos(START + 3 * SECOND)).isZero();
    assertThat(settlement(parkedTicket).lastedNanos(START + 5 * SECOND)).isEqualTo(2 * SECOND);
  }

  @Test
  void writtenAlikeByAll_howeverFarApartTheyWent_isNoJitter() {
    Endpoint endpoint = open();
    TicketSettlement first = settlement(ask(endpoint));
    first.written(START + 1_000);
    endpointFixture.at(SECOND);
    settlement(ask(endpoint)).written(LATER + 1_000);
    Upstream upstream = Objects.requireNonNull(first.upstream());
    assertThat(upstream.jitterNanos()).isZero();
    endpointFixture.at(2 * SECOND);
    settlement(ask(endpoint)).written(START + 2 * SECOND + 1_500);
    assertThat(upstream.jitterNanos()).isEqualTo(500);
  }

  @Test
  void permitOfATokenWindow_saysWhatItLeft() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/w", 1_000, 60));
    assertThat(settlement(ask(endpoint)).window()).isEqualTo(new WindowRoom(1_000, 850));
    TicketSettlement second = settlement(ask(endpoint));
    second.permitted(START);
    assertThat(second.window()).as("as it was when it went").isEqualTo(new WindowRoom(1_000, 700));
  }

  @Test
  void withoutATokenWindowOrAPermit_nothingIsSaidOfOne() {
    assertThat(settlement(ask(endpointFixture.open(EndpointFixture.strict("/s", 1, 1)))).window())
        .isNull();
    Endpoint forwards =
        endpointFixture.open(EndpointFixture.tokens("/w", 1_000, 60).to(upstream("u", 0, 1_000)));
    assertThat(settlement(ask(forwards)).window()).isNull();
  }
}
