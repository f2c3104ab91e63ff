package io.penstock.gateway;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.StartedGateway;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShadowIT {
  private static final String ROUTES =
      """
      endpoints:
        - path: /shadow
          shadow: true
          algorithm: strict
          rate: 1
          unit: rpm
          queue_timeout: 90
          dialect: openai
          upstreams:
            - id: mock
              url: mock://openai?tokens=4
      """;

  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":4,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  @TempDir private Path directory;

  private static String ask(StartedGateway gateway) throws Exception {
    String length = "Content-Length: " + ASK.length();
    try (var socket =
        StartedGateway.open(gateway.port(), "POST /shadow/v1/chat/completions", length)) {
      socket.getOutputStream().write(ASK.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void overItsLimit_itAnswersAtOnce_andTellsWhatWouldHaveHappened() throws Exception {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES)) {
      RecordedEvents events = new RecordedEvents();
      gateway.context().getBean(EventBus.class).subscribe(events);
      for (int each = 0; each < 3; each++) {
        assertThat(ask(gateway)).startsWith("HTTP/1.1 200").contains("x-penstock-queued-ms: 0");
      }
      // The second waits for a minute, the third would wait for longer than it may.
      await().until(() -> events.of(Event.Shadowed.class).size() == 2);
      assertThat(events.of(Event.Shadowed.class))
          .extracting(Event.Shadowed::ticket, each -> String.valueOf(each.refusal()))
          .satisfiesExactly(
              first -> assertThat(first.toList()).containsExactly(0L, "null"),
              third ->
                  assertThat(third.toList().toString())
                      .startsWith("[2,")
                      .containsIgnoringCase("estimated_wait_exceeds_timeout"));
      var endpointTotals =
          Objects.requireNonNull(gateway.context().getBean(EndpointRegistry.class).find("/shadow"))
              .totals();
      await().until(() -> endpointTotals.requests(TicketFate.SERVED) == 3);
      assertThat(endpointTotals.requests(TicketFate.WAITING)).isZero();
      assertThat(gateway.operator("GET /actuator/prometheus"))
          .contains(
              "penstock_tickets_total{endpoint=\"/shadow\",outcome=\"shadowed\",reason=\"none\"} 1")
          .contains("penstock_shadow_wait_seconds_count{endpoint=\"/shadow\"} 1");
    }
  }
}
