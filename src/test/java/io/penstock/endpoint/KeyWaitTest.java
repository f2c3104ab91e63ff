package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.assertBalanced;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import org.junit.jupiter.api.Test;

/** Tests of a key with requests that wait in the queue for its quotas. */
class KeyWaitTest {
  private final House house = new House();
  private final Callers callers = new Callers();

  @Test
  void requests_oneMoreThanMay_waitsUntilTheFirstHasLeftTheWindow() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 2, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/"));
    alice.submit(endpoint, 1);
    alice.submit(endpoint, 1);
    Pending third = alice.submit(endpoint, 1);
    assertThat(waits(third)).isTrue();

    house.at(61 * SECOND - 1);
    assertThat(waits(third)).isTrue();
    house.at(61 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(alice.charged(Measure.REQUESTS, house)).isEqualTo(1);
  }

  @Test
  void tokens_areChargedAtRelease_heldAndSettled() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.TOKENS, 100, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    Pending first = alice.submit(endpoint, new Cost(20, 70, 0));
    Pending second = alice.submit(endpoint, new Cost(40, 0, 0));
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(20);
    assertThat(alice.held(Measure.TOKENS, house)).isEqualTo(70);
    assertThat(waits(second)).isTrue();

    settlement(first).served(new Usage(20, 0, 30), 30, house.ticker.nanos());
    house.drivers.run();

