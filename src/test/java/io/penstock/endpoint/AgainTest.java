package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.pool.Failure;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Reason;
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

  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private Pending again(Pending pending, Failure failure, boolean elsewhere) {
    Pending next = settlement(pending).again(failure, elsewhere, house.ticker.nanos());
    house.drivers.run();
    return Objects.requireNonNull(next);
  }

  private static String goesTo(Pending pending) {
    return Objects.requireNonNull(settlement(pending).upstream()).spec().id();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(house.upstreams.find(id));
  }

  private double used(String id) {
    return upstreamOf(id).pool(null, house.ticker.nanos()).utilization(house.ticker.nanos());
  }

  @Test
  void unsentElsewhere_otherUpstreamServes_firstGetsAllBack() {
    Endpoint endpoint =
        house.open(House.none("/a").to(upstream("u", 0, 1_000), upstream("v", 0, 100)));
    Pending first = submit(endpoint, 50);
    assertThat(goesTo(first)).isEqualTo("u");

    Pending second = again(first, Failure.UNSENT, true);

    assertThat(goesTo(second)).isEqualTo("v");
    assertThat(used("u")).isZero();
    assertThat(used("v")).isCloseTo(0.5, EXACT);
  }

  @Test
  void elsewhereWithoutAnother_goesToTheSame() {
    Endpoint endpoint = house.open(House.none("/a").to(ANY));
    assertThat(goesTo(again(submit(endpoint, 50), Failure.BROKEN, true))).isEqualTo("u");
  }

  @Test
  void brokenAttempt_isChargedAndTheNextTakesAnew() {
    Endpoint endpoint = house.open(House.none("/a").to(ANY));
    again(submit(endpoint, 100), Failure.BROKEN, false);
    assertThat(used("u")).isCloseTo(0.2, EXACT);
  }

  @Test
  void rejected_whereRejectedCallsCount_staysCharged() {
    Map<String, String> any = Map.of();
    Endpoint endpoint =
        house.open(
            House.none("/a")
                .to(
                    upstream("total", 0, 1_000),
                    upstream("openai", 0, 1_000, Charge.OPENAI, any, null)));
    Pending first = submit(endpoint, 100);
    assertThat(goesTo(first)).isEqualTo("total");
    Pending second = again(first, Failure.REJECTED, true);
    assertThat(goesTo(second)).isEqualTo("openai");
    Pending third = again(second, Failure.REJECTED, true);
    assertThat(goesTo(third)).isEqualTo("total");
    assertThat(used("openai")).isCloseTo(0.1, EXACT);
    assertThat(used("total")).isCloseTo(0.1, EXACT);
  }

  @Test
  void endpointsOwnLimit_isTakenOnce() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 60).to(ANY));
    Pending second = again(submit(endpoint, 60), Failure.REJECTED, false);
    assertThat(went(second)).isTrue();
    assertThat(endpoint.utilization()).isCloseTo(0.6, EXACT);
    settlement(second).served(new Usage(30, 0, 0), 0, house.ticker.nanos());
    assertThat(endpoint.utilization()).isCloseTo(0.3, EXACT);
  }

  @Test
  void whoComesBack_waitsAtItsOldPlace() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 0, 100)));
    Pending first = submit(endpoint, 100);
    Pending second = submit(endpoint, 100);
    Pending third = submit(endpoint, 100);
    upstreamOf("u").health().shut(START + SECOND);

    Pending back = again(first, Failure.REJECTED, false);

    assertThat(waits(back)).isTrue();
    assertThat(endpoint.totals().requests(Fate.WAITING)).isEqualTo(3);
    house.at(SECOND);
    assertThat(went(back)).isTrue();
    assertThat(waits(second)).isTrue();
    assertThat(settlement(back).waitedNanos()).isEqualTo(SECOND);
    house.at(62 * SECOND);
    house.at(63 * SECOND);
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void fullQueue_isNoneOfItsConcern() {
    Endpoint endpoint =
        house.open(House.none("/a").to(upstream("u", 0, 100)).bounds(1, 1_000, 1_000));
    Pending first = submit(endpoint, 100);
    Pending second = submit(endpoint, 1);
    assertThat(waits(second)).isTrue();
    upstreamOf("u").health().shut(START + SECOND);
    assertThat(waits(again(first, Failure.REJECTED, false))).isTrue();
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.QUEUE_FULL);
  }

  @Test
  void itsDeadline_isTheOldOne_andWhatItHadIsReturned() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 60).to(ANY).maxWait(10 * SECOND));
    Pending first = submit(endpoint, 60);
    house.at(4 * SECOND);
    upstreamOf("u").health().shut(START + 100 * SECOND);
    Pending back = again(first, Failure.REJECTED, false);
    Pending behind = submit(endpoint, 60);
    house.at(10 * SECOND);
    assertThat(refusal(back).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
    assertThat(endpoint.utilization()).isZero();
    assertThat(waits(behind)).isTrue();
  }

  @Test
  void brokenAndNeverServed_inputStaysCharged() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 60).to(ANY));
    Pending first = endpoint.submit(Ask.of(null, new Cost(30, 20, 0), 0, Patience.DEFAULT));
    upstreamOf("u").health().shut(START + 100 * SECOND);
    Pending back = again(first, Failure.BROKEN, false);
    assertThat(endpoint.utilization()).isCloseTo(0.5, EXACT);
    endpoint.cancel(back);
    house.drivers.run();
    assertThat(endpoint.utilization()).isCloseTo(0.3, EXACT);
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void brokenAndNeverSentAgain_inputStaysCharged() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 60).to(ANY));
    Pending first = endpoint.submit(Ask.of(null, new Cost(30, 20, 0), 0, Patience.DEFAULT));
    settlement(again(first, Failure.BROKEN, false)).abandoned(house.ticker.nanos());
    assertThat(endpoint.utilization()).isCloseTo(0.3, EXACT);
  }

  @Test
  void brokenWithSomeOutput_whatWasSeenStaysCharged() {
    Endpoint endpoint = house.open(House.none("/a").to(ANY));
    Pending first = endpoint.submit(Ask.of(null, new Cost(30, 20, 0), 0, Patience.DEFAULT));
    settlement(first).produced(10, house.ticker.nanos());
    again(first, Failure.BROKEN, false);
    assertThat(used("u")).isCloseTo((30 + 10 + 50) / 1_000.0, EXACT);
  }

  @Test
  void othersNeverCould_goesToTheSame() {
    Endpoint endpoint =
        house.open(House.none("/a").to(upstream("u", 0, 1_000), upstream("v", 0, 100)));
    assertThat(goesTo(again(submit(endpoint, 200), Failure.UNSENT, true))).isEqualTo("u");
  }

  @Test
  void othersShrinkMeanwhile_goesToTheSame() {
    Endpoint endpoint = house.open(House.none("/a").to(ANY, upstream("v", 0, 900)));
    Pending first = submit(endpoint, 200);
    upstreamOf("v").health().shut(START + SECOND);
    Pending back = again(first, Failure.UNSENT, true);
    assertThat(waits(back)).isTrue();
    house.apply(House.none("/a").to(ANY, upstream("v", 0, 100)));
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void endpointForwardsNoMore_whoComesBackGoesWithWhatItHad() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 60).to(ANY));
    Pending first = submit(endpoint, 60);
    upstreamOf("u").health().shut(START + 100 * SECOND);
    Pending back = again(first, Failure.UNSENT, false);
    house.apply(House.tokens("/a", 100, 60));
    assertThat(settlement(back).upstream()).isNull();
    assertThat(endpoint.utilization()).isCloseTo(0.6, EXACT);
    settlement(back).abandoned(house.ticker.nanos());
    assertThat(endpoint.utilization()).isZero();
  }

  @Test
  void whoComesBack_hasWaitedLongest() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 0, 100)));
    Pending first = submit(endpoint, 100);
    house.at(SECOND);
    submit(endpoint, 100);
    house.at(3 * SECOND);
    upstreamOf("u").health().shut(START + 100 * SECOND);
    assertThat(endpoint.oldestWaitNanos()).isEqualTo(2 * SECOND);
    again(first, Failure.UNSENT, false);
    assertThat(endpoint.oldestWaitNanos()).isEqualTo(3 * SECOND);
  }

  @Test
  void whatComesBackReturns_wakesWhoWaitsForTheEndpoint() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 60).to(ANY));
    Pending first = submit(endpoint, 100);
    Pending behind = submit(endpoint, 50);
    Pending second = again(first, Failure.UNSENT, false);
    assertThat(waits(behind)).isTrue();
    settlement(second).served(new Usage(50, 0, 0), 0, house.ticker.nanos());
    house.drivers.run();
    assertThat(went(behind)).isTrue();
  }

  private static Pending ask(Endpoint endpoint, String model, long tokens) {
    return ask(endpoint, model, Cost.ofInput(tokens));
  }

  private static Pending ask(Endpoint endpoint, String model, Cost cost) {
    return endpoint.submit(Ask.of(model, cost, 0, Patience.DEFAULT));
  }

  @Test
  void whatItHoldsIsClaimed_andWhatItNeedsToo_goesAllTheSame() {
    Endpoint endpoint =
        house.open(House.tokens("/a", 150, 60).to(upstream("u", 0, 100)).maxSkips(0));
    Pending back = again(ask(endpoint, "m", new Cost(60, 20, 0)), Failure.BROKEN, false);
    Pending claimsPool = ask(endpoint, "m", 45);
    Pending behind = ask(endpoint, "m", 1);
    Pending claimsEndpoint = ask(endpoint, "n", new Cost(0, 140, 0));
    assertThat(List.of(back, claimsPool, behind, claimsEndpoint, ask(endpoint, "n", 1)))
        .allMatch(House::waits);
    house.at(100 * SECOND);
    assertThat(went(back)).isTrue();
    settlement(back).served(new Usage(0, 0, 0), 0, house.ticker.nanos());
    house.at(101 * SECOND);
    assertThat(went(claimsEndpoint)).isTrue();
  }

  @Test
  void settledBefore_nothingComesBack() {
    Endpoint endpoint = house.open(House.none("/a").to(ANY));
    Settlement settlement = settlement(submit(endpoint, 1));
    settlement.served(null, 0, house.ticker.nanos());
    assertThat(settlement.again(Failure.UNSENT, true, house.ticker.nanos())).isNull();
  }

  @Test
  void removedEndpoint_refusesWhoComesBack() {
    Endpoint endpoint = house.open(House.none("/a").to(ANY));
    Pending first = submit(endpoint, 1);
    house.apply(House.none("/b").to(ANY));
    assertThat(refusal(again(first, Failure.UNSENT, true)).reason())
        .isEqualTo(Reason.ENDPOINT_REMOVED);
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
  }
}
