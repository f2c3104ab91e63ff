package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;

/** Tests that a client cannot state a higher priority than its key allows. */
@Hostile(Hostile.By.CLIENT)
class StatedPriorityIT extends HostileCase {
  @Override
  String routes() {
    return """
    keys:
      - {name: low, sha256: LOW, max_priority: 2}
      - {name: high, sha256: HIGH, priority: 3, max_priority: 5}
    endpoints:
      - path: /openai
        dialect: openai
        scheduler: priority
        priority_aging_seconds: 0
        upstreams: [{id: o, url: "%1$s", concurrency: 1}]
    """
        .replace("LOW", KeyedRequestsIT.sha256("low"))
        .replace("HIGH", KeyedRequestsIT.sha256("high"));
  }

  private ByteSocket chat(String key, String query, String headers) {
    return connect()
        .send(
            ByteSocket.request("POST", CHAT + query, ASK)
                .replace(
                    "Host: penstock\r\n",
                    "Host: penstock\r\nx-penstock-key: " + key + "\r\n" + headers));
  }

  @Test
  void priorityAboveThatOfTheKey_countsAsTheHighestOfTheKey() throws InterruptedException {
    gateway.endpoint(CHAT).pause(true);
    try (ByteSocket low = chat("low", "?n=1", "x-penstock-priority: 2147483647\r\n")) {
      gateway.await(CHAT, TicketFate.WAITING, 1);
      try (ByteSocket high = chat("high", "?n=2", "")) {
        gateway.await(CHAT, TicketFate.WAITING, 2);
        gateway.endpoint(CHAT).pause(false);
        assertThat(high.answer().status()).isEqualTo(200);
        assertThat(low.answer().status()).isEqualTo(200);
      }
    } finally {
      gateway.endpoint(CHAT).pause(false);
    }
    assertThat(upstream.received().target()).endsWith("n=2");
    assertThat(upstream.received().target()).endsWith("n=1");
  }
}
