package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.suite.Hostile;
import io.penstock.tenant.PromiseHolder;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that no key takes the memory of all others, and that a request that is refused anyway takes
 * none.
 */
@Hostile(Hostile.By.CLIENT)
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class BodyTenantsIT extends HostileCase {
  private static final int MOST = 4_000_000;
  private static final int BODY = 1_100_000;
  private static final String SLOW = "slow-secret";
  private static final String WAITS = "waiting-secret";
  private static final String SECOND = "second-secret";
  private static final String THIRD = "third-secret";
  private static final String ONCE = "once-secret";

  private final List<ByteSocket> wires = new ArrayList<>();

  @Override
  String routes() {
    return """
    keys:
      - {name: client, sha256: CLIENT}
      - {name: slow, sha256: SLOW}
      - {name: waits, sha256: WAITS, rpm: 1, on_limit: wait}
      - {name: second, sha256: SECOND, rpm: 1, on_limit: wait}
      - {name: third, sha256: THIRD, rpm: 1, on_limit: wait}
      - {name: once, sha256: ONCE, rpm: 1, on_limit: reject}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}"}]
      - path: /full
        dialect: openai
        algorithm: strict
        rate: 0.0005
        max_queue_size: 1
        upstreams: [{id: f, url: "%1$s", api_key: "${SECRET}"}]
    """
        .replace("CLIENT", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("SLOW", KeyedRequestsIT.sha256(SLOW))
        .replace("WAITS", KeyedRequestsIT.sha256(WAITS))
        .replace("SECOND", KeyedRequestsIT.sha256(SECOND))
        .replace("THIRD", KeyedRequestsIT.sha256(THIRD))
        .replace("ONCE", KeyedRequestsIT.sha256(ONCE));
  }

  @Override
  String[] arguments() {
    return new String[] {"--penstock.max-buffered-bytes=" + MOST};
  }

  @AfterEach
  void leave() {
    wires.forEach(ByteSocket::reset);
    wires.clear();
  }

  private static String head(String target, String secret, int length) {
    return "POST %s HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(target, secret, length);
  }

  private static String body(int bytes) {
    return ASK.replace(PROMPT, "x".repeat(bytes - ASK.length() + PROMPT.length()));
  }

  private ByteSocket send(String text) {
    ByteSocket byteSocket = connect();
    wires.add(byteSocket);
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                byteSocket.send(text);
              } catch (UncheckedIOException left) {
                byteSocket.close();
              }
            });
    return byteSocket;
  }

  private BodyBudget bodies() {
    return gateway.bean(BodyBudget.class);
  }

  private void assertServed(int bytes) throws InterruptedException {
    String body = body(bytes);
    HttpMessage answer = ask(head(CHAT, CLIENT_SECRET, bytes) + body);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(upstream.received().body()).hasSize(bytes);
  }

  @Test
  void halfSentBodiesOfOneKey_leaveRoomForOthers() throws InterruptedException {
    for (int each = 0; each < 4; each++) {
      send(head(CHAT, SLOW, BODY) + body(BODY).substring(0, BODY - 1_000));
    }
    RunningGateway.awaiting().until(() -> bodies().waiting() == 3);
    assertThat(bodies().heldBytes()).isEqualTo(BODY);
    assertServed(500);
    assertServed(900_000);
  }

  @Test
  void bodiesOfAKeyThatWaitsForItsLimit_leaveRoomForOthers() throws InterruptedException {
    assertThat(ask(head(CHAT, WAITS, 500) + body(500)).status()).isEqualTo(200);
    upstream.received();
    int large = 1_500_000;
    for (int each = 0; each < 3; each++) {
      send(head(CHAT, WAITS, large) + body(large));
    }
    gateway.await("/openai", TicketFate.WAITING, 1);
    RunningGateway.awaiting().until(() -> bodies().waiting() == 2);
    RunningGateway.awaiting().until(() -> bodies().parkedBytes() == large);
    assertServed(500);
    assertServed(900_000);
  }

  @Test
  void keyThatHasUsedUpItsLimit_isRefusedBeforeItsBodyIsRead() throws InterruptedException {
    assertThat(ask(head(CHAT, ONCE, 500) + body(500)).status()).isEqualTo(200);
    upstream.received();
    try (ByteSocket byteSocket = connect()) {
      HttpMessage answer = byteSocket.send(head(CHAT, ONCE, BODY)).answer();
      refused(answer, 429, "key_rpm");
      assertThat(answer.header("retry-after")).isNotBlank();
      assertThat(answer.header("ratelimit")).isNotBlank();
      assertThat(bodies().heldBytes()).isZero();
    }
  }

  @Test
  void fullQueue_refusesBeforeABodyIsRead() throws InterruptedException {
    String full = "/full/v1/chat/completions";
    assertThat(ask(head(full, CLIENT_SECRET, 500) + body(500)).status()).isEqualTo(200);
    upstream.received();
    send(head(full, CLIENT_SECRET, 500) + body(500));
    // a ticket is counted as waiting a moment before it is in the queue
    RunningGateway.awaiting()
        .until(
            () ->
                gateway.endpoint("/full").certainRefusal(new PromiseHolder("nobody", ""), null)
                    != null);
    try (ByteSocket byteSocket = connect()) {
      refused(byteSocket.send(head(full, CLIENT_SECRET, BODY)).answer(), 429, "queue_full");
      assertThat(bodies().heldBytes()).isEqualTo(500);
    }
  }

  @Test
  void bodiesThatWaitInQueues_leaveRoomForThoseThatAreRead() throws InterruptedException {
    int large = 1_500_000;
    for (String secret : List.of(SECOND, THIRD)) {
      assertThat(ask(head(CHAT, secret, 500) + body(500)).status()).isEqualTo(200);
      upstream.received();
    }
    send(head(CHAT, SECOND, large) + body(large));
    RunningGateway.awaiting().until(() -> bodies().parkedBytes() == large);
    refused(ask(head(CHAT, THIRD, large) + body(large)), 429, "queue_full");
    assertThat(bodies().notParked()).isEqualTo(1);
    assertThat(bodies().parkedBytes()).isEqualTo(large);
    assertServed(900_000);
  }

  @Test
  void largestBodyThatWaitsInAQueue_leavesRoomForOthersThatWait() throws InterruptedException {
    for (String secret : List.of(SECOND, THIRD)) {
      assertThat(ask(head(CHAT, secret, 500) + body(500)).status()).isEqualTo(200);
      upstream.received();
    }
    int largest = 2_500_000; // more than all that wait may have
    send(head(CHAT, SECOND, largest) + body(largest));
    RunningGateway.awaiting().until(() -> bodies().parkedBytes() == largest);
    int waiting = largest;
    for (int bytes : List.of(500, 300_000, 64 << 10)) {
      send(head(CHAT, THIRD, bytes) + body(bytes));
      waiting += bytes;
      int all = waiting;
      RunningGateway.awaiting().until(() -> bodies().parkedBytes() == all);
    }
    assertThat(bodies().notParked()).isZero();
  }
}
