package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.Http2Wire;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.ProgramProcess;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what happens to requests inside when the program is asked to stop. */
@Order(2) // takes long
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
@Tag(TaggedTests.FULL)
class ShutdownDrainIT {
  private static final String CHAT = "/openai/v1/chat/completions";
  private static final String NOWHERE = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String STREAM =
      "{\"stream\":true,\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  @TempDir private Path directory;
  private final CountDownLatch finish = new CountDownLatch(1);
  private final RawUpstream upstream =
      RawUpstream.start(
          (self, byteSocket) -> {
            self.read(byteSocket);
            byteSocket.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
            byteSocket.chunk("data: {}\n\n");
            finish.await();
            byteSocket.chunk("data: [DONE]\n\n").send("0\r\n\r\n");
          });

  private ProgramProcess start(String... properties) throws IOException {
    Path routes =
        Files.writeString(
            directory.resolve("routes.yaml"),
            """
            endpoints:
              - {path: /slot, algorithm: strict, rate: 0.1}
              - {path: /stuck, algorithm: strict, rate: 0.001}
              - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%s"}]}
            """
                .formatted(upstream.url()));
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("--penstock.allowed-hosts=*"); // the host of the requests is made up
    return new ProgramProcess(routes, all.toArray(String[]::new));
  }

  @AfterEach
  void stop() {
    finish.countDown();
    upstream.close();
  }

  private static ByteSocket parked(ProgramProcess programProcess, String path) {
    assertThat(programProcess.get(path).status()).isEqualTo(200);
    ByteSocket byteSocket = programProcess.connect();
    byteSocket.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    RunningGateway.awaiting()
        .until(
            () ->
                programProcess
                    .operator("/endpoints?path=" + path)
                    .text()
                    .contains("\"queue_depth\":1"));
    return byteSocket;
  }

  private static ByteSocket atBarrier(ProgramProcess programProcess) {
    ByteSocket byteSocket = programProcess.connect();
    byteSocket.send("GET /v1/barrier/b/wait HTTP/1.1\r\nHost: x\r\n\r\n");
    RunningGateway.awaiting()
        .until(() -> programProcess.get("/v1/barrier/b/stats").text().contains("\"waiting\":1"));
    return byteSocket;
  }

  private static void refusesNewOnes(ProgramProcess programProcess) {
    RunningGateway.awaiting().until(() -> programProcess.readiness() == 503);
    HttpMessage permit = programProcess.get("/slot");
    assertThat(permit.status()).isEqualTo(503);
    assertThat(permit.header("x-penstock-reason")).isEqualTo("shutting_down");
    assertThat(Integer.parseInt(permit.header("retry-after"))).isBetween(2, 600);
    try (ByteSocket byteSocket = programProcess.connect()) {
      HttpMessage chat = byteSocket.post(CHAT, STREAM).answer();
      assertThat(chat.status()).isEqualTo(503);
      assertThat(chat.text()).startsWith("{\"error\":{").contains("\"shutting_down\"");
    }
    assertThat(programProcess.get("/nowhere").status()).isEqualTo(404);
  }

