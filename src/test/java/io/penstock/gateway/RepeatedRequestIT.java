package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests clients that give up a silent connection and send the same request again, as agents do. One
 * request at a time goes to the upstream.
 */
class RepeatedRequestIT extends HostileCase {
  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        heartbeat_seconds: 0
        upstreams: [{id: o, url: "%1$s", concurrency: 1, inject_usage: false}]
      - path: /anthropic
        dialect: anthropic
        heartbeat_seconds: 0
        upstreams: [{id: a, url: "%1$s", concurrency: 1}]
      - path: /off
        dialect: openai
        place_grace: 0
        upstreams: [{id: f, url: "%1$s", concurrency: 1, inject_usage: false}]
    """;
  }

  private static String body(String text) {
    return ASK.replace("\"m\"", "\"m\",\"user\":\"" + text + "\"");
  }

  private ByteSocket parked(String path, String body) {
    long waiting = gateway.count(path, TicketFate.WAITING);
    ByteSocket byteSocket = connect().post(path, body);
    gateway.await(path, TicketFate.WAITING, waiting + 1);
    return byteSocket;
  }

  /**
   * Returns the bodies in the order in which the upstream got them: the client of one goes away,
   * and sends another.
   */
  private List<String> order(String path, String first, String second) throws InterruptedException {
    CountDownLatch served = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          PatientWaits.await(served);
          byteSocket.send(OK);
        });
    try (ByteSocket running = connect().post(path, body("running"))) {
      upstream.received();
      long cancelled = gateway.count(path, TicketFate.CANCELLED);
      ByteSocket before = parked(path, body("before"));
      ByteSocket lost = parked(path, body(first));
      ByteSocket after = parked(path, body("after"));
      lost.reset();
      gateway.await(path, TicketFate.CANCELLED, cancelled + 1);
      ByteSocket repeated = parked(path, body(second));
      served.countDown();
      for (ByteSocket each : List.of(running, before, after, repeated)) {
        HttpMessage answer = each.answer();
        assertThat(answer.status()).isEqualTo(200);
        each.close();
      }
    }
    return List.of(
        upstream.received().text(), upstream.received().text(), upstream.received().text());
  }

  @ParameterizedTest
  @ValueSource(strings = {CHAT, MESSAGES, "/openai/v1/responses?a=b"})
  void agentSendsTheSameRequestAgain_itGoesBeforeThoseThatCameLater(String path)
      throws InterruptedException {
    assertThat(order(path, "agent", "agent"))
        .containsExactly(body("before"), body("agent"), body("after"));
  }

  @Test
  void agentSendsAnotherRequest_itStartsAtTheEnd() throws InterruptedException {
    assertThat(order(CHAT, "one", "other"))
        .containsExactly(body("before"), body("after"), body("other"));
  }

  @Test
  void noGrace_aRepeatStartsAtTheEnd() throws InterruptedException {
    assertThat(order("/off/v1/chat/completions", "agent", "agent"))
        .containsExactly(body("before"), body("after"), body("agent"));
  }
}
