package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.RawUpstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.quota.MeteredLimit;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that streams are asked for their usage, where the upstream supports that. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class UsageAskedIT extends HostileCase {
  private static final String STREAM_ASK = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");
  private static final String ASKS = "\"stream_options\":{\"include_usage\":true}";
  private static final String NOT_KNOWN =
      "{\"error\":{\"message\":\"Unrecognized request argument supplied: stream_options\","
          + "\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}";
  private static final String USAGE =
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1505,\"completion_tokens\":5}}\n\n";
  private static final String EVENTS = "data: {\"choices\":[]}\n\ndata: [DONE]\n\n";

  @Override
  String routes() {
    return """
    defaults: {dialect: openai}
    endpoints:
      - path: /old
        upstreams: [{id: old, url: "%1$s", tpm_limit: 1000000}]
      - path: /own
        upstreams: [{id: own, url: "%1$s"}]
      - path: /mixed
        upstreams: [{id: mixed, url: "%1$s", tpm_limit: 1000000}]
      - path: /neither
        upstreams: [{id: neither, url: "%1$s"}]
      - path: /shadow
        shadow: true
        upstreams: [{id: shadow, url: "%1$s"}]
      - path: /charged
        upstreams: [{id: charged, url: "%1$s", rpm: 1000, rpd: 1000}]
      - path: /few
        upstreams: [{id: few, url: "%1$s", rpd: 1}]
      - path: /other
        upstreams: [{id: other, url: "%1$s"}]
    """;
  }

  private static String answer(int status, String type, String body) {
    return "HTTP/1.1 %d X\r\nContent-Type: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(status, type, body.length(), body);
  }

  private static String refusal(String body) {
    return answer(400, "application/json", body);
  }

  /** Answers like an upstream that does not know the option. */
  private void old() {
    upstream.script(
        (self, byteSocket) -> {
          boolean asked = self.read(byteSocket).text().contains("stream_options");
          byteSocket.send(asked ? refusal(NOT_KNOWN) : answer(200, "text/event-stream", EVENTS));
        });
  }

  @Test
  void upstreamThatCannotBeAsked_isAskedWithoutAtOnce_andNotAtAllAfterTwo()
      throws InterruptedException {
    old();
    HttpMessage first = post("/old/v1/chat/completions", STREAM_ASK);
    assertThat(first.status()).isEqualTo(200);
    assertThat(first.text()).isEqualTo(EVENTS);
    assertThat(first.all("content-type")).containsExactly("text/event-stream");
    HttpMessage asked = upstream.received();
    assertThat(asked.text()).contains(ASKS);
    assertThat(asked.header("content-length")).isEqualTo("" + asked.body().length);
    HttpMessage without = upstream.received();
    assertThat(without.text()).isEqualTo(STREAM_ASK);
    assertThat(without.header("content-length")).isEqualTo("" + without.body().length);
    assertThat(refusals("old")).isZero();
    assertThat(post("/old/v1/chat/completions", STREAM_ASK).text()).isEqualTo(EVENTS);
    assertThat(upstream.drain()).isEqualTo(2);
    assertThat(post("/old/v1/chat/completions", STREAM_ASK).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).isEqualTo(STREAM_ASK);
    assertThat(refusals("old")).isEqualTo(1);
    assertThat(logged.lines())
        .filteredOn(line -> line.contains("upstream old, m: it refuses stream_options"))
        .hasSize(1);

    String otherModel = STREAM_ASK.replace("\"model\":\"m\"", "\"model\":\"n\"");
    assertThat(post("/old/v1/chat/completions", otherModel).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).contains(ASKS);
    assertThat(upstream.received().text()).isEqualTo(otherModel);
  }

  private double refusals(String upstreamId) {
    return MetricsScrape.of(gateway.operatorPort())
        .sum("penstock_upstream_usage_refused_total", Map.of("upstream", upstreamId));
  }

  /** Refuses requests that ask for too much, and states the usage if asked for it. */
  private void metered() {
    upstream.script(
        (self, byteSocket) -> {
          String asked = self.read(byteSocket).text();
          String usage = asked.contains(ASKS) ? USAGE : "";
          byteSocket.send(
              asked.contains("too_much")
                  ? refusal(NOT_KNOWN)
                  : answer(200, "text/event-stream", usage + EVENTS));
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/event-stream", "text/plain", "application/json", "x/ndjson"})
  void usageThatOnlyTheGatewayAskedFor_isHidden_whateverTheMediaType(String type)
      throws InterruptedException {
    upstream.script(RawUpstream.answering(answer(200, type, USAGE + EVENTS)));
    HttpMessage answered = post("/own/v1/chat/completions", STREAM_ASK);
    assertThat(answered.text()).isEqualTo(EVENTS);
    assertThat(answered.header("content-type")).startsWith(type);
    assertThat(upstream.received().text()).contains(ASKS);
  }

  @Test
  void clientsOwnOptionsThatAreRefused_changeNothingForOthers() throws InterruptedException {
    metered();
    String bad =
        STREAM_ASK.replace("{\"stream\"", "{\"stream_options\":{\"too_much\":1},\"stream\"");
    String own = bad.replace("\"too_much\":1", "\"too_much\":1,\"include_usage\":true");
    HttpMessage refused = post("/mixed/v1/chat/completions", own);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).isEqualTo(NOT_KNOWN);
    assertThat(upstream.received().text()).isEqualTo(own);

    assertThat(post("/mixed/v1/chat/completions", STREAM_ASK).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).contains(ASKS);
    gateway.await("/mixed", TicketFate.SERVED, 2);
    assertThat(
            MetricsScrape.of(gateway.operatorPort())
                .sum("penstock_tokens_total", Map.of("upstream", "mixed", "kind", "used")))
        .as("the usage that was told")
        .isGreaterThanOrEqualTo(1_510);
    assertThat(refusals("mixed")).isZero();
  }

  @Test
  void refusedWithTheOptionAndWithout_isTheClients_andOthersAreAsked() throws InterruptedException {
    upstream.script(RawUpstream.answering(refusal(NOT_KNOWN)));
    for (int i = 0; i < 2; i++) {
      assertThat(post("/neither/v1/chat/completions", STREAM_ASK).status()).isEqualTo(400);
      assertThat(upstream.received().text()).contains(ASKS);
      assertThat(upstream.received().text()).isEqualTo(STREAM_ASK);
    }
    assertThat(refusals("neither")).isZero();
  }

  @Test
  void shadow_isAskedWithoutToo() throws InterruptedException {
    old();
    assertThat(post("/shadow/v1/chat/completions", STREAM_ASK).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).contains(ASKS);
    assertThat(upstream.received().text()).isEqualTo(STREAM_ASK);
  }

  @Test
  void clientThatAsksItself_hearsThatItCannot() throws InterruptedException {
    old();
    String own = STREAM_ASK.replace("{\"stream\"", "{" + ASKS + ",\"stream\"");
    HttpMessage answer = post("/own/v1/chat/completions", own);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).isEqualTo(NOT_KNOWN);
    assertThat(upstream.received().text()).isEqualTo(own);
  }

  @Test
  void refusalOfSomethingElse_isTheClients_andOthersAreAsked() throws InterruptedException {
    String other = NOT_KNOWN.replace("stream_options", "seed");
    upstream.script(RawUpstream.answering(refusal(other)));
    for (int i = 0; i < 2; i++) {
      HttpMessage answer = post("/other/v1/chat/completions", STREAM_ASK);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).isEqualTo(other);
      assertThat(upstream.received().text()).contains(ASKS);
    }
  }

  @Test
  void repeatWithoutTheOption_countsAtTheUpstreamLikeAnyCall() throws InterruptedException {
    upstream.script(RawUpstream.answering(refusal(NOT_KNOWN)));
    for (int i = 0; i < 3; i++) {
      assertThat(post("/charged/v1/chat/completions", STREAM_ASK).status()).isEqualTo(400);
    }
    assertThat(upstream.drain()).isEqualTo(6);
    gateway.await("/charged", TicketFate.SERVED, 3);
    for (MeteredLimit metered : limits("charged")) {
      assertThat(metered.limit().balance(gateway.bean(Ticker.class).nanos()).charged())
          .as("%s", metered)
          .isEqualTo(6);
    }
  }

  private List<MeteredLimit> limits(String upstreamId) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(upstreamId))
        .pool("m", gateway.bean(Ticker.class).nanos())
        .limits();
  }

  /** One call of the day is left, so that a repeat would be one too many. */
  @Test
  void upstreamHasNoCallLeftForTheRepeat_repeatIsNotMade() throws InterruptedException {
    old();
    HttpMessage answer = post("/few/v1/chat/completions", STREAM_ASK);
    assertThat(upstream.received().text()).contains(ASKS);
    refused(answer, 429, "upstream_rpd");
  }
}
