package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.TextSocket;
import io.penstock.mock.MockProvider.Stats;
import java.net.URI;
import java.net.http.WebSocketHandshakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.scheduler.Schedulers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the WebSocket of OpenAI's responses, at which agents ask one response after another. */
class MockSocketTest {
  private static final String PATH = "/v1/responses";
  private static final String ASK =
      "{\"type\":\"response.create\",\"model\":\"m\",\"input\":\"Hi there\"}";

  private final BlockingQueue<Stats> ended = new LinkedBlockingQueue<>();
  private final MockProvider provider =
      MockProvider.start(() -> 0, () -> 0, Schedulers.parallel(), ended::add);

  private @Nullable TextSocket socket;

  @AfterEach
  void close() {
    if (socket != null) {
      socket.close();
    }
    provider.close();
  }

  private TextSocket open(String address, String path) {
    URI url = provider.baseUrl(MockAddress.parse(URI.create(address)));
    socket = new TextSocket(url.toString().replace("http:", "ws:") + path, List.of());
    return socket;
  }

  private JsonNode event() {
    return JsonMapper.shared().readTree(Objects.requireNonNull(socket).next());
  }

  /** Returns the events of an answer, up to the one that ends it. */
  private List<JsonNode> answer() {
    List<JsonNode> answer = new ArrayList<>();
    do {
      answer.add(event());
    } while (answer.getLast().path("response").path("usage").isMissingNode()
        || answer.getLast().path("response").path("usage").isNull());
    return answer;
  }

  private static List<String> types(List<JsonNode> answer) {
    return answer.stream().map(event -> event.path("type").asString()).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mock://openai?tokens=5", "mock://openai?tokens=5&tps=1000"})
  void eachMessage_isAnsweredByTheEventsOfAResponse(String address) throws Exception {
    TextSocket opened = open(address, PATH);
    for (int i = 1; i <= 2; i++) {
      opened.send(ASK);
      List<JsonNode> answer = answer();
      assertThat(types(answer))
          .startsWith("response.created", "response.in_progress", "response.output_item.added")
          .contains("response.output_text.delta", "response.output_text.done")
          .endsWith("response.output_item.done", "response.completed");
      JsonNode usage = answer.getLast().path("response").path("usage");
      assertThat(usage.path("input_tokens").intValue()).isEqualTo(6);
      assertThat(usage.path("output_tokens").intValue()).isEqualTo(5);
      assertThat(PatientWaits.take(ended)).isEqualTo(new Stats(i, 0, 0, 0));
    }
  }

  @Test
  void requestWithoutGeneration_readsItsInputOnly() throws Exception {
    TextSocket opened = open("mock://openai?tps=10&tokens=5", PATH);
    opened.send(ASK.replace("{", "{\"generate\":false,"));
    List<JsonNode> answer = answer();
    assertThat(types(answer))
        .containsExactly("response.created", "response.in_progress", "response.completed");
    JsonNode response = answer.getLast().path("response");
    assertThat(response.path("output")).isEmpty();
    assertThat(response.path("usage").path("total_tokens").intValue()).isEqualTo(6);
  }

  @Test
  void messages_areAnsweredOneAfterAnother() throws Exception {
    TextSocket opened = open("mock://openai?latency=1ms&tokens=40&tps=2000", PATH);
    opened.send(ASK);
    opened.send(ASK.replace("\"m\"", "\"second\""));
    assertThat(answer()).allMatch(event -> !event.toString().contains("second"));
    assertThat(answer().getLast().path("response").path("model").asString()).isEqualTo("second");
  }

  @Test
  void refusal_isAnEventWithStatusAndHeaders_andTheSocketStays() throws Exception {
    TextSocket opened = open("mock://openai?tokens=5&rpm=1", PATH);
    opened.send(ASK);
    answer();
    for (int i = 0; i < 2; i++) {
      opened.send(ASK);
      JsonNode refused = event();
      assertThat(refused.path("type").asString()).isEqualTo("error");
      assertThat(refused.path("status").intValue()).isEqualTo(429);
      assertThat(refused.path("error").path("code").asString()).isEqualTo("rate_limit_exceeded");
      assertThat(refused.path("headers").path("retry-after").asString()).isEqualTo("60");
      assertThat(refused.path("headers").path("x-ratelimit-limit-requests").asString())
          .isEqualTo("1");
    }
  }

  @Test
  void failure_isAnEvent() throws Exception {
    TextSocket opened = open("mock://openai?error_rate=1", PATH);
    opened.send(ASK);
    assertThat(event().path("status").intValue()).isEqualTo(500);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no JSON",
        "[]",
        "{}",
        "{\"type\":\"response.cancel\"}",
        "{\"type\":\"response.create\",\"input\":\"a\"}",
        "{\"type\":\"response.create\",\"model\":\"m\",\"input\":7}",
      })
  void messageThatIsNoRequest_isTold_andTheSocketStays(String message) throws Exception {
    TextSocket opened = open("mock://openai?tokens=1", PATH);
    opened.send(message);
    JsonNode refused = event();
    assertThat(refused.path("type").asString()).isEqualTo("error");
    assertThat(refused.path("status").intValue()).isEqualTo(400);
    assertThat(refused.path("error").path("type").asString()).isEqualTo("invalid_request_error");
    opened.send(ASK);
    assertThat(types(answer())).endsWith("response.completed");
  }

  @Test
  void clientThatLeavesWithinItsAnswer_isCountedAsCancelled() throws Exception {
    TextSocket opened = open("mock://openai?tokens=10000&tps=1", PATH);
    opened.send(ASK);
    assertThat(event().path("type").asString()).isEqualTo("response.created");
    opened.close();
    assertThat(PatientWaits.take(ended)).isEqualTo(new Stats(1, 0, 1, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/unknown"})
  void otherPaths_openNoSocket(String path) {
    assertThatThrownBy(() -> open("mock://openai", path))
        .hasCauseInstanceOf(WebSocketHandshakeException.class);
  }

  @Test
  void azuresPath_opensOneToo() throws Exception {
    TextSocket opened = open("mock://openai?tokens=1", "/openai/v1/responses");
    opened.send(ASK);
    assertThat(types(answer())).endsWith("response.completed");
  }
}
