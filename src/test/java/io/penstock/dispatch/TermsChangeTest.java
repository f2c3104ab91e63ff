package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.model.ModelLimits;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of changes to the limits of models, keys and groups while requests wait: a change applies
 * to waiting requests and to later ones.
 */
class TermsChangeTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();
  private final Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 100)));

  @AfterEach
  void totalsBalance() {
    assertBalanced(endpoint);
  }

  private ParkedTicket ask(long tokens) {
    return endpoint.submit(RequestFixture.request("m", Cost.ofInput(tokens)));
  }

  private void limitModel(long rpm, long tpm, long rpd) {
    endpointFixture.models.override(
        "m", new ModelLimits(rpm, tpm, rpd), endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
  }

  @Test
  void modelGetsADailyLimit_whileARequestWaits_bindsThoseThatComeAfter() {
    ask(60);
    ParkedTicket waiting = ask(50);
    assertThat(waits(waiting)).isTrue();

    limitModel(0, 0, 1);

    assertThat(went(ask(1))).isTrue();
    assertThat(refusal(ask(1)).reason()).isEqualTo(RefusalReason.MODEL_RPD);
    assertThat(refusal(waiting).reason()).isEqualTo(RefusalReason.MODEL_RPD);
  }

  @Test
  void reloadGivesAModelALimit_andLeavesTheEndpointAsItIs_bindsThoseThatComeAfter() {
    ask(60);
    assertThat(waits(ask(50))).isTrue();

    endpointFixture.models.configure(
        List.of(), Map.of("m", new ModelLimits(0, 0, 1)), endpointFixture.ticker.nanos());
    endpointFixture.apply(none("/").to(upstream("up", 0, 100)));

    assertThat(went(ask(1))).isTrue();
    assertThat(refusal(ask(1)).reason()).isEqualTo(RefusalReason.MODEL_RPD);
  }

  @Test
  void modelGetsALimitBelowTheCostOfARequestThatWaits_theRequestIsRefusedAtOnce() {
    ask(60);
    ParkedTicket waiting = ask(50);

    limitModel(0, 49, 0);

    assertThat(refusal(waiting).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void limitOfAModelIsLoweredBelowTheCostOfARequestThatWaits_theRequestIsRefusedAtOnce() {
    limitModel(0, 90, 0);
    ask(60);
    ParkedTicket waiting = ask(50);
    assertThat(waits(waiting)).isTrue();

    limitModel(0, 49, 0);

    assertThat(refusal(waiting).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void limitOfAModelIsTakenAway_whatWaitedForItGoes() {
    limitModel(1, 0, 0);
    ask(1);
    ParkedTicket waiting = ask(1);
    assertThat(waits(waiting)).isTrue();

    endpointFixture.models.endOverride("m", endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();

    assertThat(went(waiting)).isTrue();
  }

  @Test
  void keyGetsAGroup_whileARequestOfItsWaits_bindsThoseThatComeAfter() {
    FakeCallers.Caller alice = callers.waiting("alice");
    alice.submit(endpoint, 60);
    assertThat(waits(alice.submit(endpoint, 50))).isTrue();

    alice.in(callers.group("team").limit(LimitMeasure.REQUESTS, 1, RefusalReason.GROUP_RPM));
    endpointFixture.registry.termsChanged();
    endpointFixture.drivers.run();

    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    ParkedTicket second = alice.submit(endpoint, 1);
    assertThat(waits(second)).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(second)).isFalse(); // the ticket that has waited longer takes the group's room
    endpointFixture.at(122 * SECOND);
    assertThat(went(second)).isTrue();
  }
}
