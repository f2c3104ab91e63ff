package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.assertBalanced;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.pool.Failure;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests of a key that is charged at the arrival of its requests, and refused if it lacks something.
 */
class KeyRejectTest {
  private static final Refusal GONE = Refusal.of(Reason.UPSTREAM_UNREACHABLE, "it is gone");

  private final House house = new House();
  private final Callers callers = new Callers();

  @Test
  void requests_asManyAsMayAndOneMore_theLastIsDeniedUntilTheFirstHasLeftTheWindow() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.REQUESTS, 3, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/"));
    for (int each = 0; each < 3; each++) {
      assertThat(went(alice.submit(endpoint, 1))).isTrue();
    }
    Pending denied = alice.submit(endpoint, 1);

    assertThat(refusal(denied).reason()).isEqualTo(Reason.KEY_RPM);
    // The sub-cell it was taken from ends a second later, and the window after that.
    assertThat(refusal(denied).retryAfterNanos()).isEqualTo(61 * SECOND);
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
    assertBalanced(endpoint);
    house.at(61 * SECOND - 1);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(1);
    house.at(61 * SECOND);
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void tokens_expectedOutput_isChargedAtOnceAndNotHeld() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.TOKENS, 100, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));

    alice.submit(endpoint, new Cost(40, 30, 0));

    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(70);
    assertThat(alice.held(Measure.TOKENS, house)).isZero();
    assertThat(refusal(alice.submit(endpoint, 31)).reason()).isEqualTo(Reason.KEY_TPM);
    assertThat(went(alice.submit(endpoint, 30))).isTrue();
  }

  @Test
  void tokens_usageBelowAndAbove_areSettled() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.TOKENS, 1_000, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    Pending less = alice.submit(endpoint, new Cost(100, 100, 0));
    Pending more = alice.submit(endpoint, new Cost(100, 100, 0));

    settlement(less).served(new Usage(90, 0, 20), 20, house.ticker.nanos());
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(110 + 200);
    settlement(more).served(new Usage(100, 0, 300), 300, house.ticker.nanos());
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(110 + 400);
  }

  @Test
  void tokens_clientGoneMidAnswer_whatWasSeenCounts() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.TOKENS, 1_000, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    Pending pending = alice.submit(endpoint, new Cost(100, 500, 0));

    settlement(pending).produced(7, house.ticker.nanos());
    settlement(pending).cancelled(null, 7, house.ticker.nanos());

    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(107);
  }

  @Test
  void tooMuchCharged_settledAfterItsSubCellCounts_changesNothing() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.TOKENS, 1_000, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    Pending pending = alice.submit(endpoint, new Cost(100, 100, 0));
    house.at(70 * SECOND);
    alice.submit(endpoint, 500);

    settlement(pending).served(new Usage(10, 0, 10), 10, house.ticker.nanos());

    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(500);
  }

  @Test
  void expectedOutputAboveCapacity_isCutToIt_andInputAboveItIsImpossible() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.TOKENS, 100, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/"));

    assertThat(refusal(alice.submit(endpoint, 101)).reason())
        .isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(went(alice.submit(endpoint, new Cost(10, 5_000, 0)))).isTrue();
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(100);
  }

  @Test
  void whoWaits_isChargedFromArrival_andReturnedWhenCancelledExpiredOrRefused() {
    Callers.Caller alice =
        callers
            .rejecting("alice")
            .limit(Measure.REQUESTS, 10, Reason.KEY_RPM)
            .limit(Measure.CONCURRENCY, 10, Reason.KEY_CONCURRENCY);
    Endpoint endpoint = house.open(strict("/", 1, 100).maxWait(20 * SECOND));
    alice.submit(endpoint, 1);
    settlement(alice.last()).permitted(house.ticker.nanos());
    Pending cancelled = alice.submit(endpoint, 1);
    alice.submit(endpoint, 1);
    assertThat(waits(cancelled)).isTrue();
    assertThat(alice.charged(Measure.REQUESTS, house)).isEqualTo(3);
    assertThat(alice.held(Measure.CONCURRENCY, house)).isEqualTo(2);

    endpoint.cancel(cancelled);
    house.drivers.run();
    assertThat(alice.charged(Measure.REQUESTS, house)).isEqualTo(2);
    assertThat(alice.held(Measure.CONCURRENCY, house)).isEqualTo(1);
    house.at(20 * SECOND);
    assertThat(refusal(alice.last()).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(alice.charged(Measure.REQUESTS, house)).isEqualTo(1);
    alice.submit(endpoint, 1);
    house.registry.apply(List.of());
    house.drivers.run();
    assertThat(refusal(alice.last()).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    assertThat(alice.charged(Measure.REQUESTS, house)).isEqualTo(1);
    assertThat(alice.held(Measure.CONCURRENCY, house)).isZero();
    assertBalanced(endpoint);
  }

  @Test
  void concurrency_atItsMaximum_deniesUntilOneEnds() {
    Callers.Caller alice =
        callers.rejecting("alice").limit(Measure.CONCURRENCY, 1, Reason.KEY_CONCURRENCY);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    Pending first = alice.submit(endpoint, 1);

    Refusal denied = refusal(alice.submit(endpoint, 1));
    assertThat(denied.reason()).isEqualTo(Reason.KEY_CONCURRENCY);
    assertThat(denied.retryAfterNanos()).isEqualTo(Refusal.UNKNOWN);
    settlement(first).failed(GONE, 0, house.ticker.nanos());
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    settlement(alice.last()).refused(GONE, house.ticker.nanos());
    assertThat(alice.held(Measure.CONCURRENCY, house)).isZero();
  }

  @Test
  void deniedByItsGroup_keyGivesBackNothingBecauseItTookNothing() {
    Callers.Caller group = callers.group("team").limit(Measure.REQUESTS, 1, Reason.GROUP_RPM);
    Callers.Caller alice =
        callers.rejecting("alice").limit(Measure.REQUESTS, 5, Reason.KEY_RPM).in(group);
    Callers.Caller bob =
        callers.rejecting("bob").limit(Measure.REQUESTS, 5, Reason.KEY_RPM).in(group);
    Endpoint endpoint = house.open(none("/"));

    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(refusal(bob.submit(endpoint, 1)).reason()).isEqualTo(Reason.GROUP_RPM);
    assertThat(bob.charged(Measure.REQUESTS, house)).isZero();
    assertThat(group.charged(Measure.REQUESTS, house)).isEqualTo(1);
  }

  @Test
  void admittedOnce_neverRefusedForItsKeyLater() {
    Callers.Caller alice = callers.rejecting("alice").limit(Measure.REQUESTS, 2, Reason.KEY_RPM);
    Endpoint endpoint = house.open(strict("/", 1, 100));
    alice.submit(endpoint, 1);
    Pending second = alice.submit(endpoint, 1);
    house.at(99 * SECOND);
    alice.submit(endpoint, 1);
    alice.submit(endpoint, 1);
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(Reason.KEY_RPM);

    house.at(100 * SECOND);

    assertThat(went(second)).isTrue();
  }

  @Test
  void comesBack_isNotChargedAgain_andSettledOnce() {
    Callers.Caller alice =
        callers
            .rejecting("alice")
            .limit(Measure.TOKENS, 1_000, Reason.KEY_TPM)
            .limit(Measure.CONCURRENCY, 5, Reason.KEY_CONCURRENCY);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    Pending first = alice.submit(endpoint, new Cost(100, 100, 0));

    Pending again = settlement(first).again(Failure.REJECTED, false, house.ticker.nanos());
    assertThat(again).isNotNull();
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(200);
    assertThat(alice.held(Measure.CONCURRENCY, house)).isEqualTo(1);
    if (again != null) {
      settlement(again).served(new Usage(100, 0, 50), 50, house.ticker.nanos());
    }
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(150);
    assertThat(alice.held(Measure.CONCURRENCY, house)).isZero();
    assertBalanced(endpoint);
  }

  @Test
  void shadow_deniedByItsKey_goesAllTheSame_andNothingIsLeftOpen() {
    Callers.Caller alice =
        callers
            .rejecting("alice")
            .limit(Measure.REQUESTS, 1, Reason.KEY_RPM)
            .limit(Measure.CONCURRENCY, 1, Reason.KEY_CONCURRENCY);
    Endpoint endpoint = house.openShadow(none("/").to(upstream("up", 0, 0)));
    Pending first = alice.submit(endpoint, 1);
    Pending second = alice.submit(endpoint, 1);

    assertThat(went(first) && went(second)).isTrue();
    settlement(first).served(null, 0, house.ticker.nanos());
    settlement(second).served(null, 0, house.ticker.nanos());
    assertThat(alice.charged(Measure.REQUESTS, house)).isEqualTo(1);
    assertThat(alice.held(Measure.CONCURRENCY, house)).isZero();
    assertThat(alice.empty()).isTrue();
  }
}
