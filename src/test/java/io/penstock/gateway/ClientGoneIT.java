package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.quota.Quota;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that everything that was taken for a client is returned when it goes away, at whatever
 * stage.
 */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class ClientGoneIT extends HostileCase {
  private static final String WAITING = "/waiting/v1/chat/completions";
  private static final String STREAM_ASK = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

  enum Leaving {
    CLOSE {
      @Override
      void leave(ByteSocket byteSocket) {
        byteSocket.close();
      }
    },
    RESET {
      @Override
      void leave(ByteSocket byteSocket) {
        byteSocket.reset();
      }
    },
    HALF_CLOSE {
      @Override
      void leave(ByteSocket byteSocket) {
        byteSocket.halfClose();
      }
    };

    abstract void leave(ByteSocket byteSocket);
  }

  @Override
  String routes() {
    return """
    defaults: {dialect: openai}
    endpoints:
      - path: /openai
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}", otpm: 1000000}]
      - path: /waiting
        max_queue_size: 5000
        algorithm: strict
        rate: 0.0005
        upstreams: [{id: w, url: "%1$s", api_key: "${SECRET}", otpm: 1000000}]
      - path: /permit
        algorithm: strict
        rate: 0.0005
    """;
  }

  /** Takes the only slot, so that the next request waits. */
  private void fill(String endpoint, String target) throws InterruptedException {
    if (gateway.count(endpoint, TicketFate.SERVED) == 0) {
      assertThat(post(target, ASK).status()).isEqualTo(200);
      upstream.drain();
    }
  }

  @ParameterizedTest
  @EnumSource
  void goneWhileWaiting_givesTheTicketBack(Leaving leaving) throws InterruptedException {
    fill("/waiting", WAITING);
    long before = gateway.count("/waiting", TicketFate.CANCELLED);
    ByteSocket byteSocket = connect().post(WAITING, ASK);
    gateway.await("/waiting", TicketFate.WAITING, 1);
    assertThat(gateway.bean(BodyBudget.class).heldBytes()).isEqualTo(ASK.length());
    leaving.leave(byteSocket);
    gateway.await("/waiting", TicketFate.CANCELLED, before + 1);
    gateway.await("/waiting", TicketFate.WAITING, 0);
    byteSocket.close();
  }

  @ParameterizedTest
  @EnumSource
  void goneWhileItsBodyIsNotRead_givesTheTicketBack(Leaving leaving) throws InterruptedException {
    fill("/permit", "/permit");
    long before = gateway.count("/permit", TicketFate.CANCELLED);
    ByteSocket byteSocket = connect().post("/permit", "x".repeat(200_000));
    gateway.await("/permit", TicketFate.WAITING, 1);
    leaving.leave(byteSocket);
    gateway.await("/permit", TicketFate.CANCELLED, before + 1);
    byteSocket.close();
  }

  @ParameterizedTest
  @EnumSource
  void goneWhileItsUploadIsNotRead_givesTheTicketBack(Leaving leaving) throws InterruptedException {
    fill("/waiting", WAITING);
    long before = gateway.count("/waiting", TicketFate.CANCELLED);
    ByteSocket byteSocket = connect().post("/waiting/v1/files", "x".repeat(20_000));
    gateway.await("/waiting", TicketFate.WAITING, 1);
    leaving.leave(byteSocket);
    gateway.await("/waiting", TicketFate.CANCELLED, before + 1);
    byteSocket.close();
  }

  @ParameterizedTest
  @EnumSource
  void goneBeforeTheAnswer_cancelsTheUpstream(Leaving leaving) throws InterruptedException {
    long before = gateway.count(CHAT, TicketFate.CANCELLED);
    CountDownLatch cancelled = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.awaitEnd();
          cancelled.countDown();
        });
    ByteSocket byteSocket = connect().post(CHAT, ASK);
    upstream.received();
    leaving.leave(byteSocket);
    PatientWaits.await(cancelled);
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
    byteSocket.close();
  }

  @ParameterizedTest
  @EnumSource
  void goneWithinTheAnswer_cancelsTheUpstream(Leaving leaving) throws InterruptedException {
    long before = gateway.count(CHAT, TicketFate.CANCELLED);
    CountDownLatch cancelled = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD).chunk("data: {}\n\n");
          byteSocket.awaitEnd();
          cancelled.countDown();
        });
    ByteSocket byteSocket = connect().post(CHAT, ASK);
    assertThat(byteSocket.head().status()).isEqualTo(200);
    assertThat(byteSocket.chunk()).isEqualTo("data: {}\n\n");
    leaving.leave(byteSocket);
    PatientWaits.await(cancelled);
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
    upstream.received();
    byteSocket.close();
  }

  /** Sends an answer that goes no further than that event, and leaves; returns what it cost. */
  private long goneAfter(String event) throws InterruptedException {
    long before = gateway.count(CHAT, TicketFate.CANCELLED);
    long charged = charged();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD).chunk(event);
          byteSocket.awaitEnd();
        });
    try (ByteSocket byteSocket = connect().post(CHAT, STREAM_ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(byteSocket.chunk()).isEqualTo(event);
    }
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
    upstream.received();
    return charged() - charged;
  }

  private long charged() {
    long now = gateway.bean(Ticker.class).nanos();
    Quota pool =
        Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find("o")).pool("m", now);
    return pool.limits().getFirst().limit().balance(now).charged();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void goneAfterTheOutput_paysWhatWasExpected_andBeforeItsEndWhatPassed()
      throws InterruptedException {
    String choice =
        "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":%s}]}\n\n";
    assertThat(goneAfter(choice.formatted("null"))).isEqualTo(1);
    assertThat(goneAfter(choice.formatted("\"stop\"")))
        .as("the stated maximum, of which reasoning may have used the rest")
        .isEqualTo(5);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void goneWhileItDoesNotReadItsAnswer_cancelsTheUpstream() throws InterruptedException {
    long before = gateway.count(CHAT, TicketFate.CANCELLED);
    CountDownLatch cancelled = new CountDownLatch(1);
    CountDownLatch full = new CountDownLatch(1);
    String piece = "data: {}\n\n".repeat(10_000);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD);
          try {
            for (int i = 0; i < 500; i++) {
              byteSocket.chunk(piece);
              if (i == 10) {
                full.countDown();
              }
            }
          } catch (java.io.UncheckedIOException broken) {
            cancelled.countDown();
          }
        });
    ByteSocket byteSocket = ByteSocket.to(gateway.port(), 4096).post(CHAT, ASK);
    full.await();
    byteSocket.reset();
    PatientWaits.await(cancelled);
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void manyGoneAtOnce_giveEverythingBack() throws InterruptedException {
    fill("/waiting", WAITING);
    int many = 2_000;
    long before = gateway.count("/waiting", TicketFate.CANCELLED);
    List<ByteSocket> wires = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      wires.add(connect().post(WAITING, ASK));
    }
    gateway.await("/waiting", TicketFate.WAITING, many);
    assertThat(gateway.bean(BodyBudget.class).heldBytes()).isEqualTo((long) many * ASK.length());
    for (int i = 0; i < many; i++) {
      Leaving.values()[i % 3].leave(wires.get(i));
    }
    gateway.await("/waiting", TicketFate.CANCELLED, before + many);
    wires.forEach(ByteSocket::close);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void goneAtTheMomentOfItsGrant_leavesNothing() throws InterruptedException {
    String routes =
        """
        endpoints:
          - path: /race
            algorithm: strict
            rate: 500
            dialect: openai
            upstreams: [{id: r, url: "%s", otpm: 1000000}]
        """
            .formatted(upstream.url());
    try (RunningGateway racing = RunningGateway.start(routes)) {
      List<ByteSocket> wires = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        wires.add(ByteSocket.to(racing.port()).post("/race/v1/chat/completions", ASK));
      }
      for (int i = 0; i < 300; i++) {
        Leaving.values()[i % 2].leave(wires.get(299 - i));
      }
      racing.await("/race", TicketFate.OFFERED, 300);
      racing.awaitBalance();
      RunningGateway.awaiting().until(() -> racing.bean(BodyBudget.class).heldBytes() == 0);
    }
    upstream.drain();
  }
}
