package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.Totals.Fate;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.Wire;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bodies beyond what may be in memory are not read on, and are when there is room. */
@SuppressWarnings("StringConcatToTextBlock")
class BufferedBytesIT extends HostileCase {
  private static final String WAITING = "/waiting/v1/chat/completions";
  private static final int MOST = 3_000_000;
  private static final int BODY = 2_500_000;

  /** What the network layer may hand over beyond: a few reads a connection. */
  private static final int SLACK = 1_000_000;

  @Override
  String routes() {
    return """
    endpoints:
      - path: /waiting
        dialect: openai
        algorithm: strict
        rate: 0.0005
        upstreams: [{id: w, url: "%1$s"}]
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {"--penstock.max-buffered-bytes=" + MOST};
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

  private void send(Wire wire, String text) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                wire.send(text);
              } catch (java.io.UncheckedIOException left) {
                wire.close();
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
    long before = gateway.count(WAITING, Fate.OFFERED);
    Wire first = connect();
    send(first, Wire.request("POST", WAITING, body()));
    gateway.await(WAITING, Fate.WAITING, 1);
    Wire second = connect();
    Wire third = connect();
    send(second, Wire.request("POST", WAITING, body()));
    RunningGateway.awaiting().until(() -> bodies().heldBytes() >= MOST);
    send(third, Wire.request("POST", WAITING, body()));
    RunningGateway.awaiting()
        .during(Duration.ofMillis(200))
        .until(() -> gateway.count(WAITING, Fate.OFFERED) == before + 1);
    assertThat(bodies().heldBytes()).isLessThan(MOST + SLACK);
    first.reset();
    // the one that was there first is read to its end, and takes the room the other would need
    RunningGateway.awaiting().until(() -> gateway.count(WAITING, Fate.OFFERED) >= before + 2);
    assertThat(bodies().heldBytes()).isLessThan(MOST + BODY + SLACK);
    second.reset();
    third.reset();
    gateway.await(WAITING, Fate.WAITING, 0);
    RunningGateway.awaiting().until(() -> bodies().heldBytes() == 0);
  }

  @Test
  void halfReadBodiesThatHoldAllRoom_doNotWaitForEachOther() {
    String request = Wire.request("POST", WAITING, body());
    Wire first = connect();
    Wire second = connect();
    int half = 1_800_000;
    first.send(request.substring(0, half));
    RunningGateway.awaiting().until(() -> bodies().heldBytes() > half - 1_000);
    send(second, request);
    RunningGateway.awaiting().until(() -> bodies().heldBytes() >= MOST);
    send(first, request.substring(half));
    gateway.await(WAITING, Fate.WAITING, 1);
    first.reset();
    RunningGateway.awaiting().until(() -> bodies().heldBytes() == BODY);
    gateway.await(WAITING, Fate.WAITING, 1);
    second.reset();
    gateway.await(WAITING, Fate.WAITING, 0);
  }

  @Test
  void clientThatLeavesWhileItsBodyIsHeldUp_isNoticed() {
    Wire first = connect();
    send(first, Wire.request("POST", WAITING, body()));
    gateway.await(WAITING, Fate.WAITING, 1);
    long cancelled = gateway.count(WAITING, Fate.CANCELLED);
    Wire second = connect();
    send(second, Wire.request("POST", WAITING, body()));
    RunningGateway.awaiting().until(() -> bodies().heldBytes() >= MOST);
    second.reset();
    gateway.await(WAITING, Fate.CANCELLED, cancelled + 1);
    RunningGateway.awaiting().until(() -> bodies().heldBytes() == BODY);
    first.reset();
    gateway.await(WAITING, Fate.WAITING, 0);
  }
}
