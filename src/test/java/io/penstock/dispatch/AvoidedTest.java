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

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of a request that failed at upstream u and then avoids it in favour of upstream v, as long
 * as v can be relied on.
 */
class AvoidedTest {
  private static final UpstreamSpec U = upstream("u", 0, 1_000);
  private static final AttemptHistory FIRST = UpstreamFixture.attempt(null, 0, 1);

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  /** Opens an endpoint with both upstreams, and another that has only v. */
  private Endpoint open(UpstreamSpec v) {
    endpointFixture.apply(EndpointFixture.none("/a").to(U, v), EndpointFixture.none("/v").to(v));
    return endpointFixture.endpoint("/a");
  }

  /** Takes that many tokens of v, by a request of the endpoint that has only v. */
  private ParkedTicket useV(long tokens) {
    ParkedTicket used = submit(endpointFixture.endpoint("/v"), tokens);
    assertThat(went(used)).isTrue();
    return used;
  }

  private static String goesTo(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(settlement(parkedTicket).upstream()).spec().id();
  }

  private Upstream v() {
    return Objects.requireNonNull(endpointFixture.upstreams.find("v"));
  }

  private long now() {
    return endpointFixture.ticker.nanos();
  }

  /** Fails a request at u, so that it is tried again, elsewhere if possible. */
  private ParkedTicket failsAtU(ParkedTicket parkedTicket) {
    assertThat(goesTo(parkedTicket)).isEqualTo("u");
    ParkedTicket next = settlement(parkedTicket).retry(AttemptFailure.BROKEN, true, now());
    endpointFixture.drivers.run();
    return Objects.requireNonNull(next);
  }

  private void vFails(int times) {
    for (int each = 0; each < times; each++) {
      v().judge(FIRST, AttemptFailure.UNSENT, "unsent", now());
    }
    endpointFixture.drivers.run();
  }

  private void vRefuses(long retryAfterNanos) {
    v().judge(
            UpstreamFixture.attempt(null, 1, 0),
            new ProviderLesson(429, List.of(), retryAfterNanos, ProviderLesson.ErrorCause.RATE),
            now());
    endpointFixture.drivers.run();
  }

  /** Returns an upstream with a limit of tokens a minute and one of requests a day. */
  private static UpstreamSpec daily(long tpm, long rpd) {
    return UpstreamSetup.of("v").limits(new UpstreamSpec.Limits(0, tpm, 0, 0, rpd, 0)).spec();
  }

  @Test
  void otherIsUnhealthy_goesToTheSameAtOnce() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    ParkedTicket first = submit(endpoint, 1);
    vFails(3);

