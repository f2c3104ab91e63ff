package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.TextSocket;
import io.penstock.key.KeySecrets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests both limits of tokens of a key together, at the WebSocket through which Codex asks. */
class MessageLimitsIT {
  private static final long TPM = 5_000;
  private static final long BUDGET = 12_000;

  /** The length of a "minute" here. */
  private static final Duration WINDOW = Duration.ofSeconds(2);

  private static final String ROUTES =
      """
      keys:
        - {name: codex, sha256: %s, tpm: %d, budget_tokens_per_day: %d}
      endpoints:
        - path: /openai
          dialect: openai
          upstreams: [{id: o, url: "mock://openai?tokens=200", tpm: 1000000}]
      """
          .formatted(KeySecrets.sha256("codex"), TPM, BUDGET);

  private static final String ASK =
      "{\"type\":\"response.create\",\"model\":\"m\",\"max_output_tokens\":400,\"input\":\""
          + "word ".repeat(1_200)
          + "\"}";

  /** Returns the event that ends the answer to a message. */
  private static JsonNode answer(TextSocket socket) {
    JsonNode event;
    do {
      event = JsonMapper.shared().readTree(socket.next());
    } while (!event.path("type").asString().matches("error|response\\.completed"));
    return event;
  }

  @Test
  void messages_waitForTheMinute_andEndWithTheDay() {
    PatientWaits.awaitLongDay();
    RecordedEvents events = new RecordedEvents();
    try (RunningGateway gateway = RunningGateway.start(ROUTES, WINDOW)) {
      gateway.bean(EventBus.class).subscribe(events);
      String url = "ws://127.0.0.1:" + gateway.port() + "/openai/v1/responses";
      long used = 0;
      long refused = 0;
      try (TextSocket socket = new TextSocket(url, List.of("Authorization: Bearer codex"))) {
        for (int i = 0; i < 12; i++) {
          socket.send(ASK);
          JsonNode last = answer(socket);
          if (last.path("type").asString().equals("error")) {
            refused++;
            assertThat(last.path("status").intValue()).isEqualTo(429);
            assertThat(last.at("/headers/x-penstock-reason").asString()).isEqualTo("key_budget");
            assertThat(last.at("/error/message").asString()).contains("12000 tokens a day");
          } else {
            used += last.at("/response/usage/total_tokens").longValue();
          }
        }
      }
      gateway.awaitBalance();
      assertThat(refused).isPositive();
      assertThat(used).isGreaterThan(BUDGET / 2).isLessThanOrEqualTo(BUDGET);
      assertThat(usedAtUpstream(events)).isEqualTo(used);
      assertWithinTpm(events.of(Event.Released.class));
    }
  }

  /** Returns the tokens that the limits of the upstream were charged in the end. */
  private static long usedAtUpstream(RecordedEvents events) {
    return events.of(Event.Settled.class).stream()
        .filter(each -> "o".equals(each.upstream()))
        .mapToLong(Event.Settled::usedTokens)
        .sum();
  }

  /** Checks that in no window more input was released than the limit of the minute has. */
  private static void assertWithinTpm(List<Event.Released> released) {
    for (Event.Released first : released) {
      long until = first.atNanos() + WINDOW.toNanos();
      long within =
          released.stream()
              .filter(each -> each.atNanos() >= first.atNanos() && each.atNanos() < until)
              .mapToLong(each -> each.cost().inputTokens())
              .sum();
      assertThat(within).isPositive().isLessThanOrEqualTo(TPM);
    }
  }
}
