package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that a short stream which breaks off over a connection that was used before reaches its
 * client with all bytes, and counts with the usage that it stated.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class BrokenStreamIT extends HostileCase {
  private static final int ROUNDS = 25;
  private static final int TOGETHER = 4;
  private static final int EVENTS = 1_000;
  private static final String KEPT = OK.replace("Connection: close\r\n", "");
  private static final String OPENAI =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n"
          + "data: {\"choices\":[],\"usage\":"
          + "{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}}\n\n"
          + "data: [DONE]\n\n";
  private static final String ANTHROPIC =
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":"
          + "{\"input_tokens\":3,\"output_tokens\":1}}}\n\n"
          + "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":"
          + "{\"output_tokens\":2}}\n\n"
          + "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
  private static final String GEMINI =
      "data: {\"candidates\":[],\"usageMetadata\":{\"promptTokenCount\":3,"
          + "\"candidatesTokenCount\":2,\"totalTokenCount\":5}}\n\n";

  private final BlockingQueue<Event.Settled> settled = new LinkedBlockingQueue<>();

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s", inject_usage: true}]}
      - {path: /anthropic, dialect: anthropic, upstreams: [{id: a, url: "%1$s"}]}
      - {path: /gemini, dialect: gemini, upstreams: [{id: g, url: "%1$s"}]}
    """;
  }

  @BeforeAll
  void listenToEvents() {
    gateway
        .bean(EventBus.class)
        .subscribe(
            event -> {
              if (event instanceof Event.Settled each) {
                settled.add(each);
              }
            });
  }

  /** Uses some connections at once, so that the next request may come over one of another loop. */
  private void useConnections(String target) {
    List<ByteSocket> wires = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      wires.add(connect().post(target, ASK));
    }
    for (ByteSocket wire : wires) {
      assertThat(wire.answer().status()).isEqualTo(200);
      PatientWaits.take(settled);
      wire.close();
    }
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.getBytes(StandardCharsets.UTF_8).length)
        + "\r\n"
        + text
        + "\r\n";
  }

  /** Returns an answer that lacks its end, in as many pieces as there are events. */
  private static List<String> broken(String body, String kind) {
    String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
    if (kind.equals("length")) {
      return List.of(head + "Content-Length: 9999\r\n\r\n" + body);
    }
    String chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
    if (kind.equals("one")) {
      return List.of(chunked + chunk(body));
    }
    List<String> pieces = new ArrayList<>(List.of(chunked));
    for (String event : body.split("(?<=\n\n)", -1)) {
      if (!event.isEmpty()) {
        pieces.add(chunk(event));
      }
    }
    return pieces;
  }

  private static String body(String dialect) {
    return switch (dialect) {
      case "openai" -> OPENAI;
      case "anthropic" -> ANTHROPIC;
      default -> GEMINI;
    };
  }

  @ParameterizedTest
  @CsvSource({
    "openai, one, CHAT",
    "openai, many, CHAT",
    "openai, length, CHAT",
    "openai, many, HIDDEN",
    "anthropic, one, MESSAGES",
    "anthropic, many, MESSAGES",
    "gemini, one, GEMINI",
    "gemini, length, GEMINI",
  })
  void streamThatBreaksOff_reachesItsClientInFull_andCountsInFull(
      String dialect, String kind, String asked) {
    String target =
        switch (asked) {
          case "CHAT", "HIDDEN" -> CHAT;
          case "MESSAGES" -> MESSAGES;
          default -> "/gemini/v1beta/models/m:streamGenerateContent?alt=sse";
        };
    String options = asked.equals("HIDDEN") ? "" : "\"stream_options\":{\"include_usage\":true},";
    String stream = ASK.replace("{\"model\"", "{\"stream\":true," + options + "\"model\"");
    List<String> answer = broken(body(dialect), kind);
    String whole =
        asked.equals("HIDDEN")
            ? OPENAI.replaceAll("data: \\{\"choices\":\\[],.*\n\n", "")
            : body(dialect);
    upstream.script(
        (self, byteSocket) -> {
          while (!self.read(byteSocket).text().contains("\"stream\"")) {
            byteSocket.send(KEPT);
          }
          answer.forEach(byteSocket::send);
        });
    for (int round = 0; round < ROUNDS; round++) {
      useConnections(target);
      String got;
      try (ByteSocket wire = connect().post(target, stream)) {
        HttpMessage head = wire.head();
        assertThat(head.status()).isEqualTo(200);
        got = read(wire, head.header("content-length") == null);
      }
      assertThat(got).as("round " + round).isEqualTo(whole);
      assertThat(PatientWaits.take(settled).usedTokens()).as("round " + round).isEqualTo(5);
    }
    upstream.drain();
  }

  @ParameterizedTest
  @CsvSource({"CHAT, true", "CHAT, false", "FILES, false"})
  void clientReadsSlowly_getsAllThatCameBeforeTheBreak(String asked, boolean hidden) {
    String event = "data: {\"choices\":[],\"text\":\"" + "x".repeat(8_000) + "\"}\n\n";
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(broken(OPENAI, "many").getFirst());
          for (int i = 0; i < EVENTS; i++) {
            byteSocket.send(chunk(event));
          }
          byteSocket.send(chunk(OPENAI));
        });
    String options = hidden ? "" : "\"stream_options\":{\"include_usage\":true},";
    String stream = ASK.replace("{\"model\"", "{\"stream\":true," + options + "\"model\"");
    try (ByteSocket wire = ByteSocket.to(gateway.port(), 4_096)) {
      wire.post(asked.equals("CHAT") ? CHAT : FILES, stream);
      assertThat(wire.head().status()).isEqualTo(200);
      String got = read(wire, true);
      assertThat(got).startsWith(event).endsWith("data: [DONE]\n\n");
      assertThat(got.split(Pattern.quote(event), -1)).hasSize(EVENTS + 1);
    }
    assertThat(PatientWaits.take(settled).usedTokens()).isEqualTo(asked.equals("CHAT") ? 5 : 0);
    upstream.drain();
  }

  /** Reads a body that breaks off. */
  private static String read(ByteSocket wire, boolean chunked) {
    if (!chunked) {
      return wire.rest();
    }
    StringBuilder got = new StringBuilder();
    try {
      for (String each = wire.chunk(); !each.isEmpty(); each = wire.chunk()) {
        got.append(each);
      }
    } catch (UncheckedIOException cut) {
      return got.toString();
    }
    throw new AssertionError("the stream looks complete");
  }
}
