package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.key.KeySecrets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the access log: one line for each request, what is in it, and what never is. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class AccessLogIT extends HostileCase {
  private static final String SHORT = "/short/v1/chat/completions";
  private static final String KEY = "sk-pn-the-secret";
  private static final String USED =
      "{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10}}";

  @Override
  String routes() {
    return """
    keys: [{name: alice, sha256: %2$s}]
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%%1$s"}]}
      - path: /short
        dialect: openai
        queue_timeout: 0.2
        upstreams: [{id: s, url: "%%1$s"}]
    """
        .formatted("", KeySecrets.sha256(KEY));
  }

  @Override
  String[] arguments() {
    return new String[] {"--penstock.log.access=1"};
  }

  private HttpMessage ask(String target, String body, String key) {
    return ask(keyed(target, body, key));
  }

  private static String keyed(String target, String body, String key) {
    return ByteSocket.request("POST", target, body)
        .replace("Host: penstock\r\n", "Host: penstock\r\nAuthorization: Bearer " + key + "\r\n");
  }

  /** Returns the only line of the access log, without the name of its logger. */
  private String line() {
    RunningGateway.awaiting().until(() -> !lines().isEmpty());
    assertThat(lines()).hasSize(1);
    String line = lines().getFirst();
    assertThat(line).startsWith("INFO io.penstock.access request ").doesNotContain("\n", KEY);
    return line;
  }

  private List<String> lines() {
    return logged.lines().stream().filter(line -> line.contains(" io.penstock.access ")).toList();
  }

  @Test
  void servedRequest_hasALine() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "Content-Length: "
                + USED.length()
                + "\r\n\r\n"
                + USED));
    HttpMessage got = ask(CHAT + "?tokens=3&user=mallory", ASK, KEY);
    upstream.received();
    assertThat(line())
        .contains(
            " method=POST ",
            " endpoint=/openai ",
            " status=200 ",
            " outcome=served ",
            " duration_ms=",
            " attempts=1 ",
            " upstream=o ",
            " model=m ",
            " key=alice ",
            " tokens_reserved=" + got.header("x-penstock-cost") + " ",
            " tokens_used=10 ",
            " bytes_in=" + ASK.length() + " ",
            " ticket=",
            " request_id=" + got.header("x-request-id") + " ",
            " bytes_out=" + USED.length())
        .containsPattern(" wait_ms=[0-9]+ ")
        .doesNotContain("reason=", "trace_id=", "mallory", "tokens=3");
  }

  @Test
  void requestWithAnErrorInsideItsAnswer_hasFailed() {
    String error = "{\"error\":{\"code\":404,\"message\":\"no such model\"}}";
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "Content-Length: "
                + error.length()
                + "\r\n\r\n"
                + error));
    ask(CHAT, ASK, KEY);
    upstream.received();
    assertThat(line()).contains(" status=200 ", " outcome=failed ").doesNotContain("reason=");
  }

  @Test
  void refusedRequest_saysWhy_andHowLongItWaited() {
    gateway.endpoint(SHORT).pause(true);
    try {
      refused(ask(SHORT, ASK, KEY), 429, "queue_timeout");
    } finally {
      gateway.endpoint(SHORT).pause(false);
    }
    assertThat(line())
        .contains(" status=429 ", " outcome=refused ", " reason=queue_timeout ", " attempts=0 ")
        .containsPattern(" wait_ms=[1-9][0-9]{2,} ")
        .doesNotContain("upstream=");
  }

  @Test
  void whoMayNotComeIn_isNamedByNothingThatItSent() {
    refused(ask(CHAT, ASK, "sk-client-secret"), 401, "unauthenticated");
    assertThat(line())
        .contains(" endpoint=/openai ", " status=401 ", " reason=unauthenticated ")
        .doesNotContain("key=");
  }

  @Test
  void clientThatGoes_isCancelled() {
    gateway.endpoint(CHAT).pause(true);
    try (ByteSocket byteSocket = connect().send(keyed(CHAT, ASK, KEY))) {
      gateway.await(CHAT, TicketFate.WAITING, 1);
      byteSocket.reset();
      assertThat(line()).contains(" outcome=cancelled ").doesNotContain("status=");
    } finally {
      gateway.endpoint(CHAT).pause(false);
    }
  }

  @Test
  void nameOfAModel_cannotForgeALine() throws InterruptedException {
    String model = "m\\n12:00:00.000 INFO  forged key=\\\"bob\\\" \\u202e";
    ask(CHAT, ASK.replace("\"m\"", "\"" + model + "\""), KEY);
    upstream.received();
    assertThat(line())
        .contains(
            " model=m\\u000a12:00:00.000 INFO  forged key=\\u0022bob\\u0022 \\u202e key=alice");
  }

  @Test
  void hostilePath_cannotEither() {
    HttpMessage got =
        ask(
            "GET /x%0aINFO%20forged%1b HTTP/1.1\r\nHost: penstock\r\nAuthorization: Bearer "
                + KEY
                + "\r\n\r\n");
    assertThat(got.status()).isEqualTo(400);
    assertThat(line()).contains(" status=400 ", " reason=bad_request").doesNotContain("forged");
  }
}
