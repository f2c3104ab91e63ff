package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.QuotaGate;
import io.penstock.quota.WaitObserver;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of the route a ticket takes, and of what its grant, or the lack of one, does to others. */
class WayTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(endpointFixture.upstreams.find(id));
  }

  @Test
  void shadow_noUpstreamIsOpen_goesToTheHealthyOne_thoughTheOtherIsTriedSooner() {
    Endpoint endpoint =
        endpointFixture.openShadow(none("/a").to(upstream("u", 0, 100), upstream("v", 0, 0)));
    ProviderLesson lesson =
        new ProviderLesson(429, List.of(), 30 * SECOND, ProviderLesson.ErrorCause.RATE);
    upstreamOf("u").judge(UpstreamFixture.attempt(null, 1, 0), lesson, START);
    upstreamOf("v").health().tryFrom(START + 20 * SECOND, SECOND);
    assertThat(settlement(submit(endpoint, 1)).upstream()).isSameAs(upstreamOf("u"));
  }

  @Test
  void onesGoingLeavesRoomForTheDay_nobodyElseIsWoken() {
    UpstreamSpec u = upstream("u", 0, 100);
    endpointFixture.apply(none("/a").to(u), none("/b").to(u));
    submit(endpointFixture.endpoint("/a"), 60);
    ParkedTicket large = submit(endpointFixture.endpoint("/b"), 80);
    endpointFixture.drivers.run();
    assertThat(went(submit(endpointFixture.endpoint("/a"), 1))).isTrue();
    assertThat(waits(large)).isTrue();
    assertThat(endpointFixture.drivers.driver(0).isIdle()).isTrue();
    assertThat(endpointFixture.drivers.driver(1).isIdle()).isTrue();
  }

  /** Runs an action once, when something is taken from a key's quota. */
  private static void whenTakenFrom(FakeCallers.Caller caller, Runnable action) {
    caller
        .quota
        .waitList()
        .join(
            new WaitObserver() {
              private boolean acted;

              @Override
              public boolean mayHaveClaim() {
                if (!acted) {
                  acted = true;
                  action.run();
                }
                return false;
              }

              @Override
              public void wake() {}
            });
  }

  @Test
  void shadowFindsItsEndpointsLimitTakenMeanwhile_theTrialIsLeftToARequest() {
    FakeCallers.Caller alice =
        new FakeCallers().waiting("alice").limit(LimitMeasure.REQUESTS, 9, RefusalReason.KEY_RPM);
    Endpoint endpoint = endpointFixture.openShadow(tokens("/a", 100, 60).to(upstream("u", 0, 0)));
    submit(endpoint, 100);
    alice.submit(endpoint, Cost.ofInput(80)); // its shadow waits until the window ends
    QuotaGate gate = upstreamOf("u").health();
    gate.tryFrom(START + 60 * SECOND, 5 * SECOND);
    Limit limit = endpoint.limits().getFirst().limit();
    boolean[] taken = {false};
    whenTakenFrom(
        alice,
        () ->
            taken[0] =
                limit.take(Weight.exactly(50), START + 60 * SECOND) instanceof LimitAnswer.Receipt);
    endpointFixture.at(60 * SECOND);
    assertThat(taken[0]).isTrue();
    assertThat(gate.onTrial()).isTrue();
    assertThat(gate.pass(START + 60 * SECOND)).isTrue();
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  private static UpstreamSpec serving(String id, String model) {
    return upstream(id, 0, 100, ChargeRule.TOTAL, Map.of(model, model), null);
  }

  @Test
  void claimTakenOver_andOneOfAnotherModelClaimsAtOnce_nobodyPassesByTheOtherWay() {
    Endpoint endpoint =
        endpointFixture.open(
            none("/a").maxSkips(0).to(serving("u", "m"), serving("v", "m"), serving("w", "n")));
    ask(endpoint, "m", 100);
    ask(endpoint, "m", 30);
    ParkedTicket claimsU = ask(endpoint, "m", 80);
    ParkedTicket passes = ask(endpoint, "m", 60);
    assertThat(settlement(passes).upstream()).isSameAs(upstreamOf("v"));
    ParkedTicket takesOver = settlement(passes).retry(AttemptFailure.BROKEN, false, START);
    endpointFixture.drivers.run();
    ask(endpoint, "n", 100);
    ParkedTicket claimsW = ask(endpoint, "n", 50); // claims w once another ticket would pass it
    assertThat(List.of(claimsU, Objects.requireNonNull(takesOver), claimsW))
        .allMatch(EndpointFixture::waits);

    ParkedTicket last = ask(endpoint, "m", 5);
    endpointFixture.drivers.run();
    assertThat(waits(last)).isTrue();
  }
}
