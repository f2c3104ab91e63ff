package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.suite.Hostile;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that bodies beyond the budget are not read, and are read on when there is room. */
@SuppressWarnings("StringConcatToTextBlock")
class BufferedBytesIT extends HostileCase {
  private static final String WAITING = "/waiting/v1/chat/completions";
  private static final int MOST = 3_000_000;
  private static final int BODY = 2_500_000;

  @Override
  String routes() {
    return """
    endpoints:
      - path: /waiting
        dialect: openai
        algorithm: strict
        rate: 0.0005
        upstreams: [{id: w, url: "%1$s"}]
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s"}]
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {"--penstock.max-buffered-bytes=" + MOST, "--penstock.body.tenant-share=1"};
  }

  @BeforeAll
  void takeTheSlot() throws InterruptedException {
    assertThat(post(WAITING, ASK).status()).isEqualTo(200);
    upstream.received();
  }

  private static String body() {
    return ASK.replace(PROMPT, "x".repeat(BODY - ASK.length() + PROMPT.length()));
  }

  private BodyBudget bodies() {
    return gateway.bean(BodyBudget.class);
  }

  private void send(ByteSocket byteSocket, String text) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                byteSocket.send(text);
              } catch (java.io.UncheckedIOException left) {
                byteSocket.close();
              }
            });
  }

  @Test
  void budget_isTheConfiguredOneElseAQuarterOfTheHeap() {
    assertThat(bodies().mostBytes()).isEqualTo(MOST);
    try (RunningGateway other = RunningGateway.start("endpoints: [{path: /a}]")) {
      assertThat(other.bean(BodyBudget.class).mostBytes())
          .isEqualTo(Runtime.getRuntime().maxMemory() / 4);
    }
  }

  @Test
  void bodyThatFindsNoRoom_isReadWhenThereIs() {
    long before = gateway.count(WAITING, TicketFate.OFFERED);
    ByteSocket first = connect();
    send(first, ByteSocket.request("POST", WAITING, body()));
    gateway.await(WAITING, TicketFate.WAITING, 1);
    ByteSocket second = connect();
    ByteSocket third = connect();
    send(second, ByteSocket.request("POST", WAITING, body()));
    RunningGateway.awaiting().until(() -> bodies().waiting() == 1);
    send(third, ByteSocket.request("POST", WAITING, body()));
    RunningGateway.awaiting().until(() -> bodies().waiting() == 2);
    assertThat(bodies().waitingBytes()).isEqualTo(2L * BODY);
    RunningGateway.awaiting()
        .during(Duration.ofMillis(200))
        .until(() -> gateway.count(WAITING, TicketFate.OFFERED) == before + 1);
    assertThat(bodies().heldBytes()).isEqualTo(BODY);
    first.reset();
    // the body that came first is read, and takes the room that the other would need
    RunningGateway.awaiting().until(() -> gateway.count(WAITING, TicketFate.OFFERED) >= before + 2);
    assertThat(bodies().heldBytes()).isEqualTo(BODY);
    second.reset();
    third.reset();
    gateway.await(WAITING, TicketFate.WAITING, 0);
    RunningGateway.awaiting().until(() -> bodies().heldBytes() == 0);
  }

  @Test
  void halfReadBody_hasRoomForTheRest_andTheNextWaits() {
    String request = ByteSocket.request("POST", WAITING, body());
    ByteSocket first = connect();
    ByteSocket second = connect();
    int half = 1_800_000;
    first.send(request.substring(0, half));
    RunningGateway.awaiting().until(() -> bodies().heldBytes() == BODY);
    send(second, request);
    RunningGateway.awaiting().until(() -> bodies().waiting() == 1);
    send(first, request.substring(half));
    gateway.await(WAITING, TicketFate.WAITING, 1);
    first.reset();
    RunningGateway.awaiting().until(() -> bodies().waiting() == 0);
    gateway.await(WAITING, TicketFate.WAITING, 1);
    second.reset();
    gateway.await(WAITING, TicketFate.WAITING, 0);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void halfReadBodiesOfUnstatedLength_doNotWaitForEachOther() throws InterruptedException {
    List<ByteSocket> wires = List.of(connect(), connect(), connect());
    String part = body().substring(0, BODY / 2);
    for (ByteSocket byteSocket : wires) {
      send(
          byteSocket,
          "POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n"
              .formatted(CHAT, part.length(), part));
    }
    RunningGateway.awaiting().until(() -> bodies().waiting() == 2);
    String rest = body().substring(BODY / 2);
    for (ByteSocket byteSocket : wires) {
      send(byteSocket, "%x\r\n%s\r\n0\r\n\r\n".formatted(rest.length(), rest));
    }
    for (ByteSocket byteSocket : wires) {
      assertThat(byteSocket.answer().status()).isEqualTo(200);
      assertThat(upstream.received().body()).hasSize(BODY);
      byteSocket.close();
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void clientThatLeavesWhileItsBodyIsHeldUp_isNoticed() {
    ByteSocket first = connect();
    send(first, ByteSocket.request("POST", WAITING, body()));
    gateway.await(WAITING, TicketFate.WAITING, 1);
    long cancelled = gateway.count(WAITING, TicketFate.CANCELLED);
    ByteSocket second = connect();
    send(second, ByteSocket.request("POST", WAITING, body()));
    RunningGateway.awaiting().until(() -> bodies().waiting() == 1);
    second.reset();
    gateway.await(WAITING, TicketFate.CANCELLED, cancelled + 1);
    RunningGateway.awaiting().until(() -> bodies().waiting() == 0);
    assertThat(bodies().heldBytes()).isEqualTo(BODY);
    first.reset();
    gateway.await(WAITING, TicketFate.WAITING, 0);
  }
}
