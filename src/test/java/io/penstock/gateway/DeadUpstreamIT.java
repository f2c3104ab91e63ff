package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.time.Ticker;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that requests go to the other upstream when one of two is known to accept nothing. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class DeadUpstreamIT extends HostileCase {
  private static final String ERROR =
      "HTTP/1.1 500 X\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
  private static final String TOO_MANY =
      "HTTP/1.1 429 X\r\nretry-after: 60\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
  private static final String OTHER_OK = OK.replace("{}", "[]");
  private static final long MINUTE = 60_000_000_000L;

  private final RawUpstream other = RawUpstream.start(RawUpstream.answering(OTHER_OK));
  private final int closedPort = RunningGateway.freePort();

  /**
   * Returns routes on which no request waits for long, so that it cannot wait for the trial of an
   * unhealthy upstream.
   */
  @Override
  String routes() {
    return """
    defaults: {dialect: openai, max_wait: 20}
    endpoints:
      - path: /sick
        upstreams:
          - {id: well, url: "%1$s", weight: 1000}
          - {id: sick, url: "OTHER"}
      - path: /meanwhile
        upstreams:
          - {id: free, url: "%1$s", weight: 1000}
          - {id: narrow, url: "OTHER", concurrency: 1}
      - path: /narrow
        upstreams: [{id: narrow, url: "OTHER", concurrency: 1}]
      - path: /spent
        upstreams:
          - {id: unspent, url: "%1$s", weight: 1000}
          - {id: spent, url: "OTHER", rpd: 1}
      - path: /spend
        upstreams: [{id: spent, url: "OTHER", rpd: 1}]
      - {path: /gone, upstreams: [{id: gone, url: "http://127.0.0.1:CLOSED"}]}
      - {path: /code-500, upstreams: [{id: code-500, url: "%1$s"}]}
      - {path: /code-503, upstreams: [{id: code-503, url: "%1$s"}]}
      - {path: /code-529, upstreams: [{id: code-529, url: "%1$s"}]}
      - {path: /hangs-up, upstreams: [{id: hangs-up, url: "%1$s"}]}
      - path: /shadow
        shadow: true
        algorithm: strict
        rate: 1000
        upstreams:
          - {id: dead, url: "http://127.0.0.1:CLOSED", weight: 1000}
          - {id: alive, url: "OTHER"}
      - path: /shadow-errors
        shadow: true
        upstreams:
          - {id: failing, url: "%1$s", weight: 1000}
          - {id: working, url: "OTHER"}
      - path: /shadow-limited
        shadow: true
        upstreams:
          - {id: limited, url: "%1$s", weight: 1000}
          - {id: unlimited, url: "OTHER"}
      - path: /shadow-alone
        shadow: true
        upstreams: [{id: alone, url: "%1$s"}]
    """
        .replace("CLOSED", "" + closedPort)
        .replace("OTHER", other.url());
  }

  @AfterAll
  void stopOther() {
    other.close();
  }

  @AfterEach
  void reset() {
    assertThat(other.drain()).as("requests at the other").isZero();
    other.script(RawUpstream.answering(OTHER_OK));
  }

  private void unhealthy(String id) {
    long now = gateway.bean(Ticker.class).nanos();
    Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id))
        .health()
        .tryFrom(now + MINUTE, MINUTE);
  }

  private static String chat(String path) {
    return path + "/v1/chat/completions";
  }

  /** Answers the first request with an error, and others normally. */
  private void failsOnce() {
    AtomicInteger asked = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(asked.getAndIncrement() == 0 ? ERROR : OK);
        });
  }

  private void servedTwiceBy(String id, HttpMessage answer) throws InterruptedException {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.header("x-penstock-upstream")).isEqualTo(id);
    upstream.received();
    assertThat(upstream.received().text()).isEqualTo(ASK);
  }

  @Test
  void errorAtTheHealthyOne_isTriedThereAgain_whileTheOtherIsUnhealthy()
      throws InterruptedException {
    unhealthy("sick");
    failsOnce();

    servedTwiceBy("well", post(chat("/sick"), ASK));
  }

  @Test
  void otherBecomesUnhealthyWhileItIsWaitedFor_isTriedAtTheFirstAgain()
      throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    other.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          done.await();
          byteSocket.send(TOO_MANY);
        });
    failsOnce();
    ByteSocket holds = connect().post(chat("/narrow"), ASK);
    other.received();
    try (ByteSocket waits = connect().post(chat("/meanwhile"), ASK)) {
      gateway.await("/meanwhile", TicketFate.WAITING, 1);
      done.countDown(); // the other pauses for a minute

      servedTwiceBy("free", waits.answer());
    }
    assertThat(holds.answer().status()).as("it would wait for longer than it may").isEqualTo(429);
    holds.close();
  }

  @Test
  void errorAtTheOneWithRoom_isTriedThereAgain_whileTheOtherIsOutForItsDay()
      throws InterruptedException {
    assertThat(post(chat("/spend"), ASK).status()).isEqualTo(200);
    other.received();
    failsOnce();

    servedTwiceBy("unspent", post(chat("/spent"), ASK));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gone", "code-500", "code-503", "code-529", "hangs-up"})
  void onlyUpstreamBecomesUnhealthy_theRequestThatFoundItIsAnsweredLikeTheNextOne(String way)
      throws InterruptedException {
    String code = way.replace("code-", "");
    upstream.script(
        way.startsWith("code-")
            ? RawUpstream.answering(ERROR.replace("500", code))
            : (self, byteSocket) -> self.read(byteSocket));
    HttpMessage answer = post(chat("/" + way), ASK);
    while (answer.header("x-penstock-reason") == null || answer.status() == 502) {
      answer = post(chat("/" + way), ASK);
    }
    refused(answer, 503, "no_healthy_upstream");
    assertThat(answer.header("retry-after")).isNotBlank();
    refused(post(chat("/" + way), ASK), 503, "no_healthy_upstream");
    upstream.drain();
  }

  @Test
  void shadow_servesAllByTheOneThatIsAlive() throws InterruptedException {
    for (int each = 0; each < 20; each++) {
      HttpMessage answer = post(chat("/shadow"), ASK);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("x-penstock-upstream")).isEqualTo("alive");
      assertThat(other.received().text()).isEqualTo(ASK);
    }
    gateway.await("/shadow", TicketFate.SERVED, 20);
    assertThat(gateway.count("/shadow", TicketFate.OFFERED)).isEqualTo(20);
  }

  @Test
  void shadow_triesAnErrorElsewhere() throws InterruptedException {
    upstream.script(RawUpstream.answering(ERROR));

    HttpMessage answer = post(chat("/shadow-errors"), ASK);
    assertThat(answer.header("x-penstock-upstream")).isEqualTo("working");
    assertThat(answer.text()).isEqualTo("[]");
    upstream.received();
    assertThat(other.received().text()).isEqualTo(ASK);
    gateway.await("/shadow-errors", TicketFate.SERVED, 1);
  }

  @Test
  void shadow_triesARefusalElsewhere_andLeavesThePausedOneAlone() throws InterruptedException {
    upstream.script(RawUpstream.answering(TOO_MANY));

    for (int each = 0; each < 5; each++) {
      assertThat(post(chat("/shadow-limited"), ASK).text()).isEqualTo("[]");
      other.received();
    }
    upstream.received();
    assertThat(upstream.drain()).as("requests while it pauses").isZero();
  }

  @Test
  void shadow_waitsForNothing_soThatARefusalWithoutAnotherUpstreamIsTheClients()
      throws InterruptedException {
    upstream.script(RawUpstream.answering(TOO_MANY));

    HttpMessage answer = post(chat("/shadow-alone"), ASK);
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.text()).isEqualTo("{}");
    upstream.received();
  }
}
