package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of what is left of endpoints when the gateway stops. */
class RefuseAllTest {
  private static final Refusal STOPPING = Refusal.of(RefusalReason.SHUTTING_DOWN, "it stops");
  private static final TicketOutcome REFUSED = new TicketOutcome.Refused(STOPPING);

  private EndpointFixture endpointFixture = new EndpointFixture();

  private void open(EndpointSetup setup) {
    endpointFixture.registry.apply(List.of(setup.descendants(true, 10).spec()));
  }

  private Endpoint enter(String path) {
    Endpoint endpoint = endpointFixture.registry.enter(path);
    if (endpoint == null) {
      throw new AssertionError("no endpoint has " + path);
    }
    return endpoint;
  }

  @Test
  void whoWaitsAndWhoComes_isRefused_andWhoRunsIsNot() {
    for (String path : List.of("/a", "/a/dynamic")) {
      open(EndpointFixture.strict("/a", 1, 60));
      Endpoint endpoint = enter(path);
      ParkedTicket runs = submit(endpoint, 1);
      ParkedTicket waitingTicket = submit(endpoint, 1);
      endpointFixture.registry.refuseAll(STOPPING);
      endpointFixture.drivers.run();
      ParkedTicket comes = submit(endpoint, 1);
      assertThat(waitingTicket.outcome()).isEqualTo(REFUSED);
      assertThat(comes.outcome()).isEqualTo(REFUSED);
      assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isEqualTo(1);
      EndpointFixture.settlement(runs).permitted(EndpointFixture.START);
      assertThat(endpoint.totals().requests(TicketFate.SERVED)).isEqualTo(1);
      EndpointFixture.assertBalanced(endpoint);
      endpoint.leave();
      endpointFixture = new EndpointFixture();
    }
  }

  @Test
  void dynamicEndpointThatEmptiesMeanwhile_canStillBeEntered() {
    open(EndpointFixture.strict("/a", 1, 60));
    Endpoint endpoint = enter("/a/dynamic");
    ParkedTicket runs = submit(endpoint, 1);
    endpointFixture.registry.refuseAll(STOPPING);
    endpointFixture.drivers.run();
    EndpointFixture.settlement(runs).permitted(EndpointFixture.START);
    endpoint.leave();
    assertThat(enter("/a/dynamic")).isSameAs(endpoint);
    assertThat(submit(endpoint, 1).outcome()).isEqualTo(REFUSED);
    assertThat(endpoint.totals().requests(TicketFate.OFFERED)).isEqualTo(2);
  }
}
