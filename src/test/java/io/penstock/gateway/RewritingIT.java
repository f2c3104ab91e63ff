package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.RunningGateway;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Tests what the gateway asks for on behalf of the client, and how much of that the client sees.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class RewritingIT extends HostileCase {
  private static final String ASKED = "\"stream_options\":{\"include_usage\":true}";
  private static final String STREAM =
      "{\"model\":\"m\",\"max_tokens\":500,\"stream\":true,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final String TEXT =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello\"}}],\"usage\":null}\n\n";
  private static final String USAGE =
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":70,\"completion_tokens\":31,"
          + "\"total_tokens\":101}}\n\n";
  private static final String DONE = "data: [DONE]\n\n";
  private static final String NO_OPTIONS =
      "{\"error\":{\"message\":\"Unknown parameter: 'stream_options'.\","
          + "\"type\":\"invalid_request_error\",\"param\":\"stream_options\",\"code\":null}}";

  @Override
  String routes() {
    return """
    models:
      full: {fallback: [spare], fallback_after: 0.2}
    endpoints:
      - path: /stream
        dialect: openai
        upstreams: [{id: stream, url: "%1$s"}]
      - path: /old
        dialect: openai
        upstreams: [{id: old, url: "%1$s"}]
      - path: /older
        dialect: openai
        upstreams: [{id: older, url: "%1$s"}]
      - path: /named
        dialect: openai
        upstreams:
          - {id: named, url: "%1$s", models: {small: real-small, m: real-m}}
          - {id: other, url: "%1$s", models: [large, small]}
      - path: /fall
        dialect: openai
        upstreams:
          - {id: busy, url: "%1$s", models: [full], concurrency: 1}
          - {id: free, url: "%1$s", models: [spare]}
    """;
  }

  private static String answer(int status, String type, String body) {
    return "HTTP/1.1 %d X\r\nContent-Type: %s\r\nConnection: close\r\n".formatted(status, type)
        + "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body);
  }

  private static RawUpstream.Script streaming() {
    return RawUpstream.answering(answer(200, "text/event-stream", TEXT + USAGE + DONE));
  }

  @Test
  void streamOfWhoDidNotAskForUsage_hidesItAndSettlesIt() throws InterruptedException {
    RecordedEvents events = new RecordedEvents();
    gateway.bean(EventBus.class).subscribe(events);
    upstream.script(streaming());
    assertThat(post("/stream/v1/chat/completions", STREAM).text()).isEqualTo(TEXT + DONE);
    assertThat(upstream.received().text()).isEqualTo("{" + ASKED + "," + STREAM.substring(1));
    RunningGateway.awaiting().until(() -> !events.of(Event.Settled.class).isEmpty());
    assertThat(events.of(Event.Settled.class))
        .extracting(Event.Settled::usedTokens)
        .containsExactly(101L);
  }

  @Test
  void furtherModels_areNamedAsTheUpstreamNamesThem() throws InterruptedException {
    String asked =
        "{\"models\": [\"m\" , \"s\\u006dall\"],\"messages\":[],\"route\":[\"m\"],"
            + "\"model\":\"m\"}";
    assertThat(post("/named/v1/chat/completions", asked).status()).isEqualTo(200);
    assertThat(upstream.received().text())
        .isEqualTo(
            "{\"models\": [\"real-m\" , \"real-small\"],\"messages\":[],\"route\":[\"real-m\"],"
                + "\"model\":\"real-m\"}");
  }

  @Test
  void streamOfWhoAskedForUsage_passesAsItIs() throws InterruptedException {
    String request = "{" + ASKED + "," + STREAM.substring(1);
    upstream.script(streaming());
    assertThat(post("/stream/v1/chat/completions", request).text()).isEqualTo(TEXT + USAGE + DONE);
    assertThat(upstream.received().text()).isEqualTo(request);
  }

  @Test
  void upstreamThatKnowsNoUsageOfStreams_isAskedForItTwice() throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          boolean asked = self.read(byteSocket).text().contains("stream_options");
          byteSocket.send(
              asked
                  ? answer(400, "application/json", NO_OPTIONS)
                  : answer(200, "text/event-stream", TEXT + DONE));
        });
    for (int i = 0; i < 3; i++) {
      HttpMessage answer = post("/old/v1/chat/completions", STREAM);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).isEqualTo(TEXT + DONE);
    }
    for (int i = 0; i < 2; i++) {
      assertThat(upstream.received().text()).contains(ASKED);
      assertThat(upstream.received().text()).isEqualTo(STREAM);
    }
    assertThat(upstream.received().text()).isEqualTo(STREAM);
  }

  @Test
  void clientWhoAskedWhereUsageIsUnknown_getsTheErrorItself() throws InterruptedException {
    String request = "{" + ASKED + "," + STREAM.substring(1);
    upstream.script(RawUpstream.answering(answer(400, "application/json", NO_OPTIONS)));
    HttpMessage answer = post("/older/v1/chat/completions", request);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).isEqualTo(NO_OPTIONS);
    assertThat(upstream.received().text()).isEqualTo(request);
  }

  @Test
  void listOfModels_isThatOfAllUpstreamsAndAsksNone() {
    HttpMessage answer = ask("GET /named/v1/models HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .containsSubsequence("\"id\":\"large\"", "\"id\":\"m\"", "\"id\":\"small\"")
        .containsOnlyOnce("small")
        .doesNotContain("real");
  }

  @Test
  void alias_isTheUpstreamsNameInTheBodyAndNothingElseChanges() throws InterruptedException {
    assertThat(post("/named/v1/chat/completions", ASK).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(ASK.replace("\"m\"", "\"real-m\""));
  }

  @Test
  void modelThatIsFull_isServedByItsFallbackUnderThatName() throws InterruptedException {
    String request = ASK.replace("\"m\"", "\"full\"");
    CountDownLatch done = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          if (self.read(byteSocket).text().contains("full")) {
            done.await();
          }
          byteSocket.send(OK);
        });
    try (ByteSocket first = connect().post("/fall/v1/chat/completions", request)) {
      gateway.await("/fall", TicketFate.RUNNING, 1);
      assertThat(upstream.received().text()).isEqualTo(request);
      HttpMessage answer = post("/fall/v1/chat/completions", request);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("x-penstock-upstream")).isEqualTo("free/spare");
      assertThat(Long.parseLong(answer.header("x-penstock-queued-ms"))).isGreaterThanOrEqualTo(200);
      assertThat(upstream.received().text()).isEqualTo(ASK.replace("\"m\"", "\"spare\""));
      done.countDown();
      assertThat(first.answer().header("x-penstock-upstream")).isEqualTo("busy");
    }
  }
}
