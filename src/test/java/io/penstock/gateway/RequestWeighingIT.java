package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Tests that answers teach the expected usage, and that the provider counts tokens where it is
 * configured to.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class RequestWeighingIT extends HostileCase {
  private static final String TEXT = "x".repeat(4_000);
  private static final String BODY =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"" + TEXT + "\"}]}";
  private static final String COUNTED = "/counted/v1/messages";
  private static final String MESSAGE =
      "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s"}]
      - path: /failing
        dialect: openai
        upstreams: [{id: f, url: "%1$s"}]
      - path: /counted
        dialect: anthropic
        cost_from: provider
        upstreams: [{id: a, url: "%1$s", api_key: "${SECRET}"}]
    """;
  }

  private static String json(int status, String body) {
    return "HTTP/1.1 "
        + status
        + " X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
        + body.getBytes(UTF_8).length
        + "\r\n\r\n"
        + body;
  }

  private static RawUpstream.Script using(int status, int input, int output) {
    return (self, byteSocket) -> {
      byteSocket.request();
      byteSocket.send(
          json(
              status,
              "{\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}"
                  .formatted(input, output)));
    };
  }

  private static int cost(HttpMessage answer) {
    return Integer.parseInt(Objects.requireNonNull(answer.header("x-penstock-cost")));
  }

  @Test
  void answers_teachTheCostOfWhatComes() {
    upstream.script(using(200, 1_504, 12));
    assertThat(cost(post(CHAT, BODY))).isEqualTo(1_004 + 256);
    for (int i = 0; i < 40; i++) {
      post(CHAT, BODY);
    }
    assertThat(cost(post(CHAT, BODY))).isBetween(1_490 + 12, 1_504 + 12);
  }

  @Test
  void errors_teachNothing() {
    upstream.script(using(400, 1_504, 12));
    for (int i = 0; i < 30; i++) {
      post("/failing/v1/chat/completions", BODY.replace("\"m\"", "\"f\""));
    }
    upstream.script(using(200, 1_504, 12));
    HttpMessage answer = post("/failing/v1/chat/completions", BODY.replace("\"m\"", "\"f\""));
    assertThat(cost(answer)).isEqualTo(1_004 + 256);
  }

  private int asked(String model, String text) {
    return cost(
        post(
            "/failing/v1/chat/completions",
            "{\"model\":\""
                + model
                + "\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\""
                + text
                + "\"}]}"));
  }

  /** The counts are those of OpenAI's cookbook, "How to count tokens with tiktoken". */
  @Test
  void openAisText_isCountedAsTheModelCounts() {
    upstream.script(using(400, 0, 0));
    String birthday = "お誕生日おめでとう";
    RunningGateway.awaiting().until(() -> asked("gpt-4o", birthday) == 8 + 4 + 5);
    RunningGateway.awaiting().until(() -> asked("gpt-4", birthday) == 9 + 4 + 5);
    assertThat(asked("nobody-knows", birthday)).isEqualTo(7 + 4 + 5);
  }

  @Test
  void longText_isCountedElsewhere() {
    upstream.script(using(400, 0, 0));
    RunningGateway.awaiting().until(() -> asked("gpt-4o", "hello world") == 2 + 4 + 5);
    int times = 10_000;
    String text = "hello world" + " hello world".repeat(times - 1);
    long before = allocatedByCounters();
    // long text is counted in pieces, which may begin and end within a word
    assertThat(asked("gpt-4o", text)).isBetween(2 * times + 4 + 5, 2 * times + 4 + 5 + 60);
    assertThat(allocatedByCounters() - before).isGreaterThan(text.length());
  }

  /** Returns the bytes ever allocated by the threads that count tokens. */
  private static long allocatedByCounters() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
        .filter(thread -> thread != null && thread.getThreadName().startsWith("penstock-tokens"))
        .mapToLong(thread -> threads.getThreadAllocatedBytes(thread.getThreadId()))
        .sum();
  }

  private static void counts(RawUpstream self, ByteSocket byteSocket, String count) {
    HttpMessage request = self.read(byteSocket);
    byteSocket.send(
        request.target().endsWith("/count_tokens")
            ? count
            : json(200, "{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}"));
  }

  @Test
  void providersCount_isTheCost() throws Exception {
    upstream.script(
        (self, byteSocket) -> counts(self, byteSocket, json(200, "{\"input_tokens\":777}")));
    assertThat(cost(post(COUNTED, MESSAGE))).isEqualTo(777 + 5);
    HttpMessage count = upstream.received();
    assertThat(count.target()).isEqualTo("/v1/messages/count_tokens");
    assertThat(count.header("x-api-key")).isEqualTo(UPSTREAM_SECRET);
    assertThat(count.text())
        .isEqualTo("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}");
    assertThat(upstream.received().text()).isEqualTo(MESSAGE);
  }

  @Test
  void providerThatDoesNotCount_isComplainedOfOnce_andTheEstimateStands() throws Exception {
    upstream.script((self, byteSocket) -> counts(self, byteSocket, json(500, "{}")));
    for (int i = 0; i < 3; i++) {
      assertThat(cost(post(COUNTED, MESSAGE))).isEqualTo(1 + 4 + 5);
      upstream.received();
      upstream.received();
    }
    assertThat(logged.lines())
        .filteredOn(line -> line.contains("it was to count tokens, but it answered 500"))
        .hasSize(1);
  }

  @Test
  void clientGoneWhileTheProviderCounts_isCancelled() throws Exception {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.awaitEnd();
        });
    long before = gateway.count("/counted", TicketFate.CANCELLED);
    ByteSocket byteSocket = connect().post(COUNTED, MESSAGE);
    upstream.received();
    byteSocket.close();
    gateway.await("/counted", TicketFate.CANCELLED, before + 1);
  }
}
