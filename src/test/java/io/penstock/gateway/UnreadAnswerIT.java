package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import io.penstock.wire.ClientConnections;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;

/**
 * Tests that a client that does not read its answer keeps the place of its request no longer than
 * is configured, and that one that reads slowly keeps it.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class UnreadAnswerIT extends HostileCase {
  private static final long TIMEOUT_MILLIS = 3_000;
  private static final String PIECE = "x".repeat(1 << 16);

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", concurrency: 1}]
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {
      "--penstock.write-timeout=" + TIMEOUT_MILLIS + "ms", "--server.http2.enabled=true"
    };
  }

  private ClientConnections connections() {
    return gateway.bean(ClientConnections.class);
  }

  /** Sends an answer that never ends, as fast as it is taken, and counts its bytes. */
  private static RawUpstream.Script endless(AtomicLong sent) {
    return (server, byteSocket) -> {
      server.read(byteSocket);
      byteSocket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      while (sent.addAndGet(PIECE.length()) > 0) {
        byteSocket.chunk(PIECE);
      }
    };
  }

  private void assertOthersAreServed() throws InterruptedException {
    upstream.received();
    upstream.script(RawUpstream.answering(OK));
    assertThat(post(CHAT, ASK).status()).isEqualTo(200);
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void clientThatReadsNothing_losesItsPlaceToTheNext() throws InterruptedException {
    long before = connections().stalled();
    long cancelled = gateway.count("/openai", TicketFate.CANCELLED);
    upstream.script(endless(new AtomicLong()));
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(ByteSocket.request("POST", CHAT, ASK));
      assertOthersAreServed();
    }
    assertThat(connections().stalled()).isEqualTo(before + 1);
    gateway.await("/openai", TicketFate.CANCELLED, cancelled + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void clientThatReadsNothingOverHttp2_losesItsPlaceToTheNext() throws InterruptedException {
    long before = connections().stalled();
    upstream.script(endless(new AtomicLong()));
    BlockingQueue<Integer> begun = new LinkedBlockingQueue<>();
    CountDownLatch cut = new CountDownLatch(1);
    BaseSubscriber<Object> reader =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
            subscription.request(1); // and no more, so that the window of the stream is used up
          }

          @Override
          protected void hookOnError(Throwable error) {
            cut.countDown();
          }
        };
    HttpClient.newConnection()
        .protocol(HttpProtocol.H2C)
        .headers(headers -> headers.set("Content-Type", "application/json"))
        .post()
        .uri("http://127.0.0.1:" + gateway.port() + CHAT)
        .send(ByteBufFlux.fromString(Mono.just(ASK)))
        .responseConnection(
            (answer, connection) -> {
              begun.add(answer.status().code());
              return connection.inbound().receive();
            })
        .subscribe(reader);
    assertThat(PatientWaits.take(begun)).isEqualTo(200);
    assertOthersAreServed();
    assertThat(connections().stalled()).isEqualTo(before + 1);
    reader.request(Long.MAX_VALUE);
    PatientWaits.await(cut);
  }

  /** Takes a few bytes at a time of an answer that is always ahead of it. */
  @Test
  void clientThatReadsSlowly_keepsItsPlace() throws InterruptedException {
    long before = connections().stalled();
    AtomicLong sent = new AtomicLong();
    upstream.script(endless(sent));
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(ByteSocket.request("POST", CHAT, ASK));
      upstream.received();
      AtomicInteger times = new AtomicInteger();
      RunningGateway.awaiting()
          .pollInterval(Duration.ofMillis(TIMEOUT_MILLIS / 6))
          .until(
              () -> {
                for (int taken = 0; taken < 1 << 20; ) {
                  taken += byteSocket.take(1 << 20);
                }
                return times.incrementAndGet() == 16;
              });
      assertThat(gateway.count("/openai", TicketFate.RUNNING)).isOne();
    }
    assertThat(connections().stalled()).isEqualTo(before);
  }

  @Test
  void streamThatPauses_isNotCut() throws InterruptedException {
    long before = connections().stalled();
    CountDownLatch goesOn = new CountDownLatch(1);
    upstream.script(
        (server, byteSocket) -> {
          server.read(byteSocket);
          byteSocket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          byteSocket.chunk("before");
          goesOn.await();
          byteSocket.chunk("after").send("0\r\n\r\n");
        });
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(ByteSocket.request("POST", CHAT, ASK));
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(byteSocket.chunk()).isEqualTo("before");
      RunningGateway.awaiting()
          .during(Duration.ofMillis(2 * TIMEOUT_MILLIS))
          .until(() -> gateway.count("/openai", TicketFate.RUNNING) == 1);
      goesOn.countDown();
      assertThat(byteSocket.chunk()).isEqualTo("after");
    }
    assertThat(connections().stalled()).isEqualTo(before);
    upstream.received();
  }

  @Test
  void clientThatIsGone_isNoStalledOne() throws InterruptedException {
    long before = connections().stalled();
    upstream.script(endless(new AtomicLong()));
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(ByteSocket.request("POST", CHAT, ASK));
      upstream.received();
      byteSocket.reset();
    } catch (UncheckedIOException gone) {
      assertThat(gone).hasMessageContaining("reset");
    }
    gateway.await("/openai", TicketFate.RUNNING, 0);
    assertThat(connections().stalled()).isEqualTo(before);
  }
}
