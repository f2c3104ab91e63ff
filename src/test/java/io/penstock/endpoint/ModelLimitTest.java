package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.quota.ModelLimits;
import io.penstock.refusal.Reason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the limits of a model, which hold at all endpoints together. */
class ModelLimitTest {
  private static final long DAY = 86_400 * SECOND;

  private final House house = new House();

  private void limit(String model, long rpm, long tpm, long rpd) {
    house.models.configure(
        List.of(), Map.of(model, new ModelLimits(rpm, tpm, rpd)), house.ticker.nanos());
  }

  private static Pending submit(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  @Test
  void rpm_oneMoreThanMay_waits_andOtherModelsGo() {
    limit("m", 1, 0, 0);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    assertThat(went(submit(endpoint, "m", 1))).isTrue();
    Pending second = submit(endpoint, "m", 1);

    assertThat(waits(second)).isTrue();
    assertThat(went(submit(endpoint, "other", 1))).isTrue();
    house.at(61 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void tpm_isSharedBetweenEndpoints_whoWaitsIsWokenAndMayClaim() {
    limit("m", 0, 100, 0);
    house.apply(
        none("/a").maxSkips(1).to(upstream("up", 0, 0)), none("/b").to(upstream("up", 0, 0)));
    Pending runs =
        house.endpoint("/a").submit(Ask.of("m", new Cost(10, 60, 0), 0, Patience.DEFAULT));
    Pending large = submit(house.endpoint("/a"), "m", 50);

    assertThat(went(submit(house.endpoint("/b"), "m", 1))).as("the first skip").isTrue();
    Pending kept = submit(house.endpoint("/b"), "m", 1);
    assertThat(waits(kept)).as("a second one").isTrue();
    settlement(runs).served(null, 0, house.ticker.nanos());
    house.drivers.run();
    assertThat(went(large) && went(kept)).isTrue();
  }

  @Test
  void rpd_usedUp_refusesUntilTheDayEnds() {
    limit("m", 0, 0, 1);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    assertThat(went(submit(endpoint, "m", 1))).isTrue();
    house.at(SECOND);
    Pending second = submit(endpoint, "m", 1);

    assertThat(refusal(second).reason()).isEqualTo(Reason.MODEL_RPD);
    assertThat(refusal(second).retryAfterNanos()).isEqualTo(DAY - SECOND);
    house.at(DAY);
    assertThat(went(submit(endpoint, "m", 1))).isTrue();
  }

  @Test
  void rpd_usedUpByAnotherWhileItWaits_isRefused() {
    limit("m", 0, 0, 2);
    house.apply(none("/a").to(upstream("up", 1, 0)), none("/b").to(upstream("other", 0, 0)));
    submit(house.endpoint("/a"), "m", 1);
    Pending waits = submit(house.endpoint("/a"), "m", 1);
    assertThat(waits(waits)).isTrue();

    submit(house.endpoint("/b"), "m", 1);
    house.at(61 * SECOND);

    assertThat(refusal(waits).reason()).isEqualTo(Reason.MODEL_RPD);
  }

  @Test
  void inputAboveTpm_isImpossible() {
    limit("m", 0, 100, 0);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));

    assertThat(refusal(submit(endpoint, "m", 101)).reason())
        .isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void fallback_countsUnderItsOwnName() {
    house.models.configure(
        List.of(),
        Map.of("m", new ModelLimits(1, 0, 0), "n", new ModelLimits(1, 0, 0)),
        house.ticker.nanos());
    Endpoint endpoint =
        house.open(
            none("/").to(upstream("up", 0, 0)),
            new EndpointSpec.Forwarding(
                true,
                new EndpointSpec.Affinity.None(),
                false,
                Map.of("m", new EndpointSpec.Fallback(List.of("n"), 5 * SECOND))));
    submit(endpoint, "m", 1);
    Pending second = submit(endpoint, "m", 1);
    Pending third = submit(endpoint, "m", 1);

    house.at(5 * SECOND);
    assertThat(went(second) && waits(third)).isTrue();
    assertThat(settlement(second).model()).isEqualTo("n");
    house.at(61 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(settlement(third).model()).isEqualTo("m");
  }
}