  @Test
  void terminated_servesThoseWhoWait_refusesNewOnes_andExits0() throws IOException {
    try (ProgramProcess programProcess = start();
        ByteSocket running =
            programProcess.connect(); // it keeps the program running until all requests are sent
        ByteSocket waiting = parked(programProcess, "/slot")) {
      assertThat(running.post(CHAT, STREAM).head().status()).isEqualTo(200);
      programProcess.terminate();
      refusesNewOnes(programProcess);
      finish.countDown();
      HttpMessage answer = waiting.answer();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).startsWith("{\"ok\":true");
      programProcess.endsWell();
    }
  }

  @Test
  void terminated_closesConnectionsThatRest_andThoseItAnswers() throws IOException {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").awaitEnd();
        });
    try (ProgramProcess programProcess = start();
        ByteSocket resting = programProcess.connect();
        ByteSocket unused = programProcess.connect();
        ByteSocket waiting = parked(programProcess, "/slot")) {
      HttpMessage kept = resting.post(CHAT, STREAM).answer();
      assertThat(kept.text()).isEqualTo("{}");
      assertThat(kept.header("connection")).isNull();
      programProcess.terminate();
      resting.awaitEnd();
      HttpMessage refused = unused.send("GET /slot HTTP/1.1\r\nHost: x\r\n\r\n").answer();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.all("connection")).containsExactly("close");
      unused.awaitEnd();
      HttpMessage served = waiting.answer();
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.all("connection")).containsExactly("close");
      programProcess.endsWell();
    }
  }

  @Test
  void terminated_servesNewOnesDuringAPause_andHasThemComeBackElsewhere() throws Exception {
    try (ProgramProcess programProcess =
            start("--penstock.drain-pause=15s", "--penstock.drain-timeout=30s");
        ByteSocket resting = programProcess.connect();
        ByteSocket idle = programProcess.connect();
        ByteSocket running = programProcess.connect()) {
      assertThat(running.post(CHAT, STREAM).head().status()).isEqualTo(200);
      for (ByteSocket byteSocket : List.of(resting, idle)) {
        assertThat(byteSocket.send(NOWHERE).answer().all("connection")).isEmpty();
      }
      programProcess.terminate();
      RunningGateway.awaiting().until(() -> programProcess.readiness() == 503);
      HttpMessage served = resting.send("GET /slot HTTP/1.1\r\nHost: x\r\n\r\n").answer();
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.all("connection")).containsExactly("close");
      resting.awaitEnd();
      idle.awaitEnd(); // once the pause is over
      refusesNewOnes(programProcess);
      assertThat(running.chunk()).isEqualTo("data: {}\n\n");
      finish.countDown();
      assertThat(running.chunk()).isEqualTo("data: [DONE]\n\n");
      programProcess.endsWell();
    }
  }

  @Test
  void answerThatBeganBeforeThePauseAndEndsInIt_leavesItsConnectionForOneMore() throws Exception {
    try (ProgramProcess programProcess =
            start("--penstock.drain-pause=15s", "--penstock.drain-timeout=30s");
        ByteSocket running = programProcess.connect()) {
      assertThat(running.post(CHAT, STREAM).head().status()).isEqualTo(200);
      programProcess.terminate();
      RunningGateway.awaiting().until(() -> programProcess.readiness() == 503);
      assertThat(running.chunk()).isEqualTo("data: {}\n\n");
      finish.countDown();
      assertThat(running.chunk()).isEqualTo("data: [DONE]\n\n");
      assertThat(running.chunk()).as("its end").isEmpty();
      // its client was not told to send no more on it
      HttpMessage served = running.send("GET /slot HTTP/1.1\r\nHost: x\r\n\r\n").answer();
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.all("connection")).containsExactly("close");
      running.awaitEnd();
      programProcess.endsWell();
    }
  }

  @Test
  void terminated_tellsHttp2ConnectionsToGo_andServesWhoWaitsOnThem() throws IOException {
    try (ProgramProcess programProcess = start("--server.http2.enabled=true");
        ByteSocket waiting = parked(programProcess, "/slot");
        Http2Wire asks = new Http2Wire(programProcess.port())) {
      asks.get(1, "/slot");
      RunningGateway.awaiting()
          .until(
              () ->
                  programProcess
                      .operator("/endpoints?path=/slot")
                      .text()
                      .contains("\"queue_depth\":2"));
      programProcess.terminate();
      assertThat(asks.next(Http2Wire.GOAWAY).lastStream()).isEqualTo(1);
      assertThat(waiting.answer().status())
          .isEqualTo(200); // the GOAWAY came before any request had left
      Http2Wire.Frame answer = asks.next(Http2Wire.DATA);
      assertThat(answer.stream()).isEqualTo(1);
      assertThat(answer.text()).startsWith("{\"ok\":true");
      programProcess.endsWell();
    }
  }

  @Test
  void interrupted_refusesWhoWaitsTooLong_letsAnswersFinish_andMindsNoSecondSignal()
      throws Exception {
    try (ProgramProcess programProcess =
            start(
                "--penstock.drain-timeout=2s",
                "--penstock.stream-drain-timeout=600s",
                "--penstock.coordination.enabled=true");
        ByteSocket running = programProcess.connect();
        ByteSocket atBarrier = atBarrier(programProcess);
        ByteSocket waiting = parked(programProcess, "/stuck")) {
      assumeThat(programProcess.ignoresInterrupts()).as("started with SIGINT ignored").isFalse();
      running.post(CHAT, STREAM);
      assertThat(running.head().status()).isEqualTo(200);
      assertThat(running.chunk()).isEqualTo("data: {}\n\n");
      programProcess.interrupt();
      HttpMessage refused = waiting.answer();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("x-penstock-reason")).isEqualTo("shutting_down");
      assertThat(Integer.parseInt(refused.header("retry-after"))).isBetween(2, 600);
      HttpMessage dismissed = atBarrier.answer();
      assertThat(dismissed.status()).isEqualTo(503);
      assertThat(dismissed.header("x-penstock-reason")).isEqualTo("shutting_down");
      assertThat(dismissed.header("retry-after")).isEqualTo("1");
      programProcess.interrupt();
      programProcess.terminate();
      refusesNewOnes(programProcess);
      assertThat(programProcess.get("/v1/counter/c/value").status()).isEqualTo(503);
      finish.countDown();
      assertThat(running.chunk()).isEqualTo("data: [DONE]\n\n");
      assertThat(running.chunk()).isEmpty();
      programProcess.endsWell();
    }
  }

  /** Returns the time after which somebody refused by an instance that stops may come back. */
  private static int comeBackAfter(ProgramProcess stopping) {
    RunningGateway.awaiting().until(() -> stopping.readiness() == 503);
    return Integer.parseInt(stopping.get("/slot").header("retry-after"));
  }

  @Test
  void lastInstance_tellsHowLongAStartTakes_andOneBesideOthersASecond() throws IOException {
    try (RedisServer redis = RedisServer.started();
        ProgramProcess first =
            start(
                "--penstock.redis.url=" + redis.url(),
                "--penstock.drain-timeout=0s",
                "--penstock.stream-drain-timeout=5s");
        ProgramProcess last = start("--penstock.redis.url=" + redis.url());
        ByteSocket ofFirst = first.connect();
        ByteSocket ofLast = last.connect()) {
      for (ProgramProcess each : List.of(first, last)) {
        RunningGateway.awaiting().until(() -> says(each, "2 instances share"));
      }
      assertThat(ofFirst.post(CHAT, STREAM).head().status()).isEqualTo(200);
      first.terminate();
      assertThat(comeBackAfter(first)).isOne();
      assertThat(ofLast.post(CHAT, STREAM).head().status()).isEqualTo(200);
      RunningGateway.awaiting().until(() -> says(last, "no other instance shares"));
      last.terminate();
      assertThat(comeBackAfter(last)).isGreaterThan(1);
    }
  }

  private static boolean says(ProgramProcess process, String words) {
    return process.log().stream().anyMatch(line -> line.contains(words));
  }

  @Test
  void answerThatRunsTooLong_isBrokenOff() throws IOException {
    try (ProgramProcess programProcess =
            start("--penstock.drain-timeout=0s", "--penstock.stream-drain-timeout=1s");
        ByteSocket running = programProcess.connect()) {
      running.post(CHAT, STREAM);
      assertThat(running.head().status()).isEqualTo(200);
      programProcess.terminate();
      running.awaitEnd();
      programProcess.endsWell();
    }
  }

  @Test
  void upstreamThatNeverAnswers_holdsItNoLongerThanAllowed() throws Exception {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          finish.await(); // longer than the client waits
        });
    try (ProgramProcess programProcess =
            start("--penstock.drain-timeout=0s", "--penstock.stream-drain-timeout=1s");
        ByteSocket running = programProcess.connect()) {
      running.post(CHAT, STREAM);
      assertThat(upstream.received().text()).contains("\"stream\":true");
      programProcess.terminate();
      running.awaitEnd();
      programProcess.endsWell();
    }
  }

  @Test
  void redisThatHangs_holdsItNoLongerThanAllowed() throws IOException {
    try (RedisServer redis = RedisServer.started();
        ProgramProcess programProcess = start("--penstock.redis.url=" + redis.url())) {
      redis.pause();
      programProcess.terminate();
      programProcess.endsWell();
    }
  }
}
