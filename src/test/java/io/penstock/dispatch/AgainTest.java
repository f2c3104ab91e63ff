package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of requests that take more than one attempt. */
class AgainTest {
  private static final UpstreamSpec ANY = upstream("u", 0, 1_000);

  /** Tolerance for shares of a limit, which are floating-point numbers. */
  private static final Offset<Double> EXACT = Offset.offset(1e-12);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private ParkedTicket again(
      ParkedTicket parkedTicket, AttemptFailure failure, boolean toOtherUpstream) {
    ParkedTicket next =
        settlement(parkedTicket).retry(failure, toOtherUpstream, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    return Objects.requireNonNull(next);
  }

  private static String goesTo(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(settlement(parkedTicket).upstream()).spec().id();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  private double used(String id) {
    return upstreamOf(id)
        .pool(null, endpointFixture.ticker.nanos())
        .utilization(endpointFixture.ticker.nanos());
  }

  @Test
  void unsentElsewhere_otherUpstreamServes_firstGetsAllBack() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a").to(upstream("u", 0, 1_000), upstream("v", 0, 100)));
    ParkedTicket first = submit(endpoint, 50);
    assertThat(goesTo(first)).isEqualTo("u");

    ParkedTicket second = again(first, AttemptFailure.UNSENT, true);

    assertThat(goesTo(second)).isEqualTo("v");
    assertThat(used("u")).isZero();
    assertThat(used("v")).isCloseTo(0.5, EXACT);
  }

  @Test
  void elsewhereWithoutAnother_goesToTheSame() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(ANY));
    assertThat(goesTo(again(submit(endpoint, 50), AttemptFailure.BROKEN, true))).isEqualTo("u");
  }

  @Test
  void brokenAttempt_isChargedAndTheNextTakesAnew() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(ANY));
    again(submit(endpoint, 100), AttemptFailure.BROKEN, false);
    assertThat(used("u")).isCloseTo(0.2, EXACT);
  }

  @Test
  void rejected_whereRejectedCallsCount_staysCharged() {
    Map<String, String> any = Map.of();
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a")
                .to(
                    upstream("total", 0, 1_000),
                    upstream("openai", 0, 1_000, ChargeRule.OPENAI, any, null)));
    ParkedTicket first = submit(endpoint, 100);
    assertThat(goesTo(first)).isEqualTo("total");
    ParkedTicket second = again(first, AttemptFailure.REJECTED, true);
    assertThat(goesTo(second)).isEqualTo("openai");
    ParkedTicket third = again(second, AttemptFailure.REJECTED, true);
    assertThat(goesTo(third)).isEqualTo("total");
    assertThat(used("openai")).isCloseTo(0.1, EXACT);
    assertThat(used("total")).isCloseTo(0.1, EXACT);
  }

  @Test
  void endpointsOwnLimit_isTakenOnce() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 60).to(ANY));
    ParkedTicket second = again(submit(endpoint, 60), AttemptFailure.REJECTED, false);
    assertThat(went(second)).isTrue();
    assertThat(endpoint.utilization()).isCloseTo(0.6, EXACT);
    settlement(second).served(new TokenUsage(30, 0, 0), 0, endpointFixture.ticker.nanos());
    assertThat(endpoint.utilization()).isCloseTo(0.3, EXACT);
  }

  @Test
  void whoComesBack_waitsAtItsOldPlace() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 0, 100)));
    ParkedTicket first = submit(endpoint, 100);
    ParkedTicket second = submit(endpoint, 100);
    ParkedTicket third = submit(endpoint, 100);
    upstreamOf("u").health().shut(START + SECOND);

    ParkedTicket back = again(first, AttemptFailure.REJECTED, false);

    assertThat(waits(back)).isTrue();
    assertThat(endpoint.totals().requests(TicketFate.WAITING)).isEqualTo(3);
    endpointFixture.at(SECOND);
    assertThat(went(back)).isTrue();
    assertThat(waits(second)).isTrue();
    assertThat(settlement(back).waitedNanos()).isEqualTo(SECOND);
    endpointFixture.at(62 * SECOND);
    endpointFixture.at(63 * SECOND);
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void fullQueue_isNoneOfItsConcern() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a").to(upstream("u", 0, 100)).bounds(1, 1_000, 1_000));
    ParkedTicket first = submit(endpoint, 100);
    ParkedTicket second = submit(endpoint, 1);
    assertThat(waits(second)).isTrue();
    upstreamOf("u").health().shut(START + SECOND);
    assertThat(waits(again(first, AttemptFailure.REJECTED, false))).isTrue();
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
  }

  @Test
  void itsDeadline_isTheOldOne_andWhatItHadIsReturned() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.tokens("/a", 100, 60).to(ANY).maxWait(10 * SECOND));
    ParkedTicket first = submit(endpoint, 60);
    endpointFixture.at(4 * SECOND);
    upstreamOf("u").health().shut(START + 100 * SECOND);
    ParkedTicket back = again(first, AttemptFailure.REJECTED, false);
    ParkedTicket behind = submit(endpoint, 60);
    endpointFixture.at(10 * SECOND);
    assertThat(refusal(back).reason()).isEqualTo(RefusalReason.QUEUE_TIMEOUT);
    assertThat(endpoint.utilization()).isZero();
    assertThat(waits(behind)).isTrue();
  }

  @Test
  void brokenAndNeverServed_inputStaysCharged() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 60).to(ANY));
    ParkedTicket first = endpoint.submit(RequestFixture.request(null, new Cost(30, 20, 0)));
    upstreamOf("u").health().shut(START + 100 * SECOND);
    ParkedTicket back = again(first, AttemptFailure.BROKEN, false);
    assertThat(endpoint.utilization()).isCloseTo(0.5, EXACT);
    back.cancel();
    endpointFixture.drivers.run();
    assertThat(endpoint.utilization()).isCloseTo(0.3, EXACT);
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void brokenAndNeverSentAgain_inputStaysCharged() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 60).to(ANY));
    ParkedTicket first = endpoint.submit(RequestFixture.request(null, new Cost(30, 20, 0)));
    settlement(again(first, AttemptFailure.BROKEN, false))
        .abandoned(endpointFixture.ticker.nanos());
    assertThat(endpoint.utilization()).isCloseTo(0.3, EXACT);
  }

  @Test
  void brokenWithSomeOutput_whatWasSeenStaysCharged() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(ANY));
    ParkedTicket first = endpoint.submit(RequestFixture.request(null, new Cost(30, 20, 0)));
    settlement(first).produced(10, endpointFixture.ticker.nanos());
    again(first, AttemptFailure.BROKEN, false);
    assertThat(used("u")).isCloseTo((30 + 10 + 50) / 1_000.0, EXACT);
  }

  @Test
  void othersNeverCould_goesToTheSame() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a").to(upstream("u", 0, 1_000), upstream("v", 0, 100)));
    assertThat(goesTo(again(submit(endpoint, 200), AttemptFailure.UNSENT, true))).isEqualTo("u");
  }

  @Test
  void othersShrinkMeanwhile_goesToTheSame() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.none("/a").to(ANY, upstream("v", 0, 900)));
    ParkedTicket first = submit(endpoint, 200);
    upstreamOf("v").health().shut(START + SECOND);
    ParkedTicket back = again(first, AttemptFailure.UNSENT, true);
    assertThat(waits(back)).isTrue();
    endpointFixture.apply(EndpointFixture.none("/a").to(ANY, upstream("v", 0, 100)));
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void endpointForwardsNoMore_whoComesBackGoesWithWhatItHad() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 60).to(ANY));
    ParkedTicket first = submit(endpoint, 60);
    upstreamOf("u").health().shut(START + 100 * SECOND);
    ParkedTicket back = again(first, AttemptFailure.UNSENT, false);
    endpointFixture.apply(EndpointFixture.tokens("/a", 100, 60));
    assertThat(settlement(back).upstream()).isNull();
    assertThat(endpoint.utilization()).isCloseTo(0.6, EXACT);
    settlement(back).abandoned(endpointFixture.ticker.nanos());
    assertThat(endpoint.utilization()).isZero();
  }

  @Test
  void whoComesBack_hasWaitedLongest() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 0, 100)));
    ParkedTicket first = submit(endpoint, 100);
    endpointFixture.at(SECOND);
    submit(endpoint, 100);
    endpointFixture.at(3 * SECOND);
    upstreamOf("u").health().shut(START + 100 * SECOND);
    assertThat(endpoint.oldestWaitNanos()).isEqualTo(2 * SECOND);
    again(first, AttemptFailure.UNSENT, false);
    assertThat(endpoint.oldestWaitNanos()).isEqualTo(3 * SECOND);
  }

  @Test
  void whatComesBackReturns_wakesWhoWaitsForTheEndpoint() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 60).to(ANY));
    ParkedTicket first = submit(endpoint, 100);
    ParkedTicket behind = submit(endpoint, 50);
    ParkedTicket second = again(first, AttemptFailure.UNSENT, false);
    assertThat(waits(behind)).isTrue();
    settlement(second).served(new TokenUsage(50, 0, 0), 0, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(went(behind)).isTrue();
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return ask(endpoint, model, Cost.ofInput(tokens));
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, Cost cost) {
    return endpoint.submit(RequestFixture.request(model, cost));
  }

  @Test
  void whatItHoldsIsClaimed_andWhatItNeedsToo_goesAllTheSame() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.tokens("/a", 150, 60).to(upstream("u", 0, 100)).maxSkips(0));
    ParkedTicket back =
        again(ask(endpoint, "m", new Cost(60, 20, 0)), AttemptFailure.BROKEN, false);
    ParkedTicket claimsPool = ask(endpoint, "m", 45);
    ParkedTicket behind = ask(endpoint, "m", 1);
    ParkedTicket claimsEndpoint = ask(endpoint, "n", new Cost(0, 140, 0));
    assertThat(List.of(back, claimsPool, behind, claimsEndpoint, ask(endpoint, "n", 1)))
        .allMatch(EndpointFixture::waits);
    endpointFixture.at(100 * SECOND);
    assertThat(went(back)).isTrue();
    settlement(back).served(new TokenUsage(0, 0, 0), 0, endpointFixture.ticker.nanos());
    endpointFixture.at(101 * SECOND);
    assertThat(went(claimsEndpoint)).isTrue();
  }

  @Test
  void settledBefore_nothingComesBack() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(ANY));
    TicketSettlement ticketSettlement = settlement(submit(endpoint, 1));
    ticketSettlement.served(null, 0, endpointFixture.ticker.nanos());
    assertThat(ticketSettlement.retry(AttemptFailure.UNSENT, true, endpointFixture.ticker.nanos()))
        .isNull();
  }

  @Test
  void removedEndpoint_refusesWhoComesBack() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(ANY));
    ParkedTicket first = submit(endpoint, 1);
    endpointFixture.apply(EndpointFixture.none("/b").to(ANY));
    assertThat(refusal(again(first, AttemptFailure.UNSENT, true)).reason())
        .isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
  }
}
