package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.suite.Hostile;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests what a key can learn of the beginnings of prompts that other keys have sent. */
class PrefixTenantsIT extends HostileCase {
  private static final String BOB = "bobs-secret";
  private static final String BODY =
      "{\"model\":\"claude\",\"max_tokens\":5,\"system\":[{\"type\":\"text\",\"text\":\""
          + "a rule to follow, whatever comes. ".repeat(300)
          + "\",\"cache_control\":{\"type\":\"ephemeral\"}}],"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
  private static final String USAGE =
      "{\"usage\":{\"input_tokens\":4,\"cache_creation_input_tokens\":2600,\"output_tokens\":5}}";
  private static final String WRITTEN =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
          + USAGE.length()
          + "\r\n\r\n"
          + USAGE;

  @Override
  String routes() {
    return """
    keys:
      - {name: alice, sha256: ALICE}
      - {name: bob, sha256: BOB}
    endpoints:
      - path: /own
        dialect: anthropic
        cache_warmup: 60
        upstreams: [{id: o, url: "%1$s"}]
      - path: /shared
        dialect: anthropic
        cache_warmup: 60
        cache_warmup_scope: upstream
        upstreams: [{id: s, url: "%1$s"}]
    """
        .replace("ALICE", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("BOB", KeyedRequestsIT.sha256(BOB));
  }

  private static String messages(String path, String secret) {
    return ByteSocket.request("POST", path + "/v1/messages", BODY)
        .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + secret + "\r\n");
  }

  /** Lets alice write the cache, and holds the answers of later requests. */
  private CountDownLatch aliceWrites(String path) {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(WRITTEN);
        });
    assertThat(ask(messages(path, CLIENT_SECRET)).status()).isEqualTo(200);
    upstream.received();
    CountDownLatch answer = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          answer.await();
          byteSocket.send(WRITTEN);
        });
    return answer;
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void beginningOfAnotherKey_isNew_soAKeyWarmsItForItself() {
    CountDownLatch answer = aliceWrites("/own");
    try (ByteSocket first = connect();
        ByteSocket second = connect()) {
      first.send(messages("/own", BOB));
      upstream.received();
      second.send(messages("/own", BOB));
      gateway.await("/own", TicketFate.WAITING, 1);
      answer.countDown();
      assertThat(first.answer().status()).isEqualTo(200);
      assertThat(second.answer().status()).isEqualTo(200);
      upstream.received();
    }
  }

  @Test
  void beginningOfAnotherKey_whereKeysShareWarmUps_isKnown() {
    CountDownLatch answer = aliceWrites("/shared");
    try (ByteSocket first = connect();
        ByteSocket second = connect()) {
      first.send(messages("/shared", BOB));
      upstream.received();
      second.send(messages("/shared", BOB));
      upstream.received();
      answer.countDown();
      assertThat(first.answer().status()).isEqualTo(200);
      assertThat(second.answer().status()).isEqualTo(200);
    }
  }
}
