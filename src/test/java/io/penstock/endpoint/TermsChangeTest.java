package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.assertBalanced;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.quota.ModelLimits;
import io.penstock.refusal.Reason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of changes to the limits of models, keys and groups while requests wait: a change applies
 * to waiting requests and to later ones.
 */
class TermsChangeTest {
  private final House house = new House();
  private final Callers callers = new Callers();
  private final Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 100)));

  @AfterEach
  void totalsBalance() {
    assertBalanced(endpoint);
  }

  private Pending ask(long tokens) {
    return endpoint.submit(Ask.of("m", Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  private void limitModel(long rpm, long tpm, long rpd) {
    house.models.override("m", new ModelLimits(rpm, tpm, rpd), house.ticker.nanos());
    house.drivers.run();
  }

  @Test
  void modelGetsADailyLimit_whileARequestWaits_bindsThoseThatComeAfter() {
    ask(60);
    Pending waiting = ask(50);
    assertThat(waits(waiting)).isTrue();

    limitModel(0, 0, 1);

    assertThat(went(ask(1))).isTrue();
    assertThat(refusal(ask(1)).reason()).isEqualTo(Reason.MODEL_RPD);
    assertThat(refusal(waiting).reason()).isEqualTo(Reason.MODEL_RPD);
  }

  @Test
  void reloadGivesAModelALimit_andLeavesTheEndpointAsItIs_bindsThoseThatComeAfter() {
    ask(60);
    assertThat(waits(ask(50))).isTrue();

    house.models.configure(List.of(), Map.of("m", new ModelLimits(0, 0, 1)), house.ticker.nanos());
    house.apply(none("/").to(upstream("up", 0, 100)));

    assertThat(went(ask(1))).isTrue();
    assertThat(refusal(ask(1)).reason()).isEqualTo(Reason.MODEL_RPD);
  }

  @Test
  void modelGetsALimitBelowTheCostOfARequestThatWaits_theRequestIsRefusedAtOnce() {
    ask(60);
    Pending waiting = ask(50);

    limitModel(0, 49, 0);

    assertThat(refusal(waiting).reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void limitOfAModelIsLoweredBelowTheCostOfARequestThatWaits_theRequestIsRefusedAtOnce() {
    limitModel(0, 90, 0);
    ask(60);
    Pending waiting = ask(50);
    assertThat(waits(waiting)).isTrue();

    limitModel(0, 49, 0);

    assertThat(refusal(waiting).reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void limitOfAModelIsTakenAway_whatWaitedForItGoes() {
    limitModel(1, 0, 0);
    ask(1);
    Pending waiting = ask(1);
    assertThat(waits(waiting)).isTrue();

    house.models.endOverride("m", house.ticker.nanos());
    house.drivers.run();

    assertThat(went(waiting)).isTrue();
  }

  @Test
  void keyGetsAGroup_whileARequestOfItsWaits_bindsThoseThatComeAfter() {
    Callers.Caller alice = callers.waiting("alice");
    alice.submit(endpoint, 60);
    assertThat(waits(alice.submit(endpoint, 50))).isTrue();

    alice.in(callers.group("team").limit(Measure.REQUESTS, 1, Reason.GROUP_RPM));
    house.registry.termsChanged();
    house.drivers.run();

    assertThat(went(alice.submit(endpoint, 1))).isTrue();
    Pending second = alice.submit(endpoint, 1);
    assertThat(waits(second)).isTrue();
    house.at(61 * SECOND);
    assertThat(went(second)).isFalse(); // the ticket that has waited longer takes the group's room
    house.at(122 * SECOND);
    assertThat(went(second)).isTrue();
  }
}
