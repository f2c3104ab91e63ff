package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.fake.Http2Wire;
import io.penstock.fake.Message;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what happens to requests inside when the program is asked to stop. */
@Order(2) // takes long
@Timeout(120)
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class DrainIT {
  private static final String CHAT = "/openai/v1/chat/completions";
  private static final String NOWHERE = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String STREAM =
      "{\"stream\":true,\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  @TempDir private Path directory;
  private final CountDownLatch finish = new CountDownLatch(1);
  private final RawUpstream upstream =
      RawUpstream.start(
          (self, wire) -> {
            self.read(wire);
            wire.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
            wire.chunk("data: {}\n\n");
            if (finish.await(240, TimeUnit.SECONDS)) {
              wire.chunk("data: [DONE]\n\n").send("0\r\n\r\n");
            }
          });

  private Program start(String... properties) throws IOException {
    Path routes =
        Files.writeString(
            directory.resolve("routes.yaml"),
            """
            endpoints:
              - {path: /slot, algorithm: strict, rate: 0.2}
              - {path: /stuck, algorithm: strict, rate: 0.001}
              - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%s"}]}
            """
                .formatted(upstream.url()));
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("--penstock.allowed-hosts=*"); // the host of the requests is made up
    return new Program(routes, all.toArray(String[]::new));
  }

  @AfterEach
  void stop() {
    finish.countDown();
    upstream.close();
  }

  private static Wire parked(Program program, String path) {
    assertThat(program.get(path).status()).isEqualTo(200);
    Wire wire = program.connect();
    wire.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    RunningGateway.awaiting()
        .until(
            () -> program.operator("/endpoints?path=" + path).text().contains("\"queue_depth\":1"));
    return wire;
  }

  private static Wire atBarrier(Program program) {
    Wire wire = program.connect();
    wire.send("GET /v1/barrier/b/wait HTTP/1.1\r\nHost: x\r\n\r\n");
    RunningGateway.awaiting()
        .until(() -> program.get("/v1/barrier/b/stats").text().contains("\"waiting\":1"));
    return wire;
  }

  private static void refusesNewOnes(Program program) {
    RunningGateway.awaiting().until(() -> program.readiness() == 503);
    Message permit = program.get("/slot");
    assertThat(permit.status()).isEqualTo(503);
    assertThat(permit.header("x-penstock-reason")).isEqualTo("shutting_down");
    assertThat(permit.header("retry-after")).isEqualTo("1");
    assertThat(permit.text()).startsWith("{\"ok\":false,\"error\":\"service shutting down\"");
    try (Wire wire = program.connect()) {
      Message chat = wire.post(CHAT, STREAM).answer();
      assertThat(chat.status()).isEqualTo(503);
      assertThat(chat.text()).startsWith("{\"error\":{").contains("\"shutting_down\"");
    }
    assertThat(program.get("/nowhere").status()).isEqualTo(404);
  }

  @Test
  void terminated_servesThoseWhoWait_refusesNewOnes_andExits0() throws IOException {
    try (Program program = start();
        Wire running =
            program.connect(); // it keeps the program running until all requests are sent
        Wire waiting = parked(program, "/slot")) {
      assertThat(running.post(CHAT, STREAM).head().status()).isEqualTo(200);
      program.terminate();
      refusesNewOnes(program);
      finish.countDown();
      Message answer = waiting.answer();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).startsWith("{\"ok\":true");
      program.endsWell();
    }
  }

  @Test
  void terminated_closesConnectionsThatRest_andThoseItAnswers() throws IOException {
    upstream.script(
        (self, wire) -> {
          self.read(wire);
          wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").awaitEnd();
        });
    try (Program program = start();
        Wire resting = program.connect();
        Wire unused = program.connect();
        Wire waiting = parked(program, "/slot")) {
      Message kept = resting.post(CHAT, STREAM).answer();
      assertThat(kept.text()).isEqualTo("{}");
      assertThat(kept.header("connection")).isNull();
      program.terminate();
      resting.awaitEnd();
      Message refused = unused.send("GET /slot HTTP/1.1\r\nHost: x\r\n\r\n").answer();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.all("connection")).containsExactly("close");
      unused.awaitEnd();
      Message served = waiting.answer();
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.all("connection")).containsExactly("close");
      program.endsWell();
    }
  }

  @Test
  void terminated_servesNewOnesDuringAPause_andHasThemComeBackElsewhere() throws Exception {
    try (Program program = start("--penstock.drain-pause=5s", "--penstock.drain-timeout=6s");
        Wire resting = program.connect();
        Wire idle = program.connect();
        Wire running = program.connect()) {
      assertThat(running.post(CHAT, STREAM).head().status()).isEqualTo(200);
      for (Wire wire : List.of(resting, idle)) {
        assertThat(wire.send(NOWHERE).answer().all("connection")).isEmpty();
      }
      program.terminate();
      RunningGateway.awaiting().until(() -> program.readiness() == 503);
      Message served = resting.send("GET /slot HTTP/1.1\r\nHost: x\r\n\r\n").answer();
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.all("connection")).containsExactly("close");
      resting.awaitEnd();
      idle.awaitEnd(); // once the pause is over
      refusesNewOnes(program);
      assertThat(running.chunk()).isEqualTo("data: {}\n\n");
      finish.countDown();
      assertThat(running.chunk()).isEqualTo("data: [DONE]\n\n");
      program.endsWell();
    }
  }

  @Test
  void answerThatBeganBeforeThePauseAndEndsInIt_leavesItsConnectionForOneMore() throws Exception {
    try (Program program = start("--penstock.drain-pause=5s", "--penstock.drain-timeout=6s");
        Wire running = program.connect()) {
      assertThat(running.post(CHAT, STREAM).head().status()).isEqualTo(200);
      program.terminate();
      RunningGateway.awaiting().until(() -> program.readiness() == 503);
      assertThat(running.chunk()).isEqualTo("data: {}\n\n");
      finish.countDown();
      assertThat(running.chunk()).isEqualTo("data: [DONE]\n\n");
      assertThat(running.chunk()).as("its end").isEmpty();
      // its client was not told to send no more on it
      Message served = running.send("GET /slot HTTP/1.1\r\nHost: x\r\n\r\n").answer();
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.all("connection")).containsExactly("close");
      running.awaitEnd();
      program.endsWell();
    }
  }

  @Test
  void terminated_tellsHttp2ConnectionsToGo_andServesWhoWaitsOnThem() throws IOException {
    try (Program program = start("--server.http2.enabled=true");
        Wire waiting = parked(program, "/slot");
        Http2Wire asks = new Http2Wire(program.port())) {
      asks.get(1, "/slot");
      RunningGateway.awaiting()
          .until(
              () -> program.operator("/endpoints?path=/slot").text().contains("\"queue_depth\":2"));
      program.terminate();
      assertThat(asks.next(Http2Wire.GOAWAY).lastStream()).isEqualTo(1);
      assertThat(waiting.answer().status())
          .isEqualTo(200); // the GOAWAY came before any request had left
      Http2Wire.Frame answer = asks.next(Http2Wire.DATA);
      assertThat(answer.stream()).isEqualTo(1);
      assertThat(answer.text()).startsWith("{\"ok\":true");
      program.endsWell();
    }
  }

  @Test
  void interrupted_refusesWhoWaitsTooLong_letsAnswersFinish_andMindsNoSecondSignal()
      throws Exception {
    try (Program program =
            start(
                "--penstock.drain-timeout=2s",
                "--penstock.stream-drain-timeout=60s",
                "--penstock.coordination.enabled=true");
        Wire running = program.connect();
        Wire atBarrier = atBarrier(program);
        Wire waiting = parked(program, "/stuck")) {
      assumeThat(program.ignoresInterrupts()).as("started with SIGINT ignored").isFalse();
      running.post(CHAT, STREAM);
      assertThat(running.head().status()).isEqualTo(200);
      assertThat(running.chunk()).isEqualTo("data: {}\n\n");
      program.interrupt();
      Message refused = waiting.answer();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("x-penstock-reason")).isEqualTo("shutting_down");
      assertThat(refused.header("retry-after")).isEqualTo("1");
      Message dismissed = atBarrier.answer();
      assertThat(dismissed.status()).isEqualTo(503);
      assertThat(dismissed.header("x-penstock-reason")).isEqualTo("shutting_down");
      assertThat(dismissed.header("retry-after")).isEqualTo("1");
      program.interrupt();
      program.terminate();
      refusesNewOnes(program);
      assertThat(program.get("/v1/counter/c/value").status()).isEqualTo(503);
      finish.countDown();
      assertThat(running.chunk()).isEqualTo("data: [DONE]\n\n");
      assertThat(running.chunk()).isEmpty();
      program.endsWell();
    }
  }

  @Test
  void answerThatRunsTooLong_isBrokenOff() throws IOException {
    try (Program program =
            start("--penstock.drain-timeout=0s", "--penstock.stream-drain-timeout=1s");
        Wire running = program.connect()) {
      running.post(CHAT, STREAM);
      assertThat(running.head().status()).isEqualTo(200);
      program.terminate();
      running.awaitEnd();
      program.endsWell();
    }
  }

  @Test
  void upstreamThatNeverAnswers_holdsItNoLongerThanAllowed() throws Exception {
    upstream.script(
        (self, wire) -> {
          self.read(wire);
          finish.await(); // longer than the client waits
        });
    try (Program program =
            start("--penstock.drain-timeout=0s", "--penstock.stream-drain-timeout=1s");
        Wire running = program.connect()) {
      running.post(CHAT, STREAM);
      assertThat(upstream.received().text()).contains("\"stream\":true");
      program.terminate();
      running.awaitEnd();
      program.endsWell();
    }
  }

  @Test
  void redisThatHangs_holdsItNoLongerThanAllowed() throws IOException {
    try (RedisServer redis = RedisServer.started();
        Program program = start("--penstock.redis.url=" + redis.url())) {
      redis.pause();
      program.terminate();
      program.endsWell();
    }
  }
}
