package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.Totals.Fate;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many that are let go at one instant all reach an upstream that they find without connections. */
class BurstIT extends HostileCase {
  private static final int MANY = 2_000;

  @Override
  String routes() {
    return """
    endpoints:
      - path: /burst
        dialect: openai
        max_queue_size: 5000
        algorithm: token_window
        window_seconds: 8
        tokens_per_window: 1000000
        upstreams: [{id: b, url: "%1$s", connect_timeout: 5}]
    """;
  }

  @Test
  @Timeout(180)
  void manyAtOnce_areAllAnswered() {
    gateway.endpoint("/burst").pause(true);
    List<Wire> wires = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      wires.add(connect().post("/burst/v1/chat/completions", ASK));
    }
    RunningGateway.awaiting()
        .atMost(Duration.ofSeconds(90))
        .until(() -> gateway.count("/burst", Fate.WAITING) == MANY);
    gateway.endpoint("/burst").pause(false);
    for (Wire wire : wires) {
      assertThat(wire.answer().status()).isEqualTo(200);
      wire.close();
    }
    assertThat(upstream.drain()).isEqualTo(MANY);
  }
}
