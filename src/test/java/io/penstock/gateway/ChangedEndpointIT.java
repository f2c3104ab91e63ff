package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.ConfigurationReloader;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests requests that wait while a reload changes what their endpoint serves. */
@SuppressWarnings("InlineFormatString") // as in the other tests of routes
class ChangedEndpointIT extends HostileCase {
  private static final String LIMITED =
      "HTTP/1.1 429 X\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  private static final String STREAM_ASK = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");
  private static final String UPSTREAM = "upstreams: [{id: u, url: \"%1$s\"}]";
  private static final String OPENAI = endpoint("dialect: openai, " + UPSTREAM);
  private static final String PERMIT = endpoint("algorithm: none");

  private final Semaphore answers = new Semaphore(0);

  private static String endpoint(String terms) {
    return "  - {path: /a, " + terms + "}\n";
  }

  @Override
  String routes() {
    return "endpoints:\n" + OPENAI;
  }

  @Override
  String[] arguments() {
    return new String[] {PlainJudge.ARGUMENT};
  }

  @BeforeEach
  void reset() throws IOException {
    PlainJudge.pauseNanos = 0;
    reload(OPENAI);
  }

  @AfterEach
  void resume() {
    gateway.endpoint("/a").pause(false);
  }

  private void reload(String endpoints) throws IOException {
    // In one step: the watcher may read the file at any moment.
    Path aside = Path.of(gateway.routes() + ".new");
    Files.writeString(aside, "endpoints:\n" + endpoints.formatted(upstream.url()));
    Files.move(aside, gateway.routes(), StandardCopyOption.ATOMIC_MOVE);
    assertThat(gateway.bean(ConfigurationReloader.class).reload())
        .isInstanceOf(ConfigurationReloader.Result.Applied.class);
  }

  /** Sends a request that has to wait at the paused endpoint. */
  private ByteSocket waiting(String target, String body) {
    gateway.endpoint("/a").pause(true);
    ByteSocket byteSocket = connect().post(target, body);
    gateway.await("/a", TicketFate.WAITING, 1);
    return byteSocket;
  }

  /** Sends a request that has to wait once more after its first attempt. */
  private ByteSocket waitingAgain(String body) throws InterruptedException {
    upstream.script(
        (from, byteSocket) -> {
          from.read(byteSocket);
          answers.acquire();
          byteSocket.send(LIMITED);
        });
    ByteSocket byteSocket = connect().post("/a/v1/chat/completions", body);
    upstream.received();
    gateway.endpoint("/a").pause(true);
    answers.release();
    gateway.await("/a", TicketFate.WAITING, 1);
    return byteSocket;
  }

  private HttpMessage released(ByteSocket byteSocket) {
    gateway.endpoint("/a").pause(false);
    return byteSocket.answer();
  }

  @Test
  void upstreamsGoneWhileRetryWaits_isRefusedWithReason() throws Exception {
    try (ByteSocket byteSocket = waitingAgain(ASK)) {
      reload(PERMIT);
      HttpMessage answer = released(byteSocket);
      refused(answer, 503, "endpoint_removed");
      assertThat(answer.header("retry-after")).isEqualTo("1");
      assertThat(answer.text()).contains("\"error\":{");
    }
  }

  @Test
  void upstreamsGoneWhileStreamWaitsAgain_endsWithErrorEvent() throws Exception {
    reload(endpoint("dialect: openai, heartbeat_seconds: 0.05, " + UPSTREAM));
    try (ByteSocket byteSocket = waitingAgain(STREAM_ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      reload(PERMIT);
      gateway.endpoint("/a").pause(false);
      StringBuilder all = new StringBuilder();
      for (String chunk = byteSocket.chunk(); !chunk.isEmpty(); chunk = byteSocket.chunk()) {
        all.append(chunk);
      }
      assertThat(all).contains("data: {\"error\":{").contains("endpoint_removed");
    }
  }

  @Test
  void upstreamsGoneWhileRequestWaits_isRefusedAndGetsNoPermit() throws Exception {
    try (ByteSocket byteSocket = waiting("/a/v1/chat/completions", ASK)) {
      reload(PERMIT);
      HttpMessage answer = released(byteSocket);
      refused(answer, 503, "endpoint_removed");
      assertThat(answer.text()).contains("\"error\":{");
    }
  }

  @Test
  void permitWithBodyWhoseEndpointGetsUpstreams_isRefusedWithReason() throws Exception {
    reload(PERMIT);
    try (ByteSocket byteSocket = waiting("/a", ASK)) {
      reload(OPENAI);
      refused(released(byteSocket), 503, "endpoint_removed");
    }
  }

  @Test
  void dialectChangesWhileRequestWaits_isRefusedInTheFormatOfTheRequest() throws Exception {
    try (ByteSocket byteSocket = waiting("/a/v1/chat/completions", ASK)) {
      reload(endpoint("dialect: anthropic, " + UPSTREAM));
      HttpMessage answer = released(byteSocket);
      refused(answer, 503, "endpoint_removed");
      assertThat(answer.text()).contains("\"param\":null");
    }
  }

  @Test
  void settingsWithWhichTheRequestIsReadStay_isServedByTheNewOnes() throws Exception {
    try (ByteSocket byteSocket = waiting("/a/v1/chat/completions", ASK)) {
      reload(endpoint("dialect: openai, strip_prefix: false, " + UPSTREAM));
      assertThat(released(byteSocket).status()).isEqualTo(200);
    }
    assertThat(upstream.received().start()).startsWith("POST /a/v1/chat/completions ");
  }

  @Test
  void permitWhoseSettingsChange_isGranted() throws Exception {
    reload(PERMIT);
    try (ByteSocket byteSocket = waiting("/a", ASK)) {
      reload(endpoint("algorithm: strict"));
      HttpMessage answer = released(byteSocket);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).contains("\"ok\":true");
    }
  }
}
