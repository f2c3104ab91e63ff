package io.penstock.endpoint;

import static io.penstock.endpoint.House.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.Totals.Fate;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of what is left of endpoints when the gateway stops. */
class RefuseAllTest {
  private static final Refusal STOPPING = Refusal.of(Reason.SHUTTING_DOWN, "it stops");
  private static final Outcome REFUSED = new Outcome.Refused(STOPPING);

  private House house = new House();

  private void open(House.Setup setup) {
    EndpointSpec spec = setup.spec();
    house.registry.apply(
        List.of(
            new EndpointSpec(
                spec.path(),
                spec.path(),
                spec.algorithm(),
                spec.limit(),
                spec.scheduling(),
                spec.waiting(),
                spec.reading(),
                new EndpointSpec.Descendants(true, 10),
                spec.shadow(),
                spec.forwarding().stripPrefix(),
                spec.upstreams(),
                spec.shown())));
  }

  private Endpoint enter(String path) {
    Endpoint endpoint = house.registry.enter(path);
    if (endpoint == null) {
      throw new AssertionError("no endpoint has " + path);
    }
    return endpoint;
  }

  @Test
  void whoWaitsAndWhoComes_isRefused_andWhoRunsIsNot() {
    for (String path : List.of("/a", "/a/dynamic")) {
      open(House.strict("/a", 1, 60));
      Endpoint endpoint = enter(path);
      Pending runs = submit(endpoint, 1);
      Pending waits = submit(endpoint, 1);
      house.registry.refuseAll(STOPPING);
      house.drivers.run();
      Pending comes = submit(endpoint, 1);
      assertThat(waits.outcome()).isEqualTo(REFUSED);
      assertThat(comes.outcome()).isEqualTo(REFUSED);
      assertThat(endpoint.totals().requests(Fate.RUNNING)).isEqualTo(1);
      House.settlement(runs).permitted(House.START);
      assertThat(endpoint.totals().requests(Fate.SERVED)).isEqualTo(1);
      House.assertBalanced(endpoint);
      endpoint.leave();
      house = new House();
    }
  }

  @Test
  void dynamicEndpointThatEmptiesMeanwhile_canStillBeEntered() {
    open(House.strict("/a", 1, 60));
    Endpoint endpoint = enter("/a/dynamic");
    Pending runs = submit(endpoint, 1);
    house.registry.refuseAll(STOPPING);
    house.drivers.run();
    House.settlement(runs).permitted(House.START);
    endpoint.leave();
    assertThat(enter("/a/dynamic")).isSameAs(endpoint);
    assertThat(submit(endpoint, 1).outcome()).isEqualTo(REFUSED);
    assertThat(endpoint.totals().requests(Fate.OFFERED)).isEqualTo(2);
  }
}
