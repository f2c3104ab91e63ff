package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
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
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of tickets whose own upstreams take no requests: those that affinity keeps to one upstream,
 * and those that fallback models may serve.
 */
class DetourTest {
  private static final long HOUR = 3_600 * SECOND;

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

  /** Lets an unhealthy upstream answer the probe that is due. */
  private void answersProbe(String id) {
    Objects.requireNonNull(endpointFixture.upstreams.find(id))
        .probed(ProbeResult.WORKS, null, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
  }

  /** Makes an upstream unhealthy, as three failures in a row do. */
  private void fails(String id) {
    for (int each = 0; each < 3; each++) {
      upstreamOf(id)
          .judge(
              UpstreamFixture.attempt(null, 0, 1),
              AttemptFailure.UNSENT,
              "unsent",
              endpointFixture.ticker.nanos());
    }
    endpointFixture.drivers.run();
  }

  private static UpstreamSpec upstreamOf(
      String id, long tpm, long rpd, Map<String, String> models, @Nullable String disabled) {
    return UpstreamSetup.of(id)
        .disabled(disabled)
        .models(models)
        .limits(new UpstreamSpec.Limits(0, tpm, 0, 0, rpd, 0))
        .spec();
  }

  private static UpstreamSpec limited(String id, long tpm, long rpd) {
    return upstreamOf(id, tpm, rpd, Map.of(), null);
  }

  private static UpstreamSpec serving(String id, String model) {
    return upstreamOf(id, 100, 0, Map.of(model, model), null);
  }

  private static ParkedTicket kept(
      Endpoint endpoint, @Nullable String with, @Nullable String at, long tokens) {
    return endpoint.submit(
        RequestFixture.of(null, Cost.ofInput(tokens))
            .affinity(new TicketRequest.RequestAffinity(with, at))
            .made());
  }

  /** Fills the upstream to which affinity keeps a session, and returns its id. */
  private String fillHome(Endpoint endpoint) {
    return goesTo(kept(endpoint, "session", null, 100));
  }

  @Test
  void keptByAffinity_upstreamBecomesUnhealthyMeanwhile_goesToTheOther() {
    Endpoint endpoint =
        endpointFixture.open(none("/a").to(limited("u", 100, 0), limited("v", 100, 0)));
    String home = fillHome(endpoint);
    ParkedTicket waiting = kept(endpoint, "session", null, 50);
    assertThat(waits(waiting)).isTrue();

    fails(home);
    assertThat(goesTo(waiting)).isEqualTo(home.equals("u") ? "v" : "u");
    assertThat(settlement(waiting).waitedNanos()).isZero();
  }

  @Test
  void keptByAffinity_upstreamIsOutForItsDayMeanwhile_goesToTheOther() {
    endpointFixture.apply(
        none("/a").to(limited("u", 100, 2), limited("v", 100, 2)),
        none("/u").to(limited("u", 100, 2)),
        none("/v").to(limited("v", 100, 2)));
    Endpoint endpoint = endpointFixture.endpoint("/a");
    String home = goesTo(kept(endpoint, "session", null, 90));
    ParkedTicket waiting = kept(endpoint, "session", null, 50);
    assertThat(waits(waiting)).isTrue();

    assertThat(went(submit(endpointFixture.endpoint("/" + home), 5))).isTrue();
    endpointFixture.drivers.run();
    assertThat(goesTo(waiting)).isEqualTo(home.equals("u") ? "v" : "u");
  }

  @Test
  void keptByAffinity_upstreamIsDisabledOrRemovedMeanwhile_goesToTheOther() {
    for (boolean removed : new boolean[] {false, true}) {
      EndpointFixture fixture = new EndpointFixture();
      UpstreamSpec u = limited("u", 100, 0);
      UpstreamSpec v = limited("v", 100, 0);
      Endpoint endpoint = fixture.open(none("/a").to(u, v));
      boolean uIsHome = goesTo(kept(endpoint, "session", null, 100)).equals("u");
      ParkedTicket waiting = kept(endpoint, "session", null, 50);
      UpstreamSpec other = uIsHome ? v : u;
      UpstreamSpec disabled = upstreamOf(uIsHome ? "u" : "v", 100, 0, Map.of(), "no key");

      fixture.apply(removed ? none("/a").to(other) : none("/a").to(other, disabled));
      assertThat(goesTo(waiting)).isEqualTo(other.id());
    }
  }

  @Test
  void keptByAffinity_allAreUnhealthy_goesToTheOneThatRecoversFirst() {
    Endpoint endpoint =
        endpointFixture.open(none("/a").to(limited("u", 100, 0), limited("v", 100, 0)));
    String home = fillHome(endpoint);
    String other = home.equals("u") ? "v" : "u";
    ParkedTicket waiting = kept(endpoint, "session", null, 50);

    upstreamOf(other).health().tryFrom(START + 20 * SECOND, SECOND);
    fails(home);
    assertThat(waits(waiting)).isTrue();
    endpointFixture.at(20 * SECOND);
    assertThat(goesTo(waiting)).isEqualTo(other);
  }

  @Test
  void onlyOneUpstreamKnowsWhatItRefersTo_staysThere_andWhoComesIsRefused() {
    Endpoint endpoint =
        endpointFixture.open(none("/a").to(limited("u", 100, 0), limited("v", 100, 0)));
    kept(endpoint, null, "u", 100);
    ParkedTicket waiting = kept(endpoint, null, "u", 50);

    fails("u");
    assertThat(waits(waiting)).isTrue();
    assertThat(refusal(kept(endpoint, null, "u", 1)).reason())
        .isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    endpointFixture.at(61 * SECOND);
    assertThat(goesTo(waiting)).isEqualTo("u");
  }

  @Test
  void unhealthyUpstreamIsDueForATrial_oneRequestOfItsOwnTriesIt() {
    Endpoint endpoint =
        endpointFixture.open(none("/a").to(limited("u", 1_000, 0), limited("v", 1_000, 0)));
    String home = goesTo(kept(endpoint, "session", null, 1));
    fails(home);
    assertThat(goesTo(kept(endpoint, "session", null, 1))).isNotEqualTo(home);
    endpointFixture.at(SECOND);
    answersProbe(home);
    assertThat(goesTo(kept(endpoint, "session", null, 1))).isEqualTo(home);
    assertThat(goesTo(kept(endpoint, "session", null, 1))).isNotEqualTo(home);
  }

  private static final Map<String, EndpointSpec.Fallback> FALLBACKS =
      Map.of("large", new EndpointSpec.Fallback(List.of("small", "tiny"), 5 * SECOND));

  private Endpoint withFallbacks(UpstreamSpec... upstreams) {
    return endpointFixture.open(none("/a").to(upstreams).fallbacks(FALLBACKS));
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  private static ParkedTicket ask(Endpoint endpoint, Set<String> models) {
    return endpoint.submit(RequestFixture.of("large", Cost.ofInput(1)).models(models).made());
  }

  @Test
  void ownUpstreamIsUnhealthy_fallbackServesAtOnce() {
    Endpoint endpoint = withFallbacks(serving("u", "large"), serving("v", "small"));
    fails("u");
    ParkedTicket served = ask(endpoint, "large", 1);
    assertThat(settlement(served).model()).isEqualTo("small");
    assertThat(settlement(served).waitedNanos()).isZero();
    endpointFixture.at(SECOND);
    answersProbe("u");
    assertThat(settlement(ask(endpoint, "large", 1)).model()).as("the trial").isEqualTo("large");
    assertThat(settlement(ask(endpoint, "large", 1)).model()).isEqualTo("small");
  }

  @Test
  void ownUpstreamIsDisabled_fallbackServesAtOnce() {
    Endpoint endpoint =
        withFallbacks(
            upstreamOf("u", 100, 0, Map.of("large", "large"), "no key"), serving("v", "small"));
    assertThat(settlement(ask(endpoint, "large", 1)).model()).isEqualTo("small");
  }

  @Test
  void ownUpstreamOrModelIsOutForItsDay_fallbackServesAtOnce() {
    Endpoint endpoint =
        withFallbacks(
            upstreamOf("u", 100, 1, Map.of("large", "large"), null), serving("v", "small"));
    assertThat(settlement(ask(endpoint, "large", 1)).model()).isEqualTo("large");
    assertThat(settlement(ask(endpoint, "large", 1)).model()).isEqualTo("small");

    endpointFixture.models.configure(
        List.of(), Map.of("large", new ModelLimits(0, 0, 1)), endpointFixture.ticker.nanos());
    Endpoint limitedModel = withFallbacks(serving("x", "large"), serving("v", "small"));
    assertThat(settlement(ask(limitedModel, "large", 1)).model()).isEqualTo("large");
    assertThat(settlement(ask(limitedModel, "large", 1)).model()).isEqualTo("small");
  }

  @Test
  void severalFallbacks_theFirstThatTakesRequestsServes() {
    Endpoint endpoint =
        withFallbacks(serving("u", "large"), serving("v", "small"), serving("w", "tiny"));
    fails("u");
    fails("v");
    assertThat(settlement(ask(endpoint, "large", 1)).model()).isEqualTo("tiny");
  }

  @Test
  void fallbacksAreUnhealthyToo_whoComesIsToldWhenTheFirstIsTried() {
    Endpoint endpoint = withFallbacks(serving("u", "large"), serving("v", "small"));
    upstreamOf("u").health().tryFrom(START + 9 * SECOND, SECOND);
    upstreamOf("v").health().tryFrom(START + 4 * SECOND, SECOND);
    assertThat(refusal(ask(endpoint, "large", 1)).reason())
        .isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    assertThat(refusal(ask(endpoint, "large", 1)).retryAfterNanos()).isEqualTo(4 * SECOND);
  }

  @Test
  void callerMayNotUseTheFallbacks_isRefused() {
    Endpoint endpoint = withFallbacks(serving("u", "large"), serving("v", "small"));
    fails("u");
    assertThat(refusal(ask(endpoint, Set.of("large", "small"))).reason())
        .isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    assertThat(settlement(ask(endpoint, Set.of("large", "small", "tiny"))).model())
        .isEqualTo("small");
  }

  @Test
  void ownUpstreamBecomesUnhealthyMeanwhile_fallbackServesThen() {
    Endpoint endpoint = withFallbacks(serving("u", "large"), serving("v", "small"));
    ask(endpoint, "large", 100);
    ParkedTicket waiting = ask(endpoint, "large", 50);
    endpointFixture.at(2 * SECOND);
    assertThat(waits(waiting)).isTrue();
    fails("u");
    assertThat(settlement(waiting).model()).isEqualTo("small");
    assertThat(settlement(waiting).waitedNanos()).isEqualTo(2 * SECOND);
  }

  @Test
  void ownUpstreamIsDisabledMeanwhile_fallbackServesThen() {
    Endpoint endpoint = withFallbacks(serving("u", "large"), serving("v", "small"));
    ask(endpoint, "large", 100);
    ParkedTicket waiting = ask(endpoint, "large", 50);
    withFallbacks(
        upstreamOf("u", 100, 0, Map.of("large", "large"), "no key"), serving("v", "small"));
    assertThat(settlement(waiting).model()).isEqualTo("small");
  }

  @Test
  void ownUpstreamFailsAtTheAttempt_fallbackServesThen() {
    Endpoint endpoint = withFallbacks(serving("u", "large"), serving("v", "small"));
    ParkedTicket first = ask(endpoint, "large", 50);
    fails("u");
    ParkedTicket next =
        settlement(first).retry(AttemptFailure.UNSENT, true, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(settlement(Objects.requireNonNull(next)).model()).isEqualTo("small");
  }

  @Test
  void ownUpstreamIsMerelyFull_fallbackServesAfterItsTime() {
    Endpoint endpoint = withFallbacks(serving("u", "large"), serving("v", "small"));
    ask(endpoint, "large", 100);
    ParkedTicket waiting = ask(endpoint, "large", 50);
    endpointFixture.at(5 * SECOND - 1);
    assertThat(waits(waiting)).isTrue();
    endpointFixture.at(5 * SECOND);
    assertThat(settlement(waiting).model()).isEqualTo("small");
    endpointFixture.at(HOUR);
  }
}
