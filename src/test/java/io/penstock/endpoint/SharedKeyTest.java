package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareDemand;
import io.penstock.limit.ShareNews;
import io.penstock.quota.MeteredLimit;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of a key that refuses what it lacks, and shares its limit with other instances. */
class SharedKeyTest {
  private static final long MINUTE = 60 * SECOND;

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final AtomicInteger hurried = new AtomicInteger();
  private final Limit limit = new Limit(new LimitSpec.FixedWindow(10, MINUTE), START);
  private final ShareDemand demand = HeldShares.none(limit, hurried::incrementAndGet, START);
  private final FakeCallers.Caller alice = new FakeCallers().rejecting("alice");
  private final Endpoint endpoint =
      endpointFixture.open(none("/").maxWait(30 * SECOND).bounds(3, 100, 100));

  SharedKeyTest() {
    HeldShares.give(limit, 0, START, START);
    alice.quota.change(
        ChargeRule.TOTAL,
        List.of(new MeteredLimit(LimitMeasure.REQUESTS, limit, RefusalReason.KEY_RPM)));
  }

  private void given(long share) {
    HeldShares.give(limit, share, START, endpointFixture.ticker.nanos());
    demand.wake();
    endpointFixture.drivers.run();
  }

  private void denied() {
    HeldShares.deny(limit, 1, endpointFixture.ticker.nanos());
    demand.wakeAfterDenial();
    endpointFixture.drivers.run();
  }

  @Test
  void shareLacks_waitsForALargerOne_andGoesWithIt() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    assertThat(waits(parkedTicket)).isTrue();
    assertThat(hurried).hasValue(1);
    endpointFixture.at(SECOND);
    assertThat(waits(parkedTicket)).isTrue();
    given(1);
    assertThat(went(parkedTicket)).isTrue();
    assertThat(limit.balance(endpointFixture.ticker.nanos()).charged()).isEqualTo(1);
    assertBalanced(endpoint);
  }

  @Test
  void nothingLeftForAnybody_isRefusedOnceThatIsHeard_andAtOnceWhileItIsKnown() {
    ParkedTicket first = alice.submit(endpoint, 1);
    endpointFixture.at(SECOND);
    denied();
    assertThat(refusal(first).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(refusal(first).retryAfterNanos()).isEqualTo(MINUTE - SECOND);
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(hurried).hasValue(1);
    endpointFixture.at(3 * SECOND + 1);
    assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void storeIsAway_isRefusedWithThatReason_andNotAsUsedUp() {
    ParkedTicket first = alice.submit(endpoint, 1);
    endpointFixture.at(SECOND);
    HeldShares.contact(limit, ShareNews.Contact.AWAY);
    demand.wake();
    endpointFixture.drivers.run();
    assertThat(refusal(first).reason()).isEqualTo(RefusalReason.LIMIT_UNAVAILABLE);
    assertThat(refusal(first).detail()).contains("Redis is away");
    assertThat(refusal(alice.submit(endpoint, 1)).reason())
        .isEqualTo(RefusalReason.LIMIT_UNAVAILABLE);
    limit.charge(10, 0, endpointFixture.ticker.nanos());
    assertThat(refusal(alice.submit(endpoint, 1)).reason())
        .as("this instance alone has used it up")
        .isEqualTo(RefusalReason.KEY_RPM);
    assertBalanced(endpoint);
  }

  @Test
  void windowIsAboutToEnd_goesWithTheShareInTheNext() {
    given(1);
    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    endpointFixture.at(MINUTE - 1_000_000);
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    assertThat(waits(parkedTicket)).isTrue();
    endpointFixture.at(MINUTE - 1);
    assertThat(waits(parkedTicket)).isTrue();
    endpointFixture.at(MINUTE);
    assertThat(went(parkedTicket)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void lessThanAllLack_theFirstGo() {
    ParkedTicket first = alice.submit(endpoint, 1);
    ParkedTicket second = alice.submit(endpoint, 1);
    given(1);
    assertThat(went(first)).isTrue();
    assertThat(waits(second)).isTrue();
    denied();
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.KEY_RPM);
  }

  @Test
  void allUsedUpHere_isRefusedAtOnce() {
    given(10);
    limit.charge(10, 0, START);
    assertThat(refusal(alice.submit(endpoint, 1)).retryAfterNanos()).isEqualTo(MINUTE);
  }

  @Test
  void clientGoneMeanwhile_tookNothing() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    parkedTicket.cancel();
    given(1);
    assertThat(limit.balance(endpointFixture.ticker.nanos()).charged()).isZero();
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
    assertThat(alice.empty()).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void noAnswer_expiresWhenItMayWaitNoLonger() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    endpointFixture.at(30 * SECOND);
    assertThat(refusal(parkedTicket).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(alice.empty()).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void asManyAsMayWaitAndOneMore_theLastIsRefused() {
    for (int each = 0; each < 3; each++) {
      assertThat(waits(alice.submit(endpoint, 1))).isTrue();
    }
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
    given(3);
    assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isEqualTo(3);
    assertBalanced(endpoint);
  }

  @Test
  void endpointCloses_refusesThemToo() {
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    endpoint.refuseAll(Refusal.of(RefusalReason.NO_ENDPOINT, "it is no more"));
    endpointFixture.drivers.run();
    assertThat(refusal(parkedTicket).reason()).isEqualTo(RefusalReason.NO_ENDPOINT);
    assertBalanced(endpoint);
  }

  /** Otherwise the work of each answer would grow with the number of requests there ever were. */
  @Test
  void decided_laterSharesAreNoneOfItsConcern() {
    ParkedTicket goes = alice.submit(endpoint, 1);
    ParkedTicket denied = alice.submit(endpoint, 1);
    demand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).as("they wait for a share").isFalse();
    given(1);
    denied();
    assertThat(went(goes)).isTrue();
    assertThat(refusal(denied).reason()).isEqualTo(RefusalReason.KEY_RPM);

    demand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).isTrue();
  }

  @Test
  void lacksAnotherLimitByNow_shareOfTheFirstIsNoneOfItsConcernAnyMore() {
    Limit tokens = new Limit(new LimitSpec.FixedWindow(100, MINUTE), START);
    ShareDemand tokensDemand = HeldShares.none(tokens, () -> {}, START);
    alice.quota.change(
        ChargeRule.TOTAL,
        List.of(
            new MeteredLimit(LimitMeasure.REQUESTS, limit, RefusalReason.KEY_RPM),
            new MeteredLimit(LimitMeasure.TOKENS, tokens, RefusalReason.KEY_TPM)));
    ParkedTicket parkedTicket = alice.submit(endpoint, 1);
    given(1);
    assertThat(waits(parkedTicket)).as("it lacks tokens").isTrue();

    demand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).isTrue();

    HeldShares.give(tokens, 100, START);
    tokensDemand.wake();
    endpointFixture.drivers.run();
    assertThat(went(parkedTicket)).isTrue();
    tokensDemand.wake();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).as("it waits for nothing").isTrue();
    assertBalanced(endpoint);
  }
}