    assertThat(goesTo(failsAtU(first))).isEqualTo("u");
  }

  @Test
  void otherIsPausedForLong_goesToTheSameAtOnce() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    ParkedTicket first = submit(endpoint, 1);
    vRefuses(SECOND + 1);

    assertThat(goesTo(failsAtU(first))).isEqualTo("u");
  }

  @Test
  void otherIsPausedForASecond_waitsForIt() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    ParkedTicket first = submit(endpoint, 1);
    vRefuses(SECOND);

    ParkedTicket back = failsAtU(first);
    assertThat(waits(back)).isTrue();
    endpointFixture.at(SECOND);
    assertThat(goesTo(back)).isEqualTo("v");
  }

  @Test
  void otherIsOutForItsDay_goesToTheSameAtOnce() {
    Endpoint endpoint = open(daily(0, 1));
    useV(10);

    assertThat(goesTo(failsAtU(submit(endpoint, 1)))).isEqualTo("u");
  }

  @Test
  void otherIsFullForAMinute_waitsForIt() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);

    ParkedTicket back = failsAtU(submit(endpoint, 50));
    endpointFixture.at(30 * SECOND);
    assertThat(waits(back)).isTrue();
    endpointFixture.at(62 * SECOND);
    assertThat(goesTo(back)).isEqualTo("v");
  }

  @Test
  void otherBecomesUnhealthyMeanwhile_goesToTheSameThen() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    ParkedTicket back = failsAtU(submit(endpoint, 50));

    vFails(2);
    assertThat(waits(back)).isTrue();
    vFails(1);
    assertThat(goesTo(back)).isEqualTo("u");
    assertThat(settlement(back).waitedNanos()).isZero();
  }

  @Test
  void otherIsPausedForLongMeanwhile_goesToTheSameThen() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    ParkedTicket back = failsAtU(submit(endpoint, 50));

    vRefuses(SECOND);
    assertThat(waits(back)).isTrue();
    vRefuses(30 * SECOND);
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void otherIsOutForItsDayMeanwhile_goesToTheSameThen() {
    Endpoint endpoint = open(daily(100, 2));
    useV(90);
    ParkedTicket back = failsAtU(submit(endpoint, 50));
    assertThat(waits(back)).isTrue();

    useV(5);
    endpointFixture.drivers.run();
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void otherBecomesUnhealthyForAnotherModel_goesToTheSameThen() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    ParkedTicket back = failsAtU(submit(endpoint, 50));

    for (ProviderLesson.ErrorCause wording :
        List.of(ProviderLesson.ErrorCause.RATE, ProviderLesson.ErrorCause.SPENT)) {
      assertThat(waits(back)).isTrue();
      ProviderLesson lesson = new ProviderLesson(429, List.of(), 30 * SECOND, wording);
      v().judge(UpstreamFixture.attempt("another", 1, 0), lesson, now());
      endpointFixture.drivers.run();
    }
    assertThat(goesTo(back)).isEqualTo("u");
  }

  @Test
  void bothAreUnwell_isRefusedAsIfItCameAnew() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(10);
    ParkedTicket first = submit(endpoint, 1);
    v().health().tryFrom(START + 60 * SECOND, 60 * SECOND);
    Objects.requireNonNull(endpointFixture.upstreams.find("u"))
        .health()
        .tryFrom(START + 2 * SECOND, 2 * SECOND);

    ParkedTicket back = failsAtU(first);
    assertThat(refusal(back).reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    assertThat(refusal(back).retryAfterNanos()).isEqualTo(2 * SECOND);
    endpointFixture.at(2 * SECOND);
    assertThat(goesTo(submit(endpoint, 1))).isEqualTo("u");
  }

  @Test
  void stopsAvoidingWhileItWaits_keepsItsPlaceAmongOthers() {
    UpstreamSpec u = upstream("u", 0, 100);
    UpstreamSpec v = upstream("v", 0, 100);
    endpointFixture.apply(
        EndpointFixture.none("/a").to(u, v),
        EndpointFixture.none("/v").to(v),
        EndpointFixture.none("/u").to(u));
    Endpoint endpoint = endpointFixture.endpoint("/a");
    useV(100);
    ParkedTicket back = failsAtU(submit(endpoint, 50));
    endpointFixture.at(10 * SECOND);
    submit(endpointFixture.endpoint("/u"), 50);
    ParkedTicket behind = submit(endpoint, 50);
    assertThat(List.of(back, behind)).allMatch(EndpointFixture::waits);

    vFails(3);
    v().health().tryFrom(START + 600 * SECOND, SECOND);
    assertThat(List.of(back, behind)).allMatch(EndpointFixture::waits);
    endpointFixture.at(61 * SECOND);
    assertThat(goesTo(back)).isEqualTo("u");
    assertThat(waits(behind)).isTrue();
  }

  @Test
  void pausedEndpoint_looksAgainWhenItGoesOn() {
    Endpoint endpoint = open(upstream("v", 0, 100));
    useV(100);
    ParkedTicket back = failsAtU(submit(endpoint, 50));
    endpoint.pause(true);
    endpointFixture.drivers.run();
    vFails(3);
    assertThat(waits(back)).isTrue();

    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(goesTo(back)).isEqualTo("u");
  }
}
