package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.suite.Hostile;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests that a client that sends too slowly does not occupy what others need for longer than is
 * configured.
 */
@Hostile(Hostile.By.CLIENT)
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class SlowClientIT extends HostileCase {
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
    return new String[] {"--penstock.body-timeout=1s", "--server.netty.idle-timeout=4s"};
  }

  @Test
  void headersThatStop_endTheConnection() {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("GET " + FILES + " HTTP/1.1\r\nHost: a\r\nx-slow: ");
      byteSocket.awaitEnd();
    }
  }

  @Test
  void bodyThatStops_isRefused() {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + ASK);
      HttpMessage answer = byteSocket.answer();
      refused(answer, 408, "body_timeout");
      assertThat(answer.header("connection")).isEqualTo("close");
    }
  }

  /** Sends almost all of a body at once, and then a byte from time to time. */
  @Test
  void bodyThatTrickles_isRefused_andGivesItsMemoryBack() {
    BodyBudget bodies = gateway.bean(BodyBudget.class);
    long before = gateway.count("/openai", TicketFate.REFUSED);
    long late = bodies.late();
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
      byteSocket.send(ASK.replace(PROMPT, "x".repeat(900_000)));
      RunningGateway.awaiting().until(() -> bodies.heldBytes() == 1_000_000);
      RunningGateway.awaiting()
          .until(
              () -> {
                byteSocket.send(" ");
                return gateway.count("/openai", TicketFate.REFUSED) == before + 1;
              });
      HttpMessage answer = byteSocket.answer();
      refused(answer, 408, "body_timeout");
      assertThat(answer.header("connection")).isEqualTo("close");
      RunningGateway.awaiting().until(() -> bodies.heldBytes() == 0);
      assertThat(bodies.late()).isEqualTo(late + 1);
      byteSocket.awaitEnd();
    }
  }

  @Test
  void uploadThatStops_isRefused_andLeavesItsPlaceToOthers() throws InterruptedException {
    CompletableFuture<Void> broken = new CompletableFuture<>();
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          try {
            byteSocket.awaitEnd();
          } catch (UncheckedIOException reset) {
            broken.complete(null);
          }
          broken.complete(null);
        });
    long before = gateway.count(FILES, TicketFate.REFUSED);
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("POST " + FILES + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\nhalf");
      HttpMessage answer = byteSocket.answer();
      refused(answer, 408, "body_timeout");
    }
    PatientWaits.join(broken);
    gateway.await(FILES, TicketFate.REFUSED, before + 1);
    assertThat(gateway.count(FILES, TicketFate.RUNNING)).isZero();
  }

  @Test
  void uploadThatTrickles_isRefused() throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          try {
            byteSocket.awaitEnd();
          } catch (UncheckedIOException reset) {
            byteSocket.close();
          }
        });
    long before = gateway.count(FILES, TicketFate.REFUSED);
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("POST " + FILES + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
      byteSocket.send("x".repeat(10_000));
      RunningGateway.awaiting()
          .until(
              () -> {
                byteSocket.send(" ");
                return gateway.count(FILES, TicketFate.REFUSED) == before + 1;
              });
      refused(byteSocket.answer(), 408, "body_timeout");
    }
  }
}
