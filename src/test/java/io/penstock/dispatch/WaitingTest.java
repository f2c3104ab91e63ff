package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.event.Event;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of how long tickets wait, how many may, and what ends a wait. */
class WaitingTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static ParkedTicket submit(Endpoint endpoint, Cost cost, long bytes) {
    return endpoint.submit(RequestFixture.of(null, cost).bytes(bytes).made());
  }

  @Test
  void maxWaitOver_expiresAtTheInstant() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.strict("/a", 1, 3_600).maxWait(5 * SECOND));
    EndpointFixture.submit(endpoint, 1);
    ParkedTicket second = EndpointFixture.submit(endpoint, 1);
    endpointFixture.at(5 * SECOND - 1);
    assertThat(waits(second)).isTrue();
    endpointFixture.at(5 * SECOND);
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(refusal(second).retryUseless()).isFalse();
    assertThat(endpoint.totals().requests(TicketFate.EXPIRED)).isEqualTo(1);
    assertThat(endpointFixture.recorded.of(Event.Expired.class))
        .extracting(Event::atNanos)
        .containsExactly(START + 5 * SECOND);
  }

  @Test
  void deadlineAtTheInstantItWouldGo_whoFitsGoes_theOthersExpire() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.strict("/a", 1, 5).maxWait(5 * SECOND));
    EndpointFixture.submit(endpoint, 1);
    ParkedTicket second = EndpointFixture.submit(endpoint, 1);
    ParkedTicket third = EndpointFixture.submit(endpoint, 1);
    endpointFixture.at(5 * SECOND);
    assertThat(went(second)).isTrue();
    assertThat(refusal(third).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
  }

  @Test
  void requestsOwnTimeout_isCappedByMaxWaitAndZeroLeavesMaxWait() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.tokens("/a", 10, 1_000).queueTimeout(2 * SECOND).maxWait(9 * SECOND));
    WaitPatience longer = new WaitPatience(20 * SECOND, Long.MAX_VALUE);
    WaitPatience none = new WaitPatience(0, Long.MAX_VALUE);
    WaitPatience client = new WaitPatience(0, 4 * SECOND);
    endpoint.pause(true);
    endpointFixture.drivers.run();
    List<ParkedTicket> all = new ArrayList<>();
    for (WaitPatience patience : List.of(WaitPatience.DEFAULT, longer, none, client)) {
      all.add(endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).patience(patience).made()));
    }
    endpointFixture.at(20 * SECOND);
    assertThat(endpointFixture.recorded.of(Event.Expired.class))
        .extracting(event -> (event.atNanos() - START) / SECOND)
        .containsExactly(2L, 4L, 9L, 9L);
    assertThat(all)
        .allMatch(parkedTicket -> refusal(parkedTicket).reason() == RefusalReason.QUEUE_TIMEOUT);
  }

  @Test
  void cancelledWhileParked_leavesAndIsNeverGranted() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 1));
    EndpointFixture.submit(endpoint, 1);
    ParkedTicket second = EndpointFixture.submit(endpoint, 1);
    ParkedTicket third = EndpointFixture.submit(endpoint, 1);
    second.cancel();
    second.cancel();
    endpointFixture.at(SECOND);
    assertThat(second.outcome()).isNull();
    assertThat(went(third)).isTrue();
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
    assertThat(endpointFixture.recorded.of(Event.Cancelled.class)).hasSize(1);
  }

  @Test
  void cancelledAfterTheGrant_returnsWhatWasTaken() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 10, 1_000));
    ParkedTicket first = EndpointFixture.submit(endpoint, 10);
    ParkedTicket second = EndpointFixture.submit(endpoint, 10);
    first.cancel();
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isEqualTo(1);
  }

  @Test
  void cancelledAfterARefusalOrExpiry_changesNothing() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.tokens("/a", 10, 1_000).maxWait(SECOND));
    ParkedTicket refused = EndpointFixture.submit(endpoint, 11);
    EndpointFixture.submit(endpoint, 10);
    ParkedTicket expired = EndpointFixture.submit(endpoint, 1);
    endpointFixture.at(SECOND);
    refused.cancel();
    expired.cancel();
    endpointFixture.drivers.run();
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isZero();
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(TicketFate.EXPIRED)).isEqualTo(1);
  }

  @Test
  void cancelledWhileItArrives_isNeverQueued() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 1));
    EndpointFixture.submit(endpoint, 1);
    List<ParkedTicket> inner = new ArrayList<>();
    ParkedTicket second = EndpointFixture.submit(endpoint, 1);
    second.whenDecided(
        ticketOutcome -> {
          // This runs inside the endpoint's turn, so what it submits stays in the inbox until the
          // turn ends.
          ParkedTicket third = EndpointFixture.submit(endpoint, 1);
          third.cancel();
          inner.add(third);
        });
    endpointFixture.at(SECOND);
    assertThat(inner).hasSize(1);
    endpointFixture.at(3 * SECOND);
    assertThat(inner.getFirst().outcome()).isNull();
    assertThat(endpoint.totals().requests(TicketFate.WAITING)).isZero();
  }

  @Test
  void ticketsBound_holdsSoManyAndRefusesOneMore() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.strict("/a", 1, 2).bounds(3, 1_000, 1_000));
    EndpointFixture.submit(endpoint, 1);
    endpointFixture.at(SECOND / 2);
    for (int ticket = 0; ticket < 3; ticket++) {
      assertThat(waits(EndpointFixture.submit(endpoint, 1))).isTrue();
    }
    Refusal refusal = refusal(EndpointFixture.submit(endpoint, 1));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    assertThat(refusal.retryAfterMillis()).hasValue(1_500);
    endpointFixture.at(2 * SECOND);
    assertThat(waits(EndpointFixture.submit(endpoint, 1))).isTrue();
  }

  @Test
  void tokensBound_countsInputAndOutputAndLetsExactlySoManyIn() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.strict("/a", 1, 60).bounds(1_000, 100, 1_000));
    EndpointFixture.submit(endpoint, 1);
    assertThat(waits(submit(endpoint, new Cost(30, 30, 0), 0))).isTrue();
    assertThat(refusal(submit(endpoint, new Cost(30, 11, 0), 0)).reason())
        .isEqualTo(RefusalReason.QUEUE_FULL);
    assertThat(waits(submit(endpoint, new Cost(30, 10, 0), 0))).isTrue();
    assertThat(endpoint.totals().tokens(TicketFate.WAITING)).isEqualTo(100);
    assertThat(refusal(EndpointFixture.submit(endpoint, 1)).detail()).contains("100 tokens");
  }

  @Test
  void bytesBound_letsExactlySoManyIn() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.strict("/a", 1, 60).bounds(1_000, 1_000, 100));
    EndpointFixture.submit(endpoint, 1);
    assertThat(waits(submit(endpoint, Cost.NO_TOKENS, 60))).isTrue();
    assertThat(refusal(submit(endpoint, Cost.NO_TOKENS, 41)).reason())
        .isEqualTo(RefusalReason.QUEUE_FULL);
    assertThat(waits(submit(endpoint, Cost.NO_TOKENS, 40))).isTrue();
    assertThat(refusal(submit(endpoint, Cost.NO_TOKENS, 1)).detail()).contains("100 bytes");
    assertThat(endpoint.totals().bytes(TicketFate.WAITING)).isEqualTo(100);
  }

  @Test
  void whatGoesAtOnce_isNotBounded() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").bounds(1, 1, 1));
    for (int ticket = 0; ticket < 10; ticket++) {
      assertThat(went(submit(endpoint, Cost.ofInput(50), 50))).isTrue();
    }
  }

  @Test
  void strictEstimate_isTheQueueOverTheRateAndAdvisesTheDifference() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.strict("/a", 1, 1).queueTimeout(2 * SECOND));
    assertThat(went(EndpointFixture.submit(endpoint, 1))).isTrue();
    assertThat(waits(EndpointFixture.submit(endpoint, 1))).isTrue();
    assertThat(waits(EndpointFixture.submit(endpoint, 1))).isTrue();
    Refusal refusal = refusal(EndpointFixture.submit(endpoint, 1));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(refusal.retryAfterMillis()).hasValue(1_000);
    endpointFixture.at(SECOND);
    assertThat(waits(EndpointFixture.submit(endpoint, 1))).isTrue();
  }

  @Test
  void tokenWindowEstimate_countsQueuedAndOwnAgainstTheRestThenWholeWindows() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.tokens("/a", 100, 10).queueTimeout(9 * SECOND));
    EndpointFixture.submit(endpoint, 60);
    endpointFixture.at(4 * SECOND);
    assertThat(waits(EndpointFixture.submit(endpoint, 50))).isTrue(); // at 10 s: 6 s
    // the window at 10 s has no room for 95 beside the 50, so they go at 20 s: 16 s
    Refusal refusal = refusal(EndpointFixture.submit(endpoint, 95));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(refusal.retryAfterMillis()).hasValue(7_000);
    assertThat(waits(EndpointFixture.submit(endpoint, 50))).isTrue();
  }

  @Test
  void upstreamEstimate_isTheBestUpstreamByItsOwnWindow() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a")
                .to(
                    EndpointFixture.upstream("slow", 0, 60),
                    EndpointFixture.upstream("fast", 0, 600))
                .queueTimeout(10 * SECOND));
    EndpointFixture.submit(endpoint, 600);
    EndpointFixture.submit(endpoint, 60);
    endpointFixture.at(51 * SECOND);
    // all 600 leave the fast one 61 s after they went, in 10 s
    assertThat(waits(EndpointFixture.submit(endpoint, 590))).isTrue();
    assertThat(waits(EndpointFixture.submit(endpoint, 60))).isTrue(); // on the slow one
    Refusal refusal = refusal(EndpointFixture.submit(endpoint, 50));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(refusal.retryAfterMillis()).hasValue(61_000);
  }

  @Test
  void hugeExpectedOutputAhead_countsAsOneCapacity_notAsWhatItSays() {
    UpstreamSpec upstream = EndpointFixture.upstream("u", 0, 100, ChargeRule.WHOLE, Map.of(), null);
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream));
    WaitPatience patience = new WaitPatience(130 * SECOND, Long.MAX_VALUE);
    assertThat(went(endpoint.submit(RequestFixture.request("m", new Cost(1, 99, 0))))).isTrue();
    endpoint.submit(RequestFixture.request("m", new Cost(1, Cost.MAX_TOKENS, 0)));
    // The 100 ahead go after 61 s, two of 50 after 122 s, and a third 61 s after them.
    assertThat(
            waits(
                endpoint.submit(
                    RequestFixture.of("m", new Cost(1, 49, 0)).patience(patience).made())))
        .isTrue();
    assertThat(
            waits(
                endpoint.submit(
                    RequestFixture.of("m", new Cost(1, 49, 0)).patience(patience).made())))
        .isTrue();
    assertThat(
            refusal(
                    endpoint.submit(
                        RequestFixture.of("m", new Cost(1, 49, 0)).patience(patience).made()))
                .reason())
        .isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
  }

  @Test
  void timeoutZeroOfTheRequest_skipsTheEstimate() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.strict("/a", 1, 60).queueTimeout(SECOND));
    EndpointFixture.submit(endpoint, 1);
    assertThat(refusal(EndpointFixture.submit(endpoint, 1)).reason())
        .isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    WaitPatience patient = new WaitPatience(0, Long.MAX_VALUE);
    assertThat(
            waits(
                endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).patience(patient).made())))
        .isTrue();
  }
}
