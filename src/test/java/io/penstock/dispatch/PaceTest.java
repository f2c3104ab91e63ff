package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.OPEN;
import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointWorld;
import io.penstock.queue.QueueOrder;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that a quota delayed by its pace is kept for the ticket next in turn. */
class PaceTest {

  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static ParkedTicket ranked(Endpoint endpoint, long tokens, int priority) {
    Cost cost = Cost.ofInput(tokens);
    TicketRequest.Flow flow = TicketRequest.Flow.ANONYMOUS;
    return endpoint.submit(RequestFixture.of(null, cost).priority(priority).flow(flow).made());
  }

  /** Opens an endpoint with an upstream of 120 tokens a minute, 60 of them at once. */
  private Endpoint openPaced(int maxSkips) {
    Scheduling priority = new Scheduling(QueueOrder.PRIORITY, 0, maxSkips, new FairBy.Key());
    return endpointFixture.open(
        none("/a").to(EndpointWorld.upstream("u", 120, 30)), priority, OPEN);
  }

  private static String goesTo(ParkedTicket parkedTicket) {
    return Objects.requireNonNull(settlement(parkedTicket).upstream()).spec().id();
  }

  @Test
  void waitsForThePaceHere_anotherGoesThereAtOnce() {
    Endpoint endpoint =
        endpointFixture.open(
            none("/a")
                .to(EndpointWorld.upstream("u", 120, 30), EndpointWorld.upstream("v", 100, 60)));
    TicketRequest.RequestAffinity kept = new TicketRequest.RequestAffinity(null, "v");
    TicketRequest.Flow flow = TicketRequest.Flow.ANONYMOUS;
    endpoint.submit(RequestFixture.of(null, Cost.ofInput(90)).flow(flow).affinity(kept).made());
    assertThat(goesTo(submit(endpoint, 60))).isEqualTo("u");
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ParkedTicket large = submit(endpoint, 50);
    ParkedTicket small = submit(endpoint, 5);
    endpointFixture.at(
        10 * SECOND); // the pace of u would now let the small one pass, but not the large one
    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(goesTo(small)).isEqualTo("v");
    assertThat(waits(large)).isTrue();
    endpointFixture.at(26 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void oneThatComesFirstArrives_thePaceIsKeptForIt() {
    Endpoint endpoint = openPaced(64);
    ranked(endpoint, 60, 0);
    ParkedTicket held = ranked(endpoint, 30, 1);
    ParkedTicket urgent = ranked(endpoint, 30, 9);
    endpointFixture.at(16 * SECOND);
    assertThat(went(urgent)).isTrue();
    assertThat(waits(held)).isTrue();
    endpointFixture.at(31 * SECOND);
    assertThat(went(held)).isTrue();
  }

  @Test
  void oneThatComesLastArrives_overtakesNobodyThatThePaceHoldsBack() {
    Endpoint endpoint = openPaced(64);
    ranked(endpoint, 60, 0);
    ParkedTicket held = ranked(endpoint, 30, 9);
    ParkedTicket small = ranked(endpoint, 5, 1);
    endpointFixture.at(14 * SECOND);
    assertThat(waits(small)).isTrue();
    endpointFixture.at(16 * SECOND);
    assertThat(went(held)).isTrue();
  }

  @Test
  void keptForOneThatWasSkippedTooOften_isNotForOneThatComesFirst() {
    Endpoint endpoint = openPaced(0);
    ranked(endpoint, 60, 0);
    ParkedTicket paced = ranked(endpoint, 30, 5);
    ranked(endpoint, 100, 1); // so that a ticket always waits in their lane
    endpointFixture.at(16 * SECOND);
    assertThat(went(paced)).isTrue();
    ParkedTicket skipped = ranked(endpoint, 40, 5);
    endpointFixture.at(20 * SECOND);
    assertThat(waits(ranked(endpoint, 5, 1))).isTrue();
    assertThat(waits(skipped)).isTrue();
    assertThat(waits(ranked(endpoint, 5, 9))).isTrue();
    endpointFixture.at(61 * SECOND);
    assertThat(went(skipped)).isTrue();
  }
}
