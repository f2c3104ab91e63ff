package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests calls that cost nothing: they take nothing from limits, and wait for none. */
class LightCallsTest {
  private static final PromiseHolder CLIENT = new PromiseHolder("a", "");

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();

  private static UpstreamSpec upstream(String id) {
    return UpstreamSetup.of(id).limits(new UpstreamSpec.Limits(1, 100, 0, 0, 1, 1)).spec();
  }

  private Endpoint open(String... upstreams) {
    return endpointFixture.open(
        EndpointFixture.none("/a").to(Stream.of(upstreams).map(LightCallsTest::upstream).toList()));
  }

  private static ParkedTicket light(Endpoint endpoint) {
    return endpoint.submitLight(RequestFixture.request(null, Cost.NO_TOKENS));
  }

  private Upstream known(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  private Quota pool(String id) {
    return known(id).pool(null, endpointFixture.ticker.nanos());
  }

  /** Lets an upstream refuse requests because of its limits. */
  private void pause(String id, long seconds) {
    long now = endpointFixture.ticker.nanos();
    ProviderLesson lesson =
        new ProviderLesson(429, List.of(), seconds * SECOND, ProviderLesson.ErrorCause.RATE);
    known(id).judge(UpstreamFixture.attempt(null, 1, 0), lesson, now);
    assertThat(pool(id).gatesOpenAt(now)).isGreaterThan(now);
  }

  @Test
  void everythingUsedUp_andOthersWait_itGoesAtOnce_andTakesNothing() {
    Endpoint endpoint = open("u");
    FakeCallers.Caller alice =
        callers.rejecting("alice").limit(LimitMeasure.REQUESTS, 1, RefusalReason.KEY_RPM);
    alice.limit(LimitMeasure.CONCURRENCY, 1, RefusalReason.KEY_CONCURRENCY);
    ParkedTicket running = alice.submit(endpoint, 1);
    assertThat(went(running)).isTrue();
    assertThat(refusal(alice.submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.KEY_RPM);
    ParkedTicket behind = EndpointFixture.submit(endpoint, 1);
    assertThat(refusal(behind).reason()).isEqualTo(RefusalReason.UPSTREAM_RPD);
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ParkedTicket call =
        endpoint.submitLight(RequestFixture.of(null, Cost.NO_TOKENS).account(alice.account).made());
    assertThat(went(call)).isTrue();
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(1);
    settlement(call).served(null, 0, endpointFixture.ticker.nanos());
    assertThat(alice.charged(LimitMeasure.REQUESTS, endpointFixture)).isEqualTo(1);
    settlement(running).abandoned(endpointFixture.ticker.nanos());
    assertBalanced(endpoint);
  }

  @Test
  void itGoes_theLimitsStayWhole() {
    Endpoint endpoint = open("u");
    for (int each = 0; each < 5; each++) {
      settlement(light(endpoint)).served(null, 0, endpointFixture.ticker.nanos());
    }
    assertThat(pool("u").limits())
        .allMatch(each -> each.limit().balance(endpointFixture.ticker.nanos()).charged() == 0);
    assertThat(went(EndpointFixture.submit(endpoint, 1))).isTrue();
  }

  @Test
  void clientGone_everythingIsAccountedFor() {
    Endpoint endpoint = open("u");
    settlement(light(endpoint)).abandoned(endpointFixture.ticker.nanos());
    light(endpoint).cancel();
    assertBalanced(endpoint);
  }

  @Test
  void oneUpstreamPaused_itGoesToTheOther() {
    Endpoint endpoint = open("u", "v");
    pause("u", 30);
    for (int each = 0; each < 3; each++) {
      Upstream to = settlement(light(endpoint)).upstream();
      assertThat(Objects.requireNonNull(to).spec().id()).isEqualTo("v");
    }
  }

  @Test
  void allPaused_itIsRefusedAtOnce_andToldTheFirstEnd() {
    Endpoint endpoint = open("u", "v");
    pause("u", 30);
    pause("v", 20);
    Refusal refusal = refusal(light(endpoint));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.UPSTREAM_PAUSED);
    assertThat(refusal.retryAfterNanos()).isEqualTo(20 * SECOND);
    endpointFixture.at(20 * SECOND);
    assertThat(went(light(endpoint))).isTrue();
  }

  @Test
  void noneEnabled_orClosed_itIsRefused() {
    UpstreamSpec off = UpstreamSetup.of("u").disabled("its key is not set").spec();
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(off));
    assertThat(refusal(light(endpoint)).reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    Endpoint closing = open("v");
    closing.refuseAll(Refusal.of(RefusalReason.SHUTTING_DOWN, "the gateway is stopping"));
    assertThat(refusal(light(closing)).reason()).isEqualTo(RefusalReason.SHUTTING_DOWN);
  }

  @Test
  void failed_itIsTriedElsewhereAtOnce_orNotAtAll() {
    Endpoint endpoint = open("u", "v");
    long now = endpointFixture.ticker.nanos();
    ParkedTicket first = light(endpoint);
    ParkedTicket next =
        Objects.requireNonNull(settlement(first).retry(AttemptFailure.BROKEN, true, now));
    assertThat(waits(next)).isFalse();
    assertThat(settlement(next).upstream()).isNotEqualTo(settlement(first).upstream());
    pause("u", 1);
    pause("v", 1);
    assertThat(settlement(next).retry(AttemptFailure.BROKEN, true, now)).isNull();
    settlement(next).served(null, 0, now);
    assertBalanced(endpoint);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 3, 600})
  void withoutKeys_asManyGoInAMinuteAsMay_andNotOneMore(long most) {
    EndpointSpec.Waiting open = EndpointFixture.OPEN;
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a")
                .to(upstream("u"))
                .waiting(
                    new EndpointSpec.Waiting(
                        open.bounds(), 0, 0, false, 0, 0, open.heartbeats(), 0, most)));
    for (int each = 0; each < most; each++) {
      assertThat(endpoint.takeLight(CLIENT)).isNull();
    }
    endpointFixture.at(10 * SECOND);
    Refusal refusal = Objects.requireNonNull(endpoint.takeLight(CLIENT));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.KEY_LIGHT_RPM);
    assertThat(refusal.detail())
        .isEqualTo(
            "endpoint /a for calls that cost nothing: "
                + most
                + (most == 1 ? " request a minute" : " requests a minute"));
    assertThat(refusal.retryAfterNanos()).isBetween(50 * SECOND, 51 * SECOND);
    endpointFixture.at(10 * SECOND + refusal.retryAfterNanos());
    assertThat(endpoint.takeLight(CLIENT)).isNull();
  }
}
