package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.PooledByteBufAllocator;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.gateway.body.BodyBudget;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that uploads are passed on as they come, and only up to their bound. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class UploadIT extends HostileCase {
  private static final int MOST = 512 << 20;
  private static final int PIECE = 1 << 20;
  private static final int MANY = 64 * PIECE;

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s"}]
      - path: /small
        dialect: openai
        max_upload_bytes: 100000
        upstreams: [{id: s, url: "%1$s"}]
      - path: /permit
        algorithm: none
    """;
  }

  private static String head(String target, String framing) {
    return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" + framing + "\r\n\r\n";
  }

  @Test
  void statedTooLarge_isRefusedBeforeItIsSent() {
    int before = upstream.connections();
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(head("/small/v1/files", "Content-Length: 100001"));
      refused(byteSocket.answer(), 413, "body_too_large");
    }
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(head(FILES, "Content-Length: " + (MOST + 1L)));
      refused(byteSocket.answer(), 413, "body_too_large");
    }
    assertThat(upstream.connections()).isEqualTo(before);
  }

  /**
   * Sends more than systems buffer for a server that does not read: the gateway has to read it, or
   * the client never gets the refusal.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoSendsAllAndThenReads_hearsWhy(boolean operator) {
    String close = "Connection: close\r\nContent-Length: " + MANY;
    try (ByteSocket byteSocket = operator ? ByteSocket.to(gateway.operatorPort()) : connect()) {
      byteSocket.send(head(operator ? "/quotas/decide?model=m" : "/small/v1/files", close));
      for (int i = 0; i < MANY / PIECE; i++) {
        byteSocket.send(new byte[PIECE]);
      }
      assertThat(byteSocket.answer().status()).isEqualTo(413);
      byteSocket.awaitEnd();
    }
  }

  @Test
  void asLargeAsMayBe_passes() throws InterruptedException {
    assertThat(post("/small/v1/files", "x".repeat(100_000)).status()).isEqualTo(200);
    assertThat(upstream.received().body()).hasSize(100_000);
    assertThat(post("/permit", "x".repeat(200_000)).status()).isEqualTo(200);
  }

  @Test
  void turnsOutTooLarge_isRefusedAndBrokenOffUpstream() throws InterruptedException {
    long before = gateway.count("/small", TicketFate.REFUSED);
    CountDownLatch broken = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          assertThatThrownBy(
                  () -> {
                    String chunk = byteSocket.chunk();
                    while (!chunk.isEmpty()) {
                      chunk = byteSocket.chunk();
                    }
                  })
              .isInstanceOf(UncheckedIOException.class);
          broken.countDown();
        });
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(head("/small/v1/files", "Transfer-Encoding: chunked"));
      byteSocket.chunk("x".repeat(60_000)).chunk("x".repeat(60_000));
      refused(byteSocket.answer(), 413, "body_too_large");
    }
    broken.await();
    gateway.await("/small", TicketFate.REFUSED, before + 1);
  }

  @Test
  void turnsOutTooLargeAfterTheAnswerBegan_breaksOff() throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          byteSocket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").chunk("early");
          byteSocket.awaitEnd();
        });
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(head("/small/v1/files", "Transfer-Encoding: chunked"));
      byteSocket.chunk("x".repeat(60_000));
      HttpMessage answer = byteSocket.head();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(byteSocket.chunk()).isEqualTo("early");
      byteSocket.chunk("x".repeat(60_000));
      assertThatThrownBy(byteSocket::chunk).isInstanceOf(UncheckedIOException.class);
    }
  }

  @Test
  void largeUploadToASlowReader_isNotGathered() throws InterruptedException {
    int pieces = 200;
    CountDownLatch slow = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          HttpMessage head = byteSocket.head();
          assertThat(head.header("content-length")).isEqualTo("" + pieces * (long) PIECE);
          slow.await();
          long left = pieces * (long) PIECE;
          while (left > 0) {
            left -= byteSocket.take(PIECE);
          }
          byteSocket.send(OK);
        });
    long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    byte[] piece = new byte[PIECE];
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(head(FILES, "Content-Length: " + pieces * (long) PIECE));
      Thread sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int i = 0; i < pieces; i++) {
                      byteSocket.send(piece);
                    }
                  });
      gateway.await("/openai", TicketFate.RUNNING, 1);
      slow.countDown();
      sender.join();
      assertThat(byteSocket.answer().status()).isEqualTo(200);
    }
    long after = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    assertThat(after - before).isLessThan(48L << 20);
    assertThat(gateway.bean(BodyBudget.class).heldBytes()).isZero();
  }
}
