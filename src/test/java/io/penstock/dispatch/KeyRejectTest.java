package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.pool.AttemptFailure;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests of a key that is charged at the arrival of its requests, and refused if it lacks something.
 */
class KeyRejectTest {
  private static final Refusal GONE = Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "it is gone");

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();

  @Test
  void requests_asManyAsMayAndOneMore_theLastIsDeniedUntilTheFirstHasLeftTheWindow() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 3, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    for (int each = 0; each < 3; each++) {
      assertThat(went(alice.submit(endpoint, 1))).isTrue();
    }
    ParkedTicket denied = alice.submit(endpoint, 1);

    assertThat(refusal(denied).reason()).isEqualTo(RefusalReason.KEY_RPM);
    // The sub-cell it was taken from ends a second later, and the window after that.
    assertThat(refusal(denied).retryAfterNanos()).isEqualTo(61 * SECOND);
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
    assertBalanced(endpoint);
    endpointFixture.at(61 * SECOND - 1);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(1);
    endpointFixture.at(61 * SECOND);
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
  }

  @Test
  void severalLimitsLack_theLastOfThemSaysWhenToTryAgain() {
    FakeCallers.Caller alice =
        callers
            .rejecting("alice")
            .limit(LimitMeasure.REQUESTS, 2, RefusalReason.KEY_RPM)
            .limit(LimitMeasure.TOKENS, 10, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    endpointFixture.at(30 * SECOND);
    alice.submit(endpoint, 9);

    Refusal denied = refusal(alice.submit(endpoint, 5));

    assertThat(denied.reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(denied.retryAfterNanos()).isEqualTo(61 * SECOND);
    endpointFixture.at(91 * SECOND);
    assertThat(went(alice.submit(endpoint, 5))).isTrue();
  }

  @Test
  void tokens_expectedOutput_isChargedAtOnceAndNotHeld() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));

    alice.submit(endpoint, new Cost(40, 30, 0));

    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(70);
    assertThat(alice.held(LimitMeasure.TOKENS, endpointFixture)).isZero();
    assertThat(refusal(alice.submit(endpoint, 31)).reason()).isEqualTo(RefusalReason.KEY_TPM);
    assertThat(went(alice.submit(endpoint, 30))).isTrue();
  }

  @Test
  void tokens_usageBelowAndAbove_areSettled() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 1_000, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket less = alice.submit(endpoint, new Cost(100, 100, 0));
    ParkedTicket more = alice.submit(endpoint, new Cost(100, 100, 0));

    settlement(less).served(new TokenUsage(90, 0, 20), 20, endpointFixture.ticker.nanos());
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(110 + 200);
    settlement(more).served(new TokenUsage(100, 0, 300), 300, endpointFixture.ticker.nanos());
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(110 + 400);
  }

  @Test
  void tokens_clientGoneMidAnswer_whatWasSeenCounts() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 1_000, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket parkedTicket = alice.submit(endpoint, new Cost(100, 500, 0));

    settlement(parkedTicket).produced(7, endpointFixture.ticker.nanos());
    settlement(parkedTicket).cancelled(CallEnd.answered(null, 7), endpointFixture.ticker.nanos());

    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(107);
  }

  @Test
  void tooMuchCharged_settledAfterItsSubCellCounts_changesNothing() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 1_000, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket parkedTicket = alice.submit(endpoint, new Cost(100, 100, 0));
    endpointFixture.at(70 * SECOND);
    alice.submit(endpoint, 500);

    settlement(parkedTicket).served(new TokenUsage(10, 0, 10), 10, endpointFixture.ticker.nanos());

    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(500);
  }

  @Test
  void expectedOutputAboveCapacity_isCutToIt_andInputAboveItIsImpossible() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/"));

    assertThat(refusal(alice.submit(endpoint, 101)).reason())
        .isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
    assertThat(went(alice.submit(endpoint, new Cost(10, 5_000, 0)))).isTrue();
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(100);
  }

  @Test
  void whoWaits_isChargedFromArrival_andReturnedWhenCancelledExpiredOrRefused() {
    FakeCallers.Caller alice =
        callers
            .rejecting("alice")
            .limit(LimitMeasure.REQUESTS, 10, RefusalReason.KEY_RPM)
            .limit(LimitMeasure.CONCURRENCY, 10, RefusalReason.KEY_CONCURRENCY);
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 100).maxWait(20 * SECOND));
    alice.submit(endpoint, 1);
    settlement(alice.last()).permitted(endpointFixture.ticker.nanos());
    ParkedTicket cancelled = alice.submit(endpoint, 1);
    alice.submit(endpoint, 1);
    assertThat(waits(cancelled)).isTrue();
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(3);
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isEqualTo(2);

    cancelled.cancel();
    endpointFixture.drivers.run();
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(2);
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isEqualTo(1);
    endpointFixture.at(20 * SECOND);
    assertThat(refusal(alice.last()).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(1);
    alice.submit(endpoint, 1);
    endpointFixture.registry.apply(List.of());
    endpointFixture.drivers.run();
    assertThat(refusal(alice.last()).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(1);
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isZero();
    assertBalanced(endpoint);
  }

  @Test
  void concurrency_atItsMaximum_deniesUntilOneEnds() {
    FakeCallers.Caller alice =
        callers
            .rejecting("alice")
            .limit(LimitMeasure.CONCURRENCY, 1, RefusalReason.KEY_CONCURRENCY);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket first = alice.submit(endpoint, 1);

    Refusal denied = refusal(alice.submit(endpoint, 1));
    assertThat(denied.reason()).isEqualTo(RefusalReason.KEY_CONCURRENCY);
    assertThat(denied.retryAfterNanos()).isEqualTo(Refusal.UNKNOWN);
    settlement(first).failed(GONE, 0, endpointFixture.ticker.nanos());
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    settlement(alice.last()).refused(GONE, endpointFixture.ticker.nanos());
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isZero();
  }

  @Test
  void deniedByItsGroup_keyGivesBackNothingBecauseItTookNothing() {
    FakeCallers.Caller group =
        callers.group("team").limit(LimitMeasure.REQUESTS, 1, RefusalReason.GROUP_RPM);
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 5, RefusalReason.KEY_RPM).in(group);
    FakeCallers.Caller bob =
        callers.rejecting("bob").limit(LimitMeasure.REQUESTS, 5, RefusalReason.KEY_RPM).in(group);
    Endpoint endpoint = endpointFixture.open(none("/"));

    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    assertThat(refusal(bob.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.GROUP_RPM);
    assertThat(bob.charged(LimitMeasure.REQUESTS, endpointFixture)).isZero();
    assertThat(group.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(1);
  }

  @Test
  void admittedOnce_neverRefusedForItsKeyLater() {
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 2, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(strict("/", 1, 100));
    alice.submit(endpoint, 1);
    ParkedTicket second = alice.submit(endpoint, 1);
    endpointFixture.at(99 * SECOND);
    alice.submit(endpoint, 1);
    alice.submit(endpoint, 1);
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.KEY_RPM);

    endpointFixture.at(100 * SECOND);

    assertThat(went(second)).isTrue();
  }

  @Test
  void comesBack_isNotChargedAgain_andSettledOnce() {
    FakeCallers.Caller alice =
        callers
            .rejecting("alice")
            .limit(LimitMeasure.TOKENS, 1_000, RefusalReason.KEY_TPM)
            .limit(LimitMeasure.CONCURRENCY, 5, RefusalReason.KEY_CONCURRENCY);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket first = alice.submit(endpoint, new Cost(100, 100, 0));

    ParkedTicket again =
        settlement(first).retry(AttemptFailure.REJECTED, false, endpointFixture.ticker.nanos());
    assertThat(again).isNotNull();
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(200);
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isEqualTo(1);
    if (again != null) {
      settlement(again).served(new TokenUsage(100, 0, 50), 50, endpointFixture.ticker.nanos());
    }
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(150);
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isZero();
    assertBalanced(endpoint);
  }

  @Test
  void shadow_deniedByItsKey_goesAllTheSame_andNothingIsLeftOpen() {
    FakeCallers.Caller alice =
        callers
            .rejecting("alice")
            .limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM)
            .limit(LimitMeasure.CONCURRENCY, 1, RefusalReason.KEY_CONCURRENCY);
    Endpoint endpoint = endpointFixture.openShadow(none("/").to(upstream("up", 0, 0)));
    ParkedTicket first = alice.submit(endpoint, 1);
    ParkedTicket second = alice.submit(endpoint, 1);

    assertThat(went(first) && went(second)).isTrue();
    settlement(first).served(null, 0, endpointFixture.ticker.nanos());
    settlement(second).served(null, 0, endpointFixture.ticker.nanos());
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(1);
    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isZero();
    assertThat(alice.empty()).isTrue();
  }
}
