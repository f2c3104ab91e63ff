package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.StartedGateway;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorEventsIT {
  private static final int MOST_READERS = 128;

  private static final String ROUTES =
      """
      endpoints:
        - path: /demo
          dialect: openai
          upstreams:
            - id: demo
              url: mock://openai?tokens=4
      """;

  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":4,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  @TempDir private Path directory;
  private StartedGateway gateway;

  @BeforeEach
  void start() {
    // a stop that waited for readers would take that long
    gateway =
        StartedGateway.start(
            directory,
            ROUTES,
            "--penstock.drain-timeout=300s",
            "--penstock.stream-drain-timeout=300s");
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private Socket reader() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.setSoTimeout(PatientWaits.LONGEST_MILLIS);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.operatorPort()));
    // An HTTP/1.0 answer comes without chunks.
    socket
        .getOutputStream()
        .write("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
    return socket;
  }

  /** Reads up to and including the first line that contains {@code text}. */
  private static String until(BufferedReader lines, String text) throws IOException {
    StringBuilder read = new StringBuilder();
    String line = lines.readLine();
    while (line != null && !line.contains(text)) {
      read.append(line).append('\n');
      line = lines.readLine();
    }
    assertThat(line).as("%s after %s", text, read).isNotNull();
    return read.append(line).toString();
  }

  private String ask() throws IOException {
    String length = "Content-Length: " + ASK.length();
    try (Socket socket =
        StartedGateway.open(gateway.port(), "POST /demo/v1/chat/completions", length)) {
      socket.getOutputStream().write(ASK.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void request_isToldAsItHappens() throws Exception {
    try (Socket reader = reader();
        BufferedReader lines = StartedGateway.lines(reader)) {
      assertThat(until(lines, "events from now on"))
          .contains("200 OK")
          .contains("text/event-stream");
      assertThat(ask()).startsWith("HTTP/1.1 200");
      String told = until(lines, "event:served") + until(lines, "data:");
      assertThat(told)
          .containsSubsequence(
              "event:released",
              "\"endpoint\":\"/demo\",\"ticket\":0,\"upstream\":\"demo\",\"model\":\"m\"",
              "event:settled",
              "\"used_tokens\":",
              "event:served",
              "\"endpoint\":\"/demo\",\"ticket\":0}");
    }
  }

  @Test
  void oneReaderTooMany_isRefusedUntilAnotherIsGone() throws Exception {
    Deque<Socket> readers = new ArrayDeque<>();
    try {
      for (int each = 0; each < MOST_READERS; each++) {
        Socket reader = reader();
        readers.add(reader);
        until(StartedGateway.lines(reader), "events from now on");
      }
      assertThat(gateway.operator("GET /events"))
          .startsWith("HTTP/1.1 503")
          .contains("application/problem+json");
      readers.pop().close();
      await().untilAsserted(() -> readers.add(accepted()));
    } finally {
      for (Socket reader : readers) {
        reader.close();
      }
    }
  }

  private Socket accepted() throws IOException {
    Socket reader = reader();
    assertThat(StartedGateway.lines(reader).readLine()).contains("200 OK");
    return reader;
  }

  @Test
  void slowReader_losesEventsAndIsToldHowMany() throws Exception {
    long published = 200_000;
    EventBus events = gateway.context().getBean(EventBus.class);
    try (Socket slow = reader();
        BufferedReader lines = StartedGateway.lines(slow)) {
      until(lines, "events from now on");
      LongStream.range(0, published)
          .forEach(ticket -> events.publish(new Event.Cancelled(0, "/demo", ticket)));
      assertThat(lostOf(lines, published)).isPositive();
    }
    assertThat(gateway.operator("GET /actuator/prometheus"))
        .containsPattern("penstock_events_dropped_total [1-9]");
  }

  /**
   * Reads until every event was either received or reported as lost; returns how many were lost.
   */
  private static long lostOf(BufferedReader lines, long published) throws IOException {
    long told = 0;
    long lost = 0;
    while (told + lost < published) {
      String line = lines.readLine();
      if (line.startsWith("data:{\"events\":")) {
        lost += Long.parseLong(line.replaceAll("\\D", ""));
      } else if (line.startsWith("data:")) {
        told++;
      }
    }
    assertThat(told + lost).isEqualTo(published);
    return lost;
  }

  @Test
  void stop_endsReadersInsteadOfWaitingForThem() throws Exception {
    try (Socket reader = reader();
        BufferedReader lines = StartedGateway.lines(reader)) {
      until(lines, "events from now on");
      assertTimeout(PatientWaits.LONGEST, gateway::close);
      String rest = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        rest = line;
      }
      assertThat(rest).isIn("", "0");
    }
  }
}
