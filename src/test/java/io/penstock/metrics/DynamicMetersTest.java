package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.cost.Cost;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.event.Event;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The number of labels stays bounded, however many paths clients make up. */
class DynamicMetersTest {
  private static final int MORE = 7;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Metered metered = new Metered();

  private GatewayMeters start() {
    GatewayMeters gatewayMeters = metered.meters(registry, List.of(permit()));
    metered.events.subscribe(gatewayMeters);
    return gatewayMeters;
  }

  private static EndpointSpec permit() {
    return EndpointFixture.strict("/a", 1, 60)
        .bounds(10, 1_000, 1_000)
        .reading(EndpointSetup.reading(DialectTable.NONE, CostSource.QUERY, 1, 0, 1_000))
        .descendants(true, 1_000)
        .spec();
  }

  private Endpoint twoCome(String path) {
    Endpoint endpoint = Objects.requireNonNull(metered.endpoints.enter(path));
    TicketRequest ticketRequest = RequestFixture.request(null, Cost.ofInput(3));
    endpoint.submit(ticketRequest);
    endpoint.submit(ticketRequest).cancel();
    endpoint.submit(ticketRequest);
    return endpoint;
  }

  private double cancelled(String label) {
    return registry
        .get("penstock.tickets")
        .tags("endpoint", label, "outcome", "cancelled")
        .counter()
        .count();
  }

  private double depth(String label) {
    return registry.get("penstock.queue.depth").tag("endpoint", label).gauge().value();
  }

  @Test
  void pathsBeyondTheLabels_areOneTogether() {
    GatewayMeters gatewayMeters = start();
    for (int each = 0; each < GatewayMeters.MAX_DYNAMIC + MORE; each++) {
      twoCome("/a/" + each);
    }
    gatewayMeters.publish(new Event.Reloaded(0, true, "as before"));
    assertThat(registry.find("penstock.queue.depth").gauges())
        .hasSize(GatewayMeters.MAX_DYNAMIC + 2);
    assertThat(cancelled("/a/0")).isEqualTo(1);
    assertThat(cancelled("other")).isEqualTo(MORE);
    assertThat(depth("/a/0")).isEqualTo(1);
    assertThat(depth("other")).isEqualTo(MORE);
    assertThat(depth("/a")).isZero();
  }

  @Test
  void endpointThatComesBack_hasItsLabelAgain() {
    start();
    Endpoint before = Objects.requireNonNull(metered.endpoints.enter("/a/b"));
    before.countCancelled(Cost.NO_TOKENS, 0);
    before.leave();
    metered.drivers.advanceTo(TimeUnit.HOURS.toNanos(1));
    assertThat(metered.endpoints.dynamic()).isEmpty();
    assertThat(depth("/a/b")).isZero();
    twoCome("/a/b");
    assertThat(cancelled("/a/b")).isEqualTo(2);
    assertThat(depth("/a/b")).isEqualTo(1);
  }

  @Test
  void withoutDynamicEndpoints_thereAreNoOthers() {
    start();
    assertThat(registry.find("penstock.queue.depth").gauges()).hasSize(1);
  }
}
