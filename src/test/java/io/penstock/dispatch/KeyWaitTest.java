package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.FakeCallers;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.junit.jupiter.api.Test;

/** Tests of a key with requests that wait in the queue for its quotas. */
class KeyWaitTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();

  @Test
  void requests_oneMoreThanMay_waitsUntilTheFirstHasLeftTheWindow() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 2, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    alice.submit(endpoint, 1);
    ParkedTicket third = alice.submit(endpoint, 1);
    assertThat(waits(third)).isTrue();

    endpointFixture.at(61 * SECOND - 1);
    assertThat(waits(third)).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(1);
  }

  @Test
  void tokens_areChargedAtRelease_heldAndSettled() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket first = alice.submit(endpoint, new Cost(20, 70, 0));
    ParkedTicket second = alice.submit(endpoint, new Cost(40, 0, 0));
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(20);
    assertThat(alice.held(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(70);
    assertThat(waits(second)).isTrue();

    settlement(first).served(new TokenUsage(20, 0, 30), 30, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();

    assertThat(went(second)).isTrue();
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(90);
  }

  @Test
  void inputAboveItsCapacity_isImpossible() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    Endpoint endpoint = endpointFixture.open(none("/"));

    Refusal refusal = refusal(alice.submit(endpoint, 101));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
    assertThat(refusal.detail()).isEqualTo("key alice: token cost 101 exceeds capacity 100");
  }

  @Test
  void concurrency_countsWhatRuns_andWakesWhoWaits() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.CONCURRENCY, 1, RefusalReason.KEY_CONCURRENCY);
    Endpoint here = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    ParkedTicket first = alice.submit(here, 1);
    ParkedTicket second = alice.submit(here, 1);
    ParkedTicket third = alice.submit(here, 1);

    settlement(first).served(null, 0, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(went(second) && waits(third)).isTrue();
    third.cancel();
    endpointFixture.drivers.run();
    settlement(second).abandoned(endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();

    assertThat(alice.held(LimitMeasure.CONCURRENCY, endpointFixture)).isZero();
    assertThat(alice.empty()).isTrue();
    assertBalanced(here);
  }

  @Test
  void oneIsHeldByItsKey_anotherBesideFlowsFreely_howeverOftenItPasses() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/").maxSkips(0).to(upstream("up", 0, 100)));
    alice.submit(endpoint, 1);
    ParkedTicket held = alice.submit(endpoint, 1);

    for (int each = 0; each < 90; each++) {
      assertThat(went(submit(endpoint, 1))).as("request %d", each).isTrue();
    }
    assertThat(waits(held)).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(held)).isTrue();
  }

  @Test
  void claimsAnother_thenIsHeldByItsKey_keepsItNoMore() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    endpointFixture.apply(
        none("/here").maxSkips(0).to(upstream("up", 0, 100)),
        none("/there").to(upstream("other", 0, 0)));
    Endpoint here = endpointFixture.endpoint("/here");
    submit(here, 50);
    ParkedTicket large = alice.submit(here, 60);
    assertThat(waits(submit(here, 10))).as("behind the one that may not be skipped").isTrue();

    alice.submit(endpointFixture.endpoint("/there"), 1); // its key has nothing left
    endpointFixture.drivers.run();

    assertThat(waits(large)).isTrue();
    assertThat(went(submit(here, 10))).isTrue();
    assertThat(here.totals().requests(TicketFate.WAITING)).isEqualTo(1);
  }

  @Test
  void heldByItsKey_collectsNoSkips_andDoesNotClaimOnceItMayGo() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/").maxSkips(5).to(upstream("up", 0, 100)));
    alice.submit(endpoint, 1);
    ParkedTicket held = alice.submit(endpoint, 99);
    for (int each = 0; each < 20; each++) {
      submit(endpoint, 1);
    }
    endpointFixture.at(50 * SECOND);
    submit(endpoint, 40);
    endpointFixture.at(
        61 * SECOND); // its key has room now; only the upstream blocks it from here on

    for (int each = 0; each < 5; each++) {
      assertThat(went(submit(endpoint, 1))).as("skip %d", each).isTrue();
    }
    assertThat(waits(submit(endpoint, 1))).as("one more").isTrue();
    assertThat(waits(held)).isTrue();
  }

  @Test
  void twoOfOneKey_atTwoEndpoints_shareIt() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    endpointFixture.apply(none("/a"), none("/b"));
    alice.submit(endpointFixture.endpoint("/a"), 1);
    ParkedTicket a = alice.submit(endpointFixture.endpoint("/a"), 1);
    ParkedTicket b = alice.submit(endpointFixture.endpoint("/b"), 1);

    endpointFixture.at(61 * SECOND);
    assertThat(went(a) && waits(b)).isTrue();
    endpointFixture.at(122 * SECOND);
    assertThat(went(b)).isTrue();
  }

  @Test
  void group_isSharedAmongKeys_andMayBeClaimed() {
    FakeCallers.Caller group =
        callers.group("team").limit(LimitMeasure.TOKENS, 100, RefusalReason.GROUP_TPM);
    FakeCallers.Caller alice = callers.waiting("alice").in(group);
    FakeCallers.Caller bob = callers.waiting("bob").in(group);
    Endpoint endpoint = endpointFixture.open(none("/").maxSkips(2));
    bob.submit(endpoint, 60);
    ParkedTicket large = alice.submit(endpoint, 80);

    for (int skip = 0; skip < 2; skip++) {
      assertThat(went(bob.submit(endpoint, 1))).as("skip %d", skip).isTrue();
    }
    assertThat(waits(bob.submit(endpoint, 1))).as("a third skip").isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(large) && went(bob.last())).isTrue();
  }

  @Test
  void keysOpenAtTheSameInstant_theFirstTicketLacksOnlyTheGroup_nobodySkipsIt() {
    FakeCallers.Caller group =
        callers.group("team").limit(LimitMeasure.TOKENS, 100, RefusalReason.GROUP_TPM);
    FakeCallers.Caller alice = callers.waiting("alice").in(group);
    FakeCallers.Caller bob = callers.waiting("bob").in(group);
    alice.limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    bob.limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/").maxSkips(0));
    alice.submit(endpoint, 1);
    bob.submit(endpoint, 1);
    endpointFixture.at(30 * SECOND);
    callers.waiting("eve").in(group).submit(endpoint, 90);
    ParkedTicket large = alice.submit(endpoint, 80);
    bob.submit(endpoint, 5);
    alice.submit(endpoint, 5);

    endpointFixture.at(61 * SECOND);
    assertThat(waits(bob.last()) && waits(alice.last())).isTrue();
    endpointFixture.at(91 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void groupClaimedByOneThatWaits_deniesOneThatComes_andArrivalsCountAsSkips() {
    FakeCallers.Caller group =
        callers.group("team").limit(LimitMeasure.TOKENS, 100, RefusalReason.GROUP_TPM);
    FakeCallers.Caller alice = callers.waiting("alice").in(group);
    FakeCallers.Caller bob = callers.rejecting("bob").in(group);
    endpointFixture.apply(none("/a").maxSkips(2), none("/b"));
    Endpoint endpoint = endpointFixture.endpoint("/b");
    bob.submit(endpoint, 60);
    alice.submit(endpointFixture.endpoint("/a"), 80);

    for (int skip = 0; skip < 2; skip++) {
      assertThat(went(bob.submit(endpoint, 1))).as("skip %d", skip).isTrue();
    }
    assertThat(refusal(bob.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.GROUP_TPM);
  }

  @Test
  void keyIsGivenMore_whileOneWaits_itGoes() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    ParkedTicket second = alice.submit(endpoint, 1);

    alice.resize(LimitMeasure.REQUESTS, 2, endpointFixture);
    endpointFixture.drivers.run();

    assertThat(went(second)).isTrue();
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(2);
  }

  @Test
  void onLimitChanges_whileOneWaits_itWaitsAsItCame() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    alice.submit(endpoint, 1);
    ParkedTicket second = alice.submit(endpoint, 1);

    alice.account.waits(false);

    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.KEY_RPM);
    endpointFixture.at(61 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void estimate_includesTheKey_andOnlyWhatOfItIsAhead() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 60, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(tokens("/", 1_000, 1));
    for (int each = 0; each < 30; each++) {
      alice.submit(endpoint, 1);
    }
    endpointFixture.at(20 * SECOND);
    for (int each = 0; each < 59; each++) {
      alice.submit(endpoint, 1);
    }
    WaitPatience short1 = new WaitPatience(42 * SECOND, Long.MAX_VALUE);
    WaitPatience enough = new WaitPatience(61 * SECOND, Long.MAX_VALUE);

    // 29 are ahead, and 30 may go after 41 s; for all that come then, the key has room after 61 s.
    assertThat(waits(alice.submit(endpoint, Cost.ofInput(1), short1))).isTrue();
    assertThat(refusal(alice.submit(endpoint, Cost.ofInput(1), short1)).reason())
        .isEqualTo(RefusalReason.KEY_RPM);
    assertThat(waits(alice.submit(endpoint, Cost.ofInput(1), enough))).isTrue();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void whatWouldWaitBeyondItsDeadline_isRefusedAtOnce_andToldWhenItsWaitIsShortEnough() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.open(none("/"));
    WaitPatience twoTurns = new WaitPatience(WaitPatience.UNSTATED, 150 * SECOND);
    WaitPatience four = new WaitPatience(WaitPatience.UNSTATED, 250 * SECOND);
    assertThat(went(alice.submit(endpoint, Cost.ofInput(1), twoTurns))).isTrue();
    assertThat(waits(alice.submit(endpoint, Cost.ofInput(1), twoTurns))).isTrue();
    assertThat(waits(alice.submit(endpoint, Cost.ofInput(1), twoTurns))).isTrue();

    Refusal third = refusal(alice.submit(endpoint, Cost.ofInput(1), twoTurns));
    assertThat(third.reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(third.detail()).startsWith("key alice: 1 request a minute; ");
    assertThat(third.retryAfterNanos()).isEqualTo(183 * SECOND - 150 * SECOND);
    assertThat(waits(alice.submit(endpoint, Cost.ofInput(1), four))).isTrue();
  }

  @Test
  void limitOfTheDay_isNotWaitedFor() {
    FakeCallers.Caller alice =
        callers
            .waiting("alice")
            .limit(LimitMeasure.REQUESTS, new LimitSpec.Day(1, null, 0), RefusalReason.KEY_RPD);
    Endpoint endpoint = endpointFixture.open(none("/"));
    WaitPatience patience = new WaitPatience(WaitPatience.UNSTATED, 290 * SECOND);
    ParkedTicket first = alice.submit(endpoint, Cost.ofInput(1), patience);
    assertThat(went(first)).isTrue();
    Refusal second = refusal(alice.submit(endpoint, Cost.ofInput(1), patience));
    assertThat(second.reason()).isEqualTo(RefusalReason.KEY_RPD);
    assertThat(second.usedUp()).isTrue();
  }

  @Test
  void maxWaiting_boundsThoseThatWouldWaitForTheKey() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    FakeCallers.Caller bob =
        callers.waiting("bob").limit(LimitMeasure.REQUESTS, 9, RefusalReason.KEY_RPM);
    alice.account.maxWaiting(2);
    bob.account.maxWaiting(1);
    Endpoint endpoint = endpointFixture.open(tokens("/", 10, 1));
    assertThat(went(alice.submit(endpoint, 5))).isTrue();
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    Refusal third = refusal(alice.submit(endpoint, 1));
    assertThat(third.reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    assertThat(third.detail()).isEqualTo("key alice already has 2 waiting requests (max_waiting)");

    // it is the endpoint that these wait for
    assertThat(waits(bob.submit(endpoint, 9))).isTrue();
    assertThat(waits(bob.submit(endpoint, 9))).isTrue();
  }

  @Test
  void fair_whoWasHeldByItsKey_banksNothing() {
    FakeCallers.Caller alice =
        callers.waiting("alice").limit(LimitMeasure.TOKENS, 10, RefusalReason.KEY_TPM);
    FakeCallers.Caller bob = callers.rejecting("bob");
    FakeCallers.Caller eve = callers.rejecting("eve");
    Endpoint endpoint =
        endpointFixture.open(
            none("/").to(upstream("up", 0, 100)),
            new Scheduling(QueueOrder.FAIR, 0, 64, new EndpointSpec.FairBy.Key()),
            EndpointSetup.waiting(
                new QueueBounds(1_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED),
                0,
                0,
                false,
                0));
    alice.submit(endpoint, 10);
    bob.submit(endpoint, 45);
    eve.submit(endpoint, 45);
    ParkedTicket held = alice.submit(endpoint, 10); // neither its key nor the upstream has room
    for (int each = 0; each < 40; each++) {
      bob.submit(endpoint, 10);
      eve.submit(endpoint, 10);
    }
    alice.resize(LimitMeasure.TOKENS, 1_000, endpointFixture);
    for (int each = 0; each < 10; each++) {
      alice.submit(endpoint, 10);
    }
    endpointFixture.drivers.run();

    endpointFixture.at(61 * SECOND);

    assertThat(went(held)).isTrue();
    // A third of 100 tokens each, give or take one request, as if it had arrived just now.
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isBetween(30L, 40L);
  }
}
