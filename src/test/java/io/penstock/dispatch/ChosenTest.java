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
import io.penstock.endpoint.EndpointSpec;
import io.penstock.model.ModelLimits;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.ProbeResult;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the choice of upstreams: affinity to one, fallback models, and upstreams that are away
 * for a while.
 */
class ChosenTest {
  private static final UpstreamSpec ANY = upstream("u", 0, 1_000);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static String goesTo(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(settlement(parkedTicket).upstream()).spec().id();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  private ParkedTicket again(
      ParkedTicket parkedTicket, AttemptFailure failure, boolean toOtherUpstream) {
    ParkedTicket next =
        settlement(parkedTicket).retry(failure, toOtherUpstream, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    return Objects.requireNonNull(next);
  }

  @Test
  void onlyUnwellUpstreams_whoComesIsRefusedUntilTheNextTrial() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(ANY));
    upstreamOf("u").health().tryFrom(START + 3 * SECOND, SECOND);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    assertThat(refusal(submit(endpoint, 1)).retryAfterNanos()).isEqualTo(3 * SECOND);
    endpointFixture.at(3 * SECOND);
    assertThat(went(submit(endpoint, 1))).isTrue();
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    upstreamOf("u").health().open();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void onlyUnhealthyUpstreams_whoComesIsToldWhenTheNextProbeHasAnAnswer() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(ANY));
    Upstream upstream = upstreamOf("u");
    for (int failure = 0; failure < 3; failure++) {
      upstream.judge(UpstreamFixture.attempt(null, 0, 1), AttemptFailure.UNSENT, "unsent", START);
    }
    assertThat(refusal(submit(endpoint, 1)).retryAfterNanos()).isEqualTo(SECOND + SECOND / 4);
    endpointFixture.at(SECOND);
    assertThat(refusal(submit(endpoint, 1)).retryAfterNanos())
        .as("while the probe runs")
        .isEqualTo(SECOND + SECOND / 4);
    upstream.probed(ProbeResult.UNREACHABLE, "the upstream refused the connection", START + SECOND);
    assertThat(refusal(submit(endpoint, 1)).retryAfterNanos()).isEqualTo(2 * SECOND + SECOND / 4);
    endpointFixture.at(3 * SECOND);
    upstream.probed(ProbeResult.WORKS, null, START + 3 * SECOND);
    assertThat(went(submit(endpoint, 1))).isTrue();
    assertThat(refusal(submit(endpoint, 1)).retryAfterNanos())
        .as("while one is on trial")
        .isEqualTo(2 * SECOND);
  }

  private ParkedTicket kept(Endpoint endpoint, @Nullable String with, @Nullable String at) {
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(1))
            .affinity(new TicketRequest.RequestAffinity(with, at))
            .made());
  }

  @Test
  void upstreamsUsedAlike_shareByTheirWeights() {
    UpstreamSpec light = upstream("light", 0, 0);
    UpstreamSpec heavy = UpstreamSetup.of("heavy").weight(3).spec();
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(light, heavy));
    List<String> taken =
        IntStream.range(0, 2_000).mapToObj(i -> goesTo(submit(endpoint, 1))).toList();
    assertThat(taken.stream().filter("heavy"::equals).count()).isBetween(1_425L, 1_575L);
  }

  @Test
  void endpointIsFullerThanBothUpstreams_allGoToTheOneWithRoom() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.tokens("/a", 100, 60)
                .to(upstream("u", 0, 10_000), upstream("v", 0, 1_000)));
    assertThat(went(kept(endpoint, null, "v"))).isTrue();
    assertThat(went(kept(endpoint, null, "v"))).isTrue();
    assertThat(IntStream.range(0, 16).mapToObj(i -> goesTo(submit(endpoint, 1)))).containsOnly("u");
  }

  @Test
  void modelIsFullerThanBothUpstreams_shadowsGoToTheOneWithRoom() {
    endpointFixture.models.configure(
        List.of(), Map.of("m", new ModelLimits(0, 100, 0)), endpointFixture.ticker.nanos());
    Endpoint endpoint =
        endpointFixture.openShadow(
            EndpointFixture.none("/a").to(upstream("u", 0, 10_000), upstream("v", 0, 1_000)));
    ask(endpoint, "m", 20);
    upstreamOf("v").pool("m", START).take(Cost.ofInput(20), START, new ArrayList<>());
    assertThat(IntStream.range(0, 16).mapToObj(i -> goesTo(ask(endpoint, "m", 1))))
        .containsOnly("u");
  }

  @Test
  void keptWith_goesToOneUpstream_andToAnotherOnlyWhileThatIsUnwell() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a").to(upstream("u", 0, 1_000), upstream("v", 0, 1_000)));
    String home = goesTo(kept(endpoint, "session-1", null));
    assertThat(IntStream.range(0, 20).mapToObj(i -> goesTo(kept(endpoint, "session-1", null))))
        .containsOnly(home);
    assertThat(IntStream.range(0, 50).mapToObj(i -> goesTo(kept(endpoint, "session-" + i, null))))
        .contains("u", "v");
    ParkedTicket failed = kept(endpoint, "session-1", null);
    assertThat(goesTo(again(failed, AttemptFailure.UNSENT, true))).isNotEqualTo(home);
    upstreamOf(home).health().tryFrom(START + SECOND, SECOND);
    assertThat(goesTo(kept(endpoint, "session-1", null))).isNotEqualTo(home);
  }

  @Test
  void keptAt_goesNowhereElse_evenWhenItFails() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a").to(upstream("u", 0, 1_000), upstream("v", 0, 1_000)));
    ParkedTicket first = kept(endpoint, null, "v");
    assertThat(goesTo(first)).isEqualTo("v");
    assertThat(goesTo(again(first, AttemptFailure.UNSENT, true))).isEqualTo("v");
    assertThat(went(kept(endpoint, null, "gone"))).as("not configured any more").isTrue();
  }

  private Endpoint withFallback(UpstreamSpec... upstreams) {
    return endpointFixture.open(
        EndpointFixture.none("/a")
            .to(upstreams)
            .fallbacks(Map.of("large", new EndpointSpec.Fallback(List.of("small"), 5 * SECOND))));
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  @Test
  void waitedLongEnough_anotherModelServes() {
    Endpoint endpoint = withFallback(upstream("u", 0, 100));
    assertThat(settlement(ask(endpoint, "large", 100)).model()).isEqualTo("large");
    ParkedTicket waiting = ask(endpoint, "large", 50);
    endpointFixture.at(5 * SECOND - 1);
    assertThat(waits(waiting)).isTrue();
    endpointFixture.at(5 * SECOND);
    assertThat(settlement(waiting).model()).isEqualTo("small");
    assertThat(settlement(waiting).waitedNanos()).isEqualTo(5 * SECOND);
  }

  @Test
  void callerThatMayNotAskForAllThatServeInItsPlace_waitsForItsOwn() {
    Endpoint endpoint = withFallback(upstream("u", 0, 100));
    ask(endpoint, "large", 100);
    ParkedTicket forbidden = ask(endpoint, Set.of("large"));
    ParkedTicket allowed = ask(endpoint, Set.of("large", "small"));
    endpointFixture.at(5 * SECOND);
    assertThat(settlement(allowed).model()).isEqualTo("small");
    assertThat(waits(forbidden)).isTrue();
  }

  private static ParkedTicket ask(Endpoint endpoint, Set<String> models) {
    return endpoint.submit(RequestFixture.of("large", Cost.ofInput(50)).models(models).made());
  }

  @Test
  void ownModelHasRoomFirst_serves_whateverTheFallback() {
    Endpoint endpoint = withFallback(upstream("u", 0, 100));
    ParkedTicket first = ask(endpoint, "large", 100);
    ask(endpoint, "small", 100);
    ParkedTicket waiting = ask(endpoint, "large", 50);
    endpointFixture.at(6 * SECOND);
    assertThat(waits(waiting)).isTrue();
    settlement(first).served(new TokenUsage(10, 0, 0), 0, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(settlement(waiting).model()).isEqualTo("large");
  }

  @Test
  void modelWithoutFallback_waitsForItsOwn() {
    Endpoint endpoint = withFallback(upstream("u", 0, 100));
    ask(endpoint, "small", 100);
    ParkedTicket waiting = ask(endpoint, "small", 50);
    endpointFixture.at(50 * SECOND);
    assertThat(waits(waiting)).isTrue();
  }

  private static UpstreamSpec serving(String id, String model, long tpm) {
    return upstream(id, 0, tpm, ChargeRule.TOTAL, Map.of(model, model), null);
  }

  @Test
  void attemptOfAnotherModelFailed_whileNoUpstreamOfItsOwnIsWell_goesToYetAnotherUpstream() {
    Endpoint endpoint =
        withFallback(
            serving("u", "large", 100), serving("v", "small", 100), serving("w", "small", 100));
    ask(endpoint, "large", 100);
    ParkedTicket waiting = ask(endpoint, "large", 50);
    endpointFixture.at(5 * SECOND);
    assertThat(settlement(waiting).model()).isEqualTo("small");
    String failed = goesTo(waiting);
    upstreamOf("u").health().tryFrom(START + 60 * SECOND, SECOND);

    ParkedTicket next = again(waiting, AttemptFailure.UNSENT, true);

    assertThat(goesTo(next)).isEqualTo(failed.equals("v") ? "w" : "v");
  }

  @Test
  void attemptOfAnotherModelFailed_itsOwnIsServedNoMore_theOtherServesAgain() {
    UpstreamSpec other = serving("v", "small", 100);
    Endpoint endpoint = withFallback(serving("u", "large", 100), other);
    ask(endpoint, "large", 100);
    ParkedTicket waiting = ask(endpoint, "large", 50);
    endpointFixture.at(5 * SECOND);
    assertThat(goesTo(waiting)).isEqualTo("v");
    withFallback(other);

    ParkedTicket next = again(waiting, AttemptFailure.UNSENT, false);

    assertThat(goesTo(next)).isEqualTo("v");
  }

  @Test
  void attemptOfItsOwnModelFailed_theOtherServesOnceItHasWaitedLongEnough() {
    Endpoint endpoint = withFallback(serving("u", "large", 100), serving("v", "small", 100));
    ParkedTicket first = ask(endpoint, "large", 50);
    endpointFixture.at(2 * SECOND);
    upstreamOf("u").health().shut(START + 60 * SECOND);

    ParkedTicket back = again(first, AttemptFailure.BROKEN, false);

    endpointFixture.at(5 * SECOND - 1);
    assertThat(waits(back)).isTrue();
    endpointFixture.at(5 * SECOND);
    assertThat(goesTo(back)).isEqualTo("v");
  }

  private static UpstreamSpec daily(String id, long rpd) {
    return UpstreamSetup.of(id).limits(new UpstreamSpec.Limits(0, 0, 0, 0, rpd, 0)).spec();
  }

  @Test
  void everyUpstreamOutForItsDay_refusesUntilTheFirstComesBack() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.none("/a").to(daily("u", 1), daily("v", 2)));
    for (int each = 0; each < 3; each++) {
      assertThat(went(submit(endpoint, 1))).isTrue();
    }
    endpointFixture.at(3_600 * SECOND);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.UPSTREAM_RPD);
    assertThat(refusal(submit(endpoint, 1)).retryAfterNanos()).isEqualTo(23 * 3_600 * SECOND);
    endpointFixture.at(24 * 3_600 * SECOND);
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void oneUpstreamUnwellAndTheOtherOutForItsDay_whoComesIsToldWhenTheFirstIsTried() {
    Endpoint endpoint =
        endpointFixture.open(EndpointFixture.none("/a").to(daily("u", 1), upstream("v", 0, 0)));
    assertThat(goesTo(kept(endpoint, null, "u"))).isEqualTo("u");
    upstreamOf("v").health().tryFrom(START + 3 * SECOND, SECOND);
    Refusal refusal = refusal(submit(endpoint, 1));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    assertThat(refusal.retryAfterNanos()).isEqualTo(3 * SECOND);
  }

  @Test
  void unwellUpstreamIsOutForItsDayToo_whoComesIsToldOfTheDay() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(daily("u", 1)));
    assertThat(went(submit(endpoint, 1))).isTrue();
    upstreamOf("u").health().tryFrom(START + 3 * SECOND, SECOND);
    Refusal refusal = refusal(submit(endpoint, 1));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.UPSTREAM_RPD);
    assertThat(refusal.retryAfterNanos()).isEqualTo(24 * 3_600 * SECOND);
  }

  @Test
  void whoWaits_isRefusedWhenTheDayIsUsedUpMeanwhile() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(daily("u", 2)));
    assertThat(went(submit(endpoint, 1))).isTrue();
    upstreamOf("u").health().shut(START + SECOND);
    ParkedTicket first = submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    assertThat(waits(second)).isTrue();
    endpointFixture.at(SECOND);
    assertThat(went(first)).isTrue();
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.UPSTREAM_RPD);
  }
}
