package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.Transcript;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the operator port with a token, and its events about requests, with records. */
@Tag(GoldenRecords.TAG)
class EventGoldenIT {
  private static final String TOKEN = "an-operators-token";
  private static final String BEARER = "Authorization: Bearer " + TOKEN;
  private static final String ROUTES =
      """
      endpoints:
        - path: /chat
          dialect: openai
          upstreams: [{id: up, url: "mock://openai?tokens=4"}]
        - {path: /once, rate: 1, unit: rpm, max_queue_size: 1, dynamic: false}
        - {path: /short, algorithm: none, queue_timeout: 0.1}
      """;

  @TempDir private Path directory;

  @Test
  void eventsAndToken() throws Exception {
    try (GoldenGateway gateway =
        new GoldenGateway(directory, ROUTES, "--penstock.operator.token=" + TOKEN)) {
      events(gateway);
      tokens(gateway);
    }
  }

  private static void events(GoldenGateway gateway) {
    int operator = gateway.operatorPort();
    try (ByteSocket reader = ByteSocket.to(operator)) {
      reader.send(
          "GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + operator + "\r\n" + BEARER + "\r\n\r\n");
      Transcript all = gateway.transcript();
      all.note("GET /events\n\n" + Transcript.shown(reader.head()));
      StringBuilder told = new StringBuilder(untilTold(reader, "events from now on"));
      Transcript asked = gateway.transcript();
      asked.send(
          gateway.port(),
          "POST /chat/v1/chat/completions",
          "{\"model\":\"m\",\"max_tokens\":4,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}");
      told.append(untilTold(reader, "event:estimated"));
      asked.ask(gateway.port(), "GET /once");
      told.append(untilTold(reader, "event:served"));
      try (ByteSocket waits = gateway.parked("/once", "GET /once?tokens=3", "")) {
        told.append(untilTold(reader, "event:queued"));
        asked.ask(gateway.port(), "GET /once");
        told.append(untilTold(reader, "event:refused"));
        waits.reset();
      }
      told.append(untilTold(reader, "event:cancelled"));
      gateway.endpoint("/short").pause(true);
      asked.ask(gateway.port(), "GET /short");
      told.append(untilTold(reader, "event:expired"));
      asked.ask(operator, "POST /reload", BEARER);
      told.append(untilTold(reader, "event:config"));
      all.note(told.toString());
      GoldenRecords.check("operator/events.sse", all.text());
    }
  }

  /** Reads whole events up to the chunk that contains {@code text}. */
  private static String untilTold(ByteSocket reader, String text) {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(text) < 0 || !read.toString().endsWith("\n\n")) {
      String chunk = reader.chunk();
      assertThat(chunk).as("%s after %s", text, read).isNotEmpty();
      read.append(chunk);
    }
    return read.toString();
  }

  private static void tokens(GoldenGateway gateway) {
    Transcript all = gateway.transcript();
    int operator = gateway.operatorPort();
    all.ask(operator, "GET /endpoints?path=/once");
    all.ask(operator, "GET /actuator/health/liveness");
    all.ask(operator, "GET /actuator/prometheus");
    all.ask(operator, "GET /openapi.json");
    all.ask(operator, "GET /endpoints?path=/once", BEARER);
    for (int i = 0; i < 10; i++) {
      gateway.transcript().ask(operator, "GET /config", "Authorization: Bearer wrong");
    }
    all.ask(operator, "GET /config", "Authorization: Bearer wrong");
    all.ask(operator, "GET /config", BEARER);
    GoldenRecords.check("operator/token.http", all.text());
  }
}
