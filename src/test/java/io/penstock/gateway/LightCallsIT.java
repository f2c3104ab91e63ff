package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests calls that cost nothing: they go at once, whatever other calls have used up. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class LightCallsIT extends HostileCase {
  /** An answer without a body, as one to a HEAD is. */
  private static final String EMPTY =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

  private static final String COUNT = "/openai/v1/responses/input_tokens";

  @Override
  String routes() {
    return """
    keys:
      - {name: once, sha256: ONCE, rpm: 1, rpd: 1, tpm: 1000, concurrency: 1, on_limit: reject}
      - {name: waits, sha256: WAITS, rpm: 1, on_limit: wait}
      - {name: three, sha256: THREE, light_rpm: 3}
      - {name: other, sha256: OTHER, light_rpm: 3}
      - {name: narrow, sha256: NARROW, calls: weighed}
      - {name: listed, sha256: LISTED, calls: [/v1/files]}
      - {name: modelled, sha256: MODELLED, allowed_models: [m]}
      - {name: late, sha256: LATE, expires_at: 2020-01-01}
    endpoints:
      - path: /openai
        dialect: openai
        max_queue_size: 1
        upstreams: [{id: o, url: "%1$s", concurrency: 1, rpm: 1000, rpd: 1000, inject_usage: false}]
      - path: /azure
        dialect: azure
        upstreams: [{id: z, url: "%1$s"}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: a, url: "%1$s"}]
      - path: /gemini
        dialect: gemini
        upstreams: [{id: g, url: "%1$s"}]
      - path: /mistral
        dialect: mistral
        upstreams: [{id: i, url: "%1$s"}]
      - path: /none
        dialect: none
        upstreams: [{id: n, url: "%1$s"}]
      - path: /known
        dialect: openai
        upstreams: [{id: k, url: "%1$s", models: [m]}]
      - path: /shadow
        dialect: openai
        shadow: true
        upstreams: [{id: s, url: "%1$s"}]
    """
        .replace("ONCE", KeyedRequestsIT.sha256("once"))
        .replace("WAITS", KeyedRequestsIT.sha256("waits"))
        .replace("THREE", KeyedRequestsIT.sha256("three"))
        .replace("OTHER", KeyedRequestsIT.sha256("other"))
        .replace("NARROW", KeyedRequestsIT.sha256("narrow"))
        .replace("LISTED", KeyedRequestsIT.sha256("listed"))
        .replace("MODELLED", KeyedRequestsIT.sha256("modelled"))
        .replace("LATE", KeyedRequestsIT.sha256("late"));
  }

  private static String request(String key, String method, String target) {
    String asked =
        method.equals("POST")
            ? ByteSocket.request(method, target, ASK)
                .replace("Host: penstock\r\n", "Host: a\r\nKEY")
            : method + " " + target + " HTTP/1.1\r\nHost: a\r\nKEY\r\n";
    return asked.replace("KEY", "x-penstock-key: " + key + "\r\n");
  }

  private HttpMessage ask(String key, String method, String target) {
    try (ByteSocket byteSocket = connect().send(request(key, method, target))) {
      return method.equals("HEAD") ? byteSocket.head() : byteSocket.answer();
    }
  }

  private void passes(String key, String method, String target) throws InterruptedException {
    if (method.equals("HEAD")) {
      upstream.script(RawUpstream.answering(EMPTY));
    }
    HttpMessage answer = ask(key, method, target);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(upstream.received().start()).startsWith(method);
  }

  private double used(String id) {
    long now = gateway.bean(Ticker.class).nanos();
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id))
        .pools()
        .values()
        .stream()
        .flatMap(each -> each.limits().stream())
        .mapToLong(each -> each.limit().balance(now).charged())
        .sum();
  }

  @ParameterizedTest
  @CsvSource({
    "once, key_rpm",
    "waits, ",
  })
  void limitsUsedUp_andTheQueueFull_theyGoAtOnce_andTakeNothing(String key, String refused)
      throws InterruptedException {
    CountDownLatch served = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          HttpMessage asked = self.read(byteSocket);
          if (asked.start().contains("completions")) {
            PatientWaits.await(served);
          }
          byteSocket.send(asked.start().startsWith("HEAD") ? EMPTY : OK);
        });
    try (ByteSocket running = connect().send(request(key, "POST", CHAT));
        ByteSocket behind = connect()) {
      upstream.received();
      behind.send(request("narrow", "POST", CHAT));
      gateway.await("/openai", TicketFate.WAITING, 1);
      refused(ask("narrow", "POST", CHAT), 429, "queue_full");
      if (refused != null) {
        refused(ask(key, "POST", CHAT), 429, refused);
      }
      double before = used("o");
      for (int time = 0; time < 3; time++) {
        assertThat(ask(key, "GET", "/openai/v1/models").status()).isEqualTo(200);
        assertThat(ask(key, "GET", "/openai/v1/models/m?limit=5").status()).isEqualTo(200);
        assertThat(ask(key, "POST", COUNT).status()).isEqualTo(200);
        assertThat(ask(key, "HEAD", "/openai").status()).isEqualTo(200);
      }
      assertThat(upstream.drain()).isEqualTo(12);
      assertThat(used("o")).isEqualTo(before);
      served.countDown();
      assertThat(running.answer().status()).isEqualTo(200);
      assertThat(behind.answer().status()).isEqualTo(200);
      upstream.received();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HEAD, /openai/v1/chat/completions",
    "GET, /azure/openai/models",
    "GET, /azure/openai/v1/models",
    "HEAD, /anthropic",
    "GET, /anthropic/v1/models",
    "POST, /anthropic/v1/messages/count_tokens",
    "GET, /gemini/v1beta/models",
    "GET, /gemini/v1beta/models/m",
    "POST, /gemini/v1beta/models/m:countTokens",
    "GET, /mistral/v1/models",
    "HEAD, /mistral/",
  })
  void callsThatOnlyWeighedOnesMayPass_letThemPass(String method, String target)
      throws InterruptedException {
    passes("narrow", method, target);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "GET, /openai/v1/files",
    "GET, /openai/v1/batches",
    "POST, /openai/v1/models",
    "POST, /anthropic/v1/messages;/count_tokens/x",
    "HEAD, /none/",
  })
  void otherCalls_doNotPassAsSuch(String method, String target) {
    HttpMessage answer = ask("narrow", method, target);
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.header("x-penstock-reason")).isEqualTo("forbidden_call");
  }

  @Test
  void keyMayDoNoSuchCall_orIsClosed_orMayNotUseTheModel_itIsRefusedAsEver() {
    refused(ask("listed", "GET", "/openai/v1/models"), 403, "forbidden_call");
    refused(ask("late", "GET", "/openai/v1/models"), 401, "unauthenticated");
    refused(ask("nobody", "POST", COUNT), 401, "unauthenticated");
    refused(ask("modelled", "POST", COUNT), 403, "forbidden_model");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tooMany_areRefused_andOtherCallsAndOtherKeysGoOn() throws InterruptedException {
    passes("three", "GET", "/openai/v1/models");
    passes("three", "HEAD", "/anthropic");
    // answered by the gateway itself
    assertThat(ask("three", "GET", "/known/v1/models").status()).isEqualTo(200);
    HttpMessage answer = ask("three", "POST", COUNT);
    refused(answer, 429, "key_light_rpm");
    assertThat(answer.header("retry-after")).matches("5\\d|6[01]");
    assertThat(answer.text())
        .contains("key three for calls that cost nothing: 3 requests a minute, next at ");
    refused(ask("three", "GET", "/known/v1/models"), 429, "key_light_rpm");
    assertThat(ask("three", "HEAD", "/gemini").header("x-penstock-reason"))
        .isEqualTo("key_light_rpm");
    passes("three", "POST", CHAT);
    passes("three", "GET", FILES);
    passes("three", "GET", "/shadow/v1/models");
    passes("other", "GET", "/openai/v1/models");
  }
}
