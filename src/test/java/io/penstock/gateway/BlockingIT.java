package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.ConfigurationReloader;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.blockhound.BlockHound;

/** Tests that no thread that serves many requests ever blocks. */
@Tag(TaggedTests.BLOCK_HOUND)
class BlockingIT {
  private static final Queue<Throwable> BLOCKED = new ConcurrentLinkedQueue<>();
  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final String STREAM = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");

  private RawUpstream upstream;
  private RunningGateway gateway;

  @BeforeAll
  static void install() {
    BlockHound.install(
        builder ->
            builder.blockingMethodCallback(
                method -> BLOCKED.add(new IllegalStateException("blocked: " + method))));
  }

  @BeforeEach
  void start() {
    upstream = RawUpstream.start((self, byteSocket) -> byteSocket.awaitEnd());
    gateway =
        RunningGateway.start(
            """
            endpoints:
              - path: /openai
                dialect: openai
                upstreams: [{id: o, url: "mock://openai?tokens=20&tps=400", tpm_limit: 1000000}]
              - path: /anthropic
                dialect: anthropic
                upstreams: [{id: a, url: "mock://anthropic?tokens=20"}]
              - path: /paced
                dialect: openai
                algorithm: strict
                rate: 20
                queue_timeout: 300
                upstreams: [{id: p, url: "mock://openai?tokens=5"}]
              - path: /window
                algorithm: token_window
                tokens_per_window: 10
                window_seconds: 1
              - path: /tiny
                dialect: openai
                algorithm: strict
                rate: 0.001
                max_queue_size: 1
                upstreams: [{id: y, url: "mock://openai"}]
              - path: /silent
                dialect: openai
                upstreams: [{id: s, url: "%s", first_byte_timeout: 0.1}]
            """
                .formatted(upstream.url()),
            PassingJudge.ARGUMENT);
    BLOCKED.clear();
  }

  @AfterEach
  void stop() {
    gateway.close();
    upstream.close();
  }

  private HttpMessage ask(String path, String body) {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.port())) {
      return byteSocket.post(path, body).answer();
    }
  }

  @Test
  void trafficOfAllKinds_blocksNoEventLoop() {
    for (int round = 0; round < 3; round++) {
      assertThat(ask("/openai/v1/chat/completions", ASK).status()).isEqualTo(200);
      assertThat(ask("/openai/v1/chat/completions", STREAM).text()).contains("[DONE]");
      assertThat(ask("/anthropic/v1/messages", ASK).status()).isEqualTo(200);
      assertThat(ask("/anthropic/v1/messages", STREAM).text()).contains("message_stop");
      assertThat(ask("/openai/v1/chat/completions", "{").status()).isEqualTo(400);
      assertThat(ask("/window?tokens=x", "").status()).isEqualTo(400);
      assertThat(ask("/nowhere", ASK).status()).isEqualTo(404);
      assertThat(ask("/silent/v1/chat/completions", ASK).status()).isEqualTo(504);
      assertThat(ask("/openai/v1/chat|completions", ASK).status()).isEqualTo(400);
      parked();
      refusedAndCancelled();
      reloaded();
    }
    gateway.awaitBalance();
    assertThat(BLOCKED).isEmpty();
  }

  private void parked() {
    List<ByteSocket> wires = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      wires.add(ByteSocket.to(gateway.port()).post("/paced/v1/chat/completions", ASK));
      wires.add(ByteSocket.to(gateway.port()).post("/window?tokens=6", ""));
    }
    for (int i = 0; i < 4; i++) {
      assertThat(wires.get(i).answer().status()).isEqualTo(200);
    }
    wires.forEach(ByteSocket::close);
  }

  private void refusedAndCancelled() {
    List<ByteSocket> wires = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      wires.add(ByteSocket.to(gateway.port()).post("/tiny/v1/chat/completions", ASK));
    }
    RunningGateway.awaiting().until(() -> gateway.count("/tiny", TicketFate.REFUSED) >= 3);
    wires.forEach(ByteSocket::reset);
    RunningGateway.awaiting().until(() -> gateway.count("/tiny", TicketFate.WAITING) == 0);
  }

  private void reloaded() {
    assertThat(gateway.bean(ConfigurationReloader.class).reload())
        .isInstanceOf(ConfigurationReloader.Result.Applied.class);
  }

  @Test
  void callThatBlocksAnEventLoop_isNoticed() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    gateway
        .bean(ReactorResourceFactory.class)
        .getLoopResources()
        .onServer(true)
        .next()
        .execute(
            () -> {
              LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
              done.countDown();
            });
    done.await();
    assertThat(BLOCKED).anyMatch(found -> String.valueOf(found.getMessage()).contains("park"));
  }
}
