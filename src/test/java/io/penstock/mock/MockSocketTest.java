package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.PatientWaits;
import io.penstock.mock.MockProvider.Stats;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
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
  private final HttpClient client = HttpClient.newHttpClient();
  private final BlockingQueue<JsonNode> events = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    provider.close();
    client.shutdownNow();
  }

  private final class Ears implements WebSocket.Listener {
    private final StringBuilder part = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        events.add(JsonMapper.shared().readTree(part.toString()));
        part.setLength(0);
      }
      socket.request(1);
      return CompletableFuture.completedStage(null);
    }
  }

  private CompletableFuture<WebSocket> opening(String address, String path) {
    URI url = provider.baseUrl(MockAddress.parse(URI.create(address)));
    return client
        .newWebSocketBuilder()
        .buildAsync(URI.create(url.toString().replace("http:", "ws:") + path), new Ears());
  }

  private JsonNode event() throws InterruptedException {
    return PatientWaits.take(events);
  }

  /** Returns the events of an answer, up to the one that ends it. */
  private List<JsonNode> answer() throws InterruptedException {
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
    WebSocket socket = opening(address, PATH).join();
    for (int i = 1; i <= 2; i++) {
      socket.sendText(ASK, true).join();
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
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
  }

  @Test
  void requestWithoutGeneration_readsItsInputOnly() throws Exception {
    WebSocket socket = opening("mock://openai?tps=10&tokens=5", PATH).join();
    socket.sendText(ASK.replace("{", "{\"generate\":false,"), true).join();
    List<JsonNode> answer = answer();
    assertThat(types(answer))
        .containsExactly("response.created", "response.in_progress", "response.completed");
    JsonNode response = answer.getLast().path("response");
    assertThat(response.path("output")).isEmpty();
    assertThat(response.path("usage").path("total_tokens").intValue()).isEqualTo(6);
  }

  @Test
  void messages_areAnsweredOneAfterAnother() throws Exception {
    WebSocket socket = opening("mock://openai?latency=1ms&tokens=40&tps=2000", PATH).join();
    socket.sendText(ASK, true).join();
    socket.sendText(ASK.replace("\"m\"", "\"second\""), true).join();
    assertThat(answer()).allMatch(event -> !event.toString().contains("second"));
    assertThat(answer().getLast().path("response").path("model").asString()).isEqualTo("second");
  }

  @Test
  void refusal_isAnEventWithStatusAndHeaders_andTheSocketStays() throws Exception {
    WebSocket socket = opening("mock://openai?tokens=5&rpm=1", PATH).join();
    socket.sendText(ASK, true).join();
    answer();
    for (int i = 0; i < 2; i++) {
      socket.sendText(ASK, true).join();
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
    WebSocket socket = opening("mock://openai?error_rate=1", PATH).join();
    socket.sendText(ASK, true).join();
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
    WebSocket socket = opening("mock://openai?tokens=1", PATH).join();
    socket.sendText(message, true).join();
    JsonNode refused = event();
    assertThat(refused.path("type").asString()).isEqualTo("error");
    assertThat(refused.path("status").intValue()).isEqualTo(400);
    assertThat(refused.path("error").path("type").asString()).isEqualTo("invalid_request_error");
    socket.sendText(ASK, true).join();
    assertThat(types(answer())).endsWith("response.completed");
  }

  @Test
  void clientThatLeavesWithinItsAnswer_isCountedAsCancelled() throws Exception {
    WebSocket socket = opening("mock://openai?tokens=10000&tps=1", PATH).join();
    socket.sendText(ASK, true).join();
    assertThat(event().path("type").asString()).isEqualTo("response.created");
    socket.abort();
    assertThat(PatientWaits.take(ended)).isEqualTo(new Stats(1, 0, 1, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/unknown"})
  void otherPaths_openNoSocket(String path) {
    assertThatThrownBy(() -> opening("mock://openai", path).join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(WebSocketHandshakeException.class);
  }

  @Test
  void azuresPath_opensOneToo() throws Exception {
    WebSocket socket = opening("mock://openai?tokens=1", "/openai/v1/responses").join();
    socket.sendText(ASK, true).join();
    assertThat(types(answer())).endsWith("response.completed");
  }
}