    assertThat(went(second)).isTrue();
    assertThat(alice.charged(Measure.TOKENS, house)).isEqualTo(90);
  }

  @Test
  void inputAboveItsCapacity_isImpossible() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.TOKENS, 100, Reason.KEY_TPM);
    Endpoint endpoint = house.open(none("/"));

    assertThat(refusal(alice.submit(endpoint, 101)).reason())
        .isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void concurrency_countsWhatRuns_andWakesWhoWaits() {
    Callers.Caller alice =
        callers.waiting("alice").limit(Measure.CONCURRENCY, 1, Reason.KEY_CONCURRENCY);
    Endpoint here = house.open(none("/").to(upstream("up", 0, 0)));
    Pending first = alice.submit(here, 1);
    Pending second = alice.submit(here, 1);
    Pending third = alice.submit(here, 1);

    settlement(first).served(null, 0, house.ticker.nanos());
    house.drivers.run();
    assertThat(went(second) && waits(third)).isTrue();
    here.cancel(third);
    house.drivers.run();
    settlement(second).abandoned(house.ticker.nanos());
    house.drivers.run();

    assertThat(alice.held(Measure.CONCURRENCY, house)).isZero();
    assertThat(alice.empty()).isTrue();
    assertBalanced(here);
  }

  @Test
  void oneIsHeldByItsKey_anotherBesideFlowsFreely_howeverOftenItPasses() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/").maxSkips(0).to(upstream("up", 0, 100)));
    alice.submit(endpoint, 1);
    Pending held = alice.submit(endpoint, 1);

    for (int each = 0; each < 90; each++) {
      assertThat(went(submit(endpoint, 1))).as("request %d", each).isTrue();
    }
    assertThat(waits(held)).isTrue();
    house.at(61 * SECOND);
    assertThat(went(held)).isTrue();
  }

  @Test
  void claimsAnother_thenIsHeldByItsKey_keepsItNoMore() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    house.apply(
        none("/here").maxSkips(0).to(upstream("up", 0, 100)),
        none("/there").to(upstream("other", 0, 0)));
    Endpoint here = house.endpoint("/here");
    submit(here, 50);
    Pending large = alice.submit(here, 60);
    assertThat(waits(submit(here, 10))).as("behind the one that may not be skipped").isTrue();

    alice.submit(house.endpoint("/there"), 1); // its key has nothing left
    house.drivers.run();

    assertThat(waits(large)).isTrue();
    assertThat(went(submit(here, 10))).isTrue();
    assertThat(here.totals().requests(Totals.Fate.WAITING)).isEqualTo(1);
  }

  @Test
  void heldByItsKey_collectsNoSkips_andDoesNotClaimOnceItMayGo() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/").maxSkips(5).to(upstream("up", 0, 100)));
    alice.submit(endpoint, 1);
    Pending held = alice.submit(endpoint, 99);
    for (int each = 0; each < 20; each++) {
      submit(endpoint, 1);
    }
    house.at(50 * SECOND);
    submit(endpoint, 40);
    house.at(61 * SECOND); // its key has room now; only the upstream blocks it from here on

    for (int each = 0; each < 5; each++) {
      assertThat(went(submit(endpoint, 1))).as("skip %d", each).isTrue();
    }
    assertThat(waits(submit(endpoint, 1))).as("one more").isTrue();
    assertThat(waits(held)).isTrue();
  }

  @Test
  void twoOfOneKey_atTwoEndpoints_shareIt() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    house.apply(none("/a"), none("/b"));
    alice.submit(house.endpoint("/a"), 1);
    Pending a = alice.submit(house.endpoint("/a"), 1);
    Pending b = alice.submit(house.endpoint("/b"), 1);

    house.at(61 * SECOND);
    assertThat(went(a) && waits(b)).isTrue();
    house.at(122 * SECOND);
    assertThat(went(b)).isTrue();
  }

  @Test
  void group_isSharedAmongKeys_andMayBeClaimed() {
    Callers.Caller group = callers.group("team").limit(Measure.TOKENS, 100, Reason.GROUP_TPM);
    Callers.Caller alice = callers.waiting("alice").in(group);
    Callers.Caller bob = callers.waiting("bob").in(group);
    Endpoint endpoint = house.open(none("/").maxSkips(2));
    bob.submit(endpoint, 60);
    Pending large = alice.submit(endpoint, 80);

    for (int skip = 0; skip < 2; skip++) {
      assertThat(went(bob.submit(endpoint, 1))).as("skip %d", skip).isTrue();
    }
    assertThat(waits(bob.submit(endpoint, 1))).as("a third skip").isTrue();
    house.at(61 * SECOND);
    assertThat(went(large) && went(bob.last())).isTrue();
  }

  @Test
  void keysOpenAtTheSameInstant_theFirstTicketLacksOnlyTheGroup_nobodySkipsIt() {
    Callers.Caller group = callers.group("team").limit(Measure.TOKENS, 100, Reason.GROUP_TPM);
    Callers.Caller alice = callers.waiting("alice").in(group);
    Callers.Caller bob = callers.waiting("bob").in(group);
    alice.limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    bob.limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/").maxSkips(0));
    alice.submit(endpoint, 1);
    bob.submit(endpoint, 1);
    house.at(30 * SECOND);
    callers.waiting("eve").in(group).submit(endpoint, 90);
    Pending large = alice.submit(endpoint, 80);
    bob.submit(endpoint, 5);
    alice.submit(endpoint, 5);

    house.at(61 * SECOND);
    assertThat(waits(bob.last()) && waits(alice.last())).isTrue();
    house.at(91 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void groupClaimedByOneThatWaits_deniesOneThatComes_andArrivalsCountAsSkips() {
    Callers.Caller group = callers.group("team").limit(Measure.TOKENS, 100, Reason.GROUP_TPM);
    Callers.Caller alice = callers.waiting("alice").in(group);
    Callers.Caller bob = callers.rejecting("bob").in(group);
    house.apply(none("/a").maxSkips(2), none("/b"));
    Endpoint endpoint = house.endpoint("/b");
    bob.submit(endpoint, 60);
    alice.submit(house.endpoint("/a"), 80);

    for (int skip = 0; skip < 2; skip++) {
      assertThat(went(bob.submit(endpoint, 1))).as("skip %d", skip).isTrue();
    }
    assertThat(refusal(bob.submit(endpoint, 1)).reason()).isEqualTo(Reason.GROUP_TPM);
  }

  @Test
  void keyIsGivenMore_whileOneWaits_itGoes() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/"));
    alice.submit(endpoint, 1);
    Pending second = alice.submit(endpoint, 1);

    alice.resize(Measure.REQUESTS, 2, house);
    house.drivers.run();

    assertThat(went(second)).isTrue();
    assertThat(alice.charged(Measure.REQUESTS, house)).isEqualTo(2);
  }

  @Test
  void onLimitChanges_whileOneWaits_itWaitsAsItCame() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 1, Reason.KEY_RPM);
    Endpoint endpoint = house.open(none("/"));
    alice.submit(endpoint, 1);
    Pending second = alice.submit(endpoint, 1);

    alice.account.waits(false);

    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(Reason.KEY_RPM);
    house.at(61 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void estimate_includesTheKey_andOnlyWhatOfItIsAhead() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.REQUESTS, 60, Reason.KEY_RPM);
    Endpoint endpoint = house.open(tokens("/", 1_000, 1));
    for (int each = 0; each < 60; each++) {
      alice.submit(endpoint, 1);
    }
    alice.submit(endpoint, 1);
    Patience short1 = new Patience(SECOND, Long.MAX_VALUE);
    Patience enough = new Patience(2 * SECOND, Long.MAX_VALUE);

    // One ticket is ahead, and the key may have one request a second.
    assertThat(refusal(alice.submit(endpoint, Cost.ofInput(1), short1)).reason())
        .isEqualTo(Reason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
    assertThat(waits(alice.submit(endpoint, Cost.ofInput(1), enough))).isTrue();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void fair_whoWasHeldByItsKey_banksNothing() {
    Callers.Caller alice = callers.waiting("alice").limit(Measure.TOKENS, 10, Reason.KEY_TPM);
    Callers.Caller bob = callers.rejecting("bob");
    Callers.Caller eve = callers.rejecting("eve");
    Endpoint endpoint =
        house.open(
            none("/").to(upstream("up", 0, 100)),
            new Scheduling(Order.FAIR, 0, 64, new EndpointSpec.FairBy.Key()),
            Waiting.of(new Bounds(1_000, Bounds.UNLIMITED, Bounds.UNLIMITED), 0, 0));
    alice.submit(endpoint, 10);
    bob.submit(endpoint, 45);
    eve.submit(endpoint, 45);
    Pending held = alice.submit(endpoint, 10); // neither its key nor the upstream has room
    for (int each = 0; each < 40; each++) {
      bob.submit(endpoint, 10);
      eve.submit(endpoint, 10);
    }
    alice.resize(Measure.TOKENS, 1_000, house);
    for (int each = 0; each < 10; each++) {
      alice.submit(endpoint, 10);
    }
    house.drivers.run();

    house.at(61 * SECOND);

    assertThat(went(held)).isTrue();
    // A third of 100 tokens each, give or take one request, as if it had arrived just now.
    assertThat(alice.charged(Measure.TOKENS, house)).isBetween(30L, 40L);
  }
}
