package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.model.ModelLimits;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the limits of a model, which hold at all endpoints together. */
class ModelLimitTest {
  private static final long DAY = 86_400 * SECOND;

  private final EndpointFixture endpointFixture = new EndpointFixture();

  private void limit(String model, long rpm, long tpm, long rpd) {
    endpointFixture.models.configure(
        List.of(), Map.of(model, new ModelLimits(rpm, tpm, rpd)), endpointFixture.ticker.nanos());
  }

  private static ParkedTicket submit(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  @Test
  void rpm_oneMoreThanMay_waits_andOtherModelsGo() {
    limit("m", 1, 0, 0);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    assertThat(went(submit(endpoint, "m", 1))).isTrue();
    ParkedTicket second = submit(endpoint, "m", 1);

    assertThat(waits(second)).isTrue();
    assertThat(went(submit(endpoint, "other", 1))).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void tpm_isSharedBetweenEndpoints_whoWaitsIsWokenAndMayClaim() {
    limit("m", 0, 100, 0);
    endpointFixture.apply(
        none("/a").maxSkips(1).to(upstream("up", 0, 0)), none("/b").to(upstream("up", 0, 0)));
    ParkedTicket runs =
        endpointFixture.endpoint("/a").submit(RequestFixture.request("m", new Cost(10, 60, 0)));
    ParkedTicket large = submit(endpointFixture.endpoint("/a"), "m", 50);

    assertThat(went(submit(endpointFixture.endpoint("/b"), "m", 1))).as("the first skip").isTrue();
    ParkedTicket kept = submit(endpointFixture.endpoint("/b"), "m", 1);
    assertThat(waits(kept)).as("a second one").isTrue();
    settlement(runs).served(null, 0, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(went(large) && went(kept)).isTrue();
  }

  @Test
  void rpd_usedUp_refusesUntilTheDayEnds() {
    limit("m", 0, 0, 1);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    assertThat(went(submit(endpoint, "m", 1))).isTrue();
    endpointFixture.at(SECOND);
    ParkedTicket second = submit(endpoint, "m", 1);

    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.MODEL_RPD);
    assertThat(refusal(second).retryAfterNanos()).isEqualTo(DAY - SECOND);
    endpointFixture.at(DAY);
    assertThat(went(submit(endpoint, "m", 1))).isTrue();
  }

  @Test
  void rpd_usedUpByAnotherWhileItWaits_isRefused() {
    limit("m", 0, 0, 2);
    endpointFixture.apply(
        none("/a").to(upstream("up", 1, 0)), none("/b").to(upstream("other", 0, 0)));
    submit(endpointFixture.endpoint("/a"), "m", 1);
    ParkedTicket waits = submit(endpointFixture.endpoint("/a"), "m", 1);
    assertThat(waits(waits)).isTrue();

    submit(endpointFixture.endpoint("/b"), "m", 1);
    endpointFixture.at(61 * SECOND);

    assertThat(refusal(waits).reason()).isEqualTo(RefusalReason.MODEL_RPD);
  }

  @Test
  void inputAboveTpm_isImpossible() {
    limit("m", 0, 100, 0);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));

    assertThat(refusal(submit(endpoint, "m", 101)).reason())
        .isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void fallback_countsUnderItsOwnName() {
    endpointFixture.models.configure(
        List.of(),
        Map.of("m", new ModelLimits(1, 0, 0), "n", new ModelLimits(1, 0, 0)),
        endpointFixture.ticker.nanos());
    Endpoint endpoint =
        endpointFixture.open(
            none("/")
                .to(upstream("up", 0, 0))
                .fallbacks(Map.of("m", new EndpointSpec.Fallback(List.of("n"), 5 * SECOND))));
    submit(endpoint, "m", 1);
    ParkedTicket second = submit(endpoint, "m", 1);
    ParkedTicket third = submit(endpoint, "m", 1);

    endpointFixture.at(5 * SECOND);
    assertThat(went(second) && waits(third)).isTrue();
    assertThat(settlement(second).model()).isEqualTo("n");
    endpointFixture.at(61 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(settlement(third).model()).isEqualTo("m");
  }
}
