package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of how long tickets wait, how many may, and what ends a wait. */
class WaitingTest {
  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static Pending submit(Endpoint endpoint, Cost cost, long bytes) {
    return endpoint.submit(Ask.of(null, cost, bytes, Patience.DEFAULT));
  }

  @Test
  void maxWaitOver_expiresAtTheInstant() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 3_600).maxWait(5 * SECOND));
    House.submit(endpoint, 1);
    Pending second = House.submit(endpoint, 1);
    house.at(5 * SECOND - 1);
    assertThat(waits(second)).isTrue();
    house.at(5 * SECOND);
    assertThat(refusal(second).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(refusal(second).retryUseless()).isTrue();
    assertThat(endpoint.totals().requests(Fate.EXPIRED)).isEqualTo(1);
    assertThat(house.recorded.of(Event.Expired.class))
        .extracting(Event::atNanos)
        .containsExactly(START + 5 * SECOND);
  }

  @Test
  void deadlineAtTheInstantItWouldGo_whoFitsGoes_theOthersExpire() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 5).maxWait(5 * SECOND));
    House.submit(endpoint, 1);
    Pending second = House.submit(endpoint, 1);
    Pending third = House.submit(endpoint, 1);
    house.at(5 * SECOND);
    assertThat(went(second)).isTrue();
    assertThat(refusal(third).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
  }

  @Test
  void requestsOwnTimeout_isCappedByMaxWaitAndZeroLeavesMaxWait() {
    Endpoint endpoint =
        house.open(House.tokens("/a", 10, 1_000).queueTimeout(2 * SECOND).maxWait(9 * SECOND));
    Patience longer = new Patience(20 * SECOND, Long.MAX_VALUE);
    Patience none = new Patience(0, Long.MAX_VALUE);
    Patience client = new Patience(0, 4 * SECOND);
    endpoint.pause(true);
    house.drivers.run();
    List<Pending> all = new ArrayList<>();
    for (Patience patience : List.of(Patience.DEFAULT, longer, none, client)) {
      all.add(endpoint.submit(Ask.of(null, Cost.ofInput(1), 0, patience)));
    }
    house.at(20 * SECOND);
    assertThat(house.recorded.of(Event.Expired.class))
        .extracting(event -> (event.atNanos() - START) / SECOND)
        .containsExactly(2L, 4L, 9L, 9L);
    assertThat(all).allMatch(pending -> refusal(pending).reason() == Reason.QUEUE_TIMEOUT);
  }

  @Test
  void cancelledWhileParked_leavesAndIsNeverGranted() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 1));
    House.submit(endpoint, 1);
    Pending second = House.submit(endpoint, 1);
    Pending third = House.submit(endpoint, 1);
    endpoint.cancel(second);
    endpoint.cancel(second);
    house.at(SECOND);
    assertThat(second.outcome()).isNull();
    assertThat(went(third)).isTrue();
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
    assertThat(house.recorded.of(Event.Cancelled.class)).hasSize(1);
  }

  @Test
  void cancelledAfterTheGrant_returnsWhatWasTaken() {
    Endpoint endpoint = house.open(House.tokens("/a", 10, 1_000));
    Pending first = House.submit(endpoint, 10);
    Pending second = House.submit(endpoint, 10);
    endpoint.cancel(first);
    house.drivers.run();
    assertThat(went(second)).isTrue();
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(Fate.RUNNING)).isEqualTo(1);
  }

  @Test
  void cancelledAfterARefusalOrExpiry_changesNothing() {
    Endpoint endpoint = house.open(House.tokens("/a", 10, 1_000).maxWait(SECOND));
    Pending refused = House.submit(endpoint, 11);
    House.submit(endpoint, 10);
    Pending expired = House.submit(endpoint, 1);
    house.at(SECOND);
    endpoint.cancel(refused);
    endpoint.cancel(expired);
    house.drivers.run();
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isZero();
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(Fate.EXPIRED)).isEqualTo(1);
  }

  @Test
  void cancelledWhileItArrives_isNeverQueued() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 1));
    House.submit(endpoint, 1);
    List<Pending> inner = new ArrayList<>();
    Pending second = House.submit(endpoint, 1);
    second.whenDecided(
        outcome -> {
          // This runs inside the endpoint's turn, so what it submits stays in the inbox until the
          // turn ends.
          Pending third = House.submit(endpoint, 1);
          endpoint.cancel(third);
          inner.add(third);
        });
    house.at(SECOND);
    assertThat(inner).hasSize(1);
    house.at(3 * SECOND);
    assertThat(inner.getFirst().outcome()).isNull();
    assertThat(endpoint.totals().requests(Fate.WAITING)).isZero();
  }

  @Test
  void ticketsBound_holdsSoManyAndRefusesOneMore() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 2).bounds(3, 1_000, 1_000));
    House.submit(endpoint, 1);
    house.at(SECOND / 2);
    for (int ticket = 0; ticket < 3; ticket++) {
      assertThat(waits(House.submit(endpoint, 1))).isTrue();
    }
    Refusal refusal = refusal(House.submit(endpoint, 1));
    assertThat(refusal.reason()).isEqualTo(Reason.QUEUE_FULL);
    assertThat(refusal.retryAfterMillis()).hasValue(1_500);
    assertThat(refusal.retryAfterSeconds()).hasValue(2);
    house.at(2 * SECOND);
    assertThat(waits(House.submit(endpoint, 1))).isTrue();
  }

  @Test
  void tokensBound_countsInputAndOutputAndLetsExactlySoManyIn() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 60).bounds(1_000, 100, 1_000));
    House.submit(endpoint, 1);
    assertThat(waits(submit(endpoint, new Cost(30, 30, 0), 0))).isTrue();
    assertThat(refusal(submit(endpoint, new Cost(30, 11, 0), 0)).reason())
        .isEqualTo(Reason.QUEUE_FULL);
    assertThat(waits(submit(endpoint, new Cost(30, 10, 0), 0))).isTrue();
    assertThat(endpoint.totals().tokens(Fate.WAITING)).isEqualTo(100);
    assertThat(refusal(House.submit(endpoint, 1)).detail()).contains("100 tokens");
  }

  @Test
  void bytesBound_letsExactlySoManyIn() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 60).bounds(1_000, 1_000, 100));
    House.submit(endpoint, 1);
    assertThat(waits(submit(endpoint, Cost.NO_TOKENS, 60))).isTrue();
    assertThat(refusal(submit(endpoint, Cost.NO_TOKENS, 41)).reason()).isEqualTo(Reason.QUEUE_FULL);
    assertThat(waits(submit(endpoint, Cost.NO_TOKENS, 40))).isTrue();
    assertThat(refusal(submit(endpoint, Cost.NO_TOKENS, 1)).detail()).contains("100 bytes");
    assertThat(endpoint.totals().bytes(Fate.WAITING)).isEqualTo(100);
  }

  @Test
  void whatGoesAtOnce_isNotBounded() {
    Endpoint endpoint = house.open(House.none("/a").bounds(1, 1, 1));
    for (int ticket = 0; ticket < 10; ticket++) {
      assertThat(went(submit(endpoint, Cost.ofInput(50), 50))).isTrue();
    }
  }

  @Test
  void strictEstimate_isTheQueueOverTheRateAndAdvisesTheDifference() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 1).queueTimeout(2 * SECOND));
    assertThat(went(House.submit(endpoint, 1))).isTrue();
    assertThat(waits(House.submit(endpoint, 1))).isTrue();
    assertThat(waits(House.submit(endpoint, 1))).isTrue();
    Refusal refusal = refusal(House.submit(endpoint, 1));
    assertThat(refusal.reason()).isEqualTo(Reason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(refusal.retryAfterMillis()).hasValue(1_000);
    house.at(SECOND);
    assertThat(waits(House.submit(endpoint, 1))).isTrue();
  }

  @Test
  void tokenWindowEstimate_countsQueuedAndOwnAgainstTheRestThenWholeWindows() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10).queueTimeout(9 * SECOND));
    House.submit(endpoint, 60);
    house.at(4 * SECOND);
    assertThat(waits(House.submit(endpoint, 50))).isTrue(); // at 10 s: 6 s
    // 50 queued and 95 of its own against 40 left: two windows, 16 s
    Refusal refusal = refusal(House.submit(endpoint, 95));
    assertThat(refusal.reason()).isEqualTo(Reason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(refusal.retryAfterMillis()).hasValue(7_000);
    assertThat(waits(House.submit(endpoint, 90))).isTrue();
  }

  @Test
  void upstreamEstimate_isTheBestUpstreamAtItsSteadyRate() {
    Endpoint endpoint =
        house.open(
            House.none("/a")
                .to(House.upstream("slow", 0, 60), House.upstream("fast", 0, 600))
                .queueTimeout(10 * SECOND));
    House.submit(endpoint, 600);
    House.submit(endpoint, 60);
    // 100 × 60 s ÷ 600 = 10 s on the fast one
    assertThat(waits(House.submit(endpoint, 100))).isTrue();
    Refusal refusal = refusal(House.submit(endpoint, 50));
    assertThat(refusal.reason()).isEqualTo(Reason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(refusal.retryAfterMillis()).hasValue(5_000);
  }

  @Test
  void hugeStatedOutputAhead_countsAsOneCapacity_notAsWhatItSays() {
    UpstreamSpec upstream = House.upstream("u", 0, 100, Charge.OPENAI, Map.of(), null);
    Endpoint endpoint = house.open(House.none("/a").to(upstream));
    Patience patience = new Patience(130 * SECOND, Long.MAX_VALUE);
    assertThat(went(endpoint.submit(Ask.of("m", new Cost(1, 0, 100), 0, Patience.DEFAULT))))
        .isTrue();
    endpoint.submit(Ask.of("m", new Cost(1, 0, Cost.MAX_TOKENS), 0, Patience.DEFAULT));
    // (100 ahead + 50 own) × 60 s ÷ 100: 90 s, and 30 s more with another 50 ahead.
    assertThat(waits(endpoint.submit(Ask.of("m", new Cost(1, 0, 50), 0, patience)))).isTrue();
    assertThat(waits(endpoint.submit(Ask.of("m", new Cost(1, 0, 50), 0, patience)))).isTrue();
    assertThat(refusal(endpoint.submit(Ask.of("m", new Cost(1, 0, 50), 0, patience))).reason())
        .isEqualTo(Reason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
  }

  @Test
  void timeoutZeroOfTheRequest_skipsTheEstimate() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 60).queueTimeout(SECOND));
    House.submit(endpoint, 1);
    assertThat(refusal(House.submit(endpoint, 1)).reason())
        .isEqualTo(Reason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    Patience patient = new Patience(0, Long.MAX_VALUE);
    assertThat(waits(endpoint.submit(Ask.of(null, Cost.ofInput(1), 0, patient)))).isTrue();
  }
}
