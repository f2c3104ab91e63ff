package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.StopReason;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseStreamEvent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks with the providers' own client libraries that the mock calls tools and fills schemas. */
class MockToolsTest {
  private static final String FIRST_WORDS = "Water waits behind";
  private static final String SCHEMA =
      """
      {"type":"object","required":["city","days"],"properties":{"city":{"type":"string"},\
      "unit":{"type":"string"},"days":{"type":"array","items":{"type":"object",\
      "required":["rain"],"properties":{"rain":{"type":"string","enum":["no \\"rain\\"","rain"]}}}}}}\
      """;
  private static final String DOCUMENT =
      "{\"city\":\"water\",\"days\":[{\"rain\":\"no \\\"rain\\\"\"}]}";
  private static final long DOCUMENT_TOKENS = 12;

  private final MockProvider provider = MockProvider.start(() -> 0, () -> 0);
  private final List<Runnable> closings = new ArrayList<>(List.of(provider::close));

  @AfterEach
  void close() {
    closings.forEach(Runnable::run);
  }

  private URI url(String address) {
    return provider.baseUrl(MockAddress.parse(URI.create(address)));
  }

  private OpenAIClient openai() {
    OpenAIClient client =
        OpenAIOkHttpClient.builder()
            .baseUrl(url("mock://openai?tokens=5&tools=call") + "/v1")
            .apiKey("any")
            .maxRetries(0)
            .build();
    closings.add(client::close);
    return client;
  }

  private AnthropicClient anthropic() {
    AnthropicClient client =
        AnthropicOkHttpClient.builder()
            .baseUrl(url("mock://anthropic?tokens=5&tools=call").toString())
            .apiKey("any")
            .maxRetries(0)
            .build();
    closings.add(client::close);
    return client;
  }

  /** Returns JSON as lists, maps and plain values. */
  private static Object json(String text) {
    return JsonMapper.shared().readValue(text, Object.class);
  }

  private static ChatCompletionCreateParams.Builder chat(String tools) {
    return ChatCompletionCreateParams.builder()
        .model("m")
        .addUserMessage("Will it rain?")
        .putAdditionalBodyProperty("tools", JsonValue.from(json(tools)));
  }

  private static final String CHAT_TOOLS =
      """
      [{"type":"function","function":{"name":"other"}},\
      {"type":"function","function":{"name":"weather","parameters":%s}}]\
      """
          .formatted(SCHEMA);
  private static final String CHAT_CHOICE =
      "{\"type\":\"function\",\"function\":{\"name\":\"weather\"}}";

  @Test
  void chat_toolsOffered_firstIsCalled_andItsResultIsAnsweredWithWords() {
    OpenAIClient client = openai();
    ChatCompletion answer = client.chat().completions().create(chat(CHAT_TOOLS).build()).validate();
    ChatCompletion.Choice choice = answer.choices().getFirst();
    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
    assertThat(choice.message().content()).isEmpty();
    ChatCompletionMessageFunctionToolCall call =
        choice.message().toolCalls().orElseThrow().getFirst().asFunction();
    assertThat(call.function().name()).isEqualTo("other");
    assertThat(call.function().arguments()).isEqualTo("{}");
    assertThat(answer.usage().orElseThrow().completionTokens()).isEqualTo(1);

    String conversation =
        """
        [{"role":"user","content":"Will it rain?"},\
        {"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function",\
        "function":{"name":"other","arguments":"{}"}}]},\
        {"role":"tool","tool_call_id":"%s","content":"yes"}]\
        """
            .formatted(call.id(), call.id());
    ChatCompletion last =
        client
            .chat()
            .completions()
            .create(
                chat(CHAT_TOOLS)
                    .putAdditionalBodyProperty("messages", JsonValue.from(json(conversation)))
                    .build())
            .validate();
    assertThat(last.choices().getFirst().message().content().orElseThrow()).startsWith(FIRST_WORDS);
    assertThat(last.choices().getFirst().message().toolCalls()).isEmpty();
  }

  @Test
  void chat_toolChosenByTheRequest_isCalledInAStreamToo() {
    OpenAIClient client = openai();
    ChatCompletionCreateParams ask =
        chat(CHAT_TOOLS)
            .putAdditionalBodyProperty("tool_choice", JsonValue.from(json(CHAT_CHOICE)))
            .build();
    ChatCompletion whole = client.chat().completions().create(ask).validate();
    var call = whole.choices().getFirst().message().toolCalls().orElseThrow().getFirst();
    assertThat(call.asFunction().function().arguments()).isEqualTo(DOCUMENT);
    assertThat(whole.usage().orElseThrow().completionTokens()).isEqualTo(DOCUMENT_TOKENS);
    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(ask)) {
      List<ChatCompletionChunk> chunks =
          stream.stream().map(ChatCompletionChunk::validate).toList();
      List<ChatCompletionChunk.Choice.Delta.ToolCall> parts =
          chunks.stream()
              .flatMap(chunk -> chunk.choices().getFirst().delta().toolCalls().stream())
              .flatMap(List::stream)
              .toList();
      assertThat(parts.getFirst().id()).isPresent();
      assertThat(parts.getFirst().function().orElseThrow().name()).contains("weather");
      assertThat(
              parts.stream()
                  .map(part -> part.function().orElseThrow().arguments().orElse(""))
                  .collect(Collectors.joining()))
          .isEqualTo(DOCUMENT);
      assertThat(chunks.getLast().choices().getFirst().finishReason())
          .contains(ChatCompletionChunk.Choice.FinishReason.TOOL_CALLS);
    }
  }

  @Test
  void chat_noToolMayBeCalled_orThereIsNoRoom_wordsAnswer() {
    OpenAIClient client = openai();
    ChatCompletion none =
        client
            .chat()
            .completions()
            .create(
                chat(CHAT_TOOLS)
                    .putAdditionalBodyProperty("tool_choice", JsonValue.from("none"))
                    .build());
    assertThat(none.choices().getFirst().message().content().orElseThrow()).startsWith(FIRST_WORDS);
    ChatCompletion cut =
        client
            .chat()
            .completions()
            .create(
                chat(CHAT_TOOLS)
                    .putAdditionalBodyProperty("tool_choice", JsonValue.from(json(CHAT_CHOICE)))
                    .maxCompletionTokens(4)
                    .build());
    assertThat(cut.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.LENGTH);
  }

  @Test
  void chat_schemaAsked_documentSatisfiesIt_wholeAndCutShort() {
    OpenAIClient client = openai();
    String format =
        "{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"w\",\"schema\":" + SCHEMA + "}}";
    ChatCompletionCreateParams.Builder ask =
        ChatCompletionCreateParams.builder()
            .model("m")
            .addUserMessage("Will it rain?")
            .putAdditionalBodyProperty("response_format", JsonValue.from(json(format)));
    ChatCompletion whole = client.chat().completions().create(ask.build()).validate();
    assertThat(whole.choices().getFirst().message().content()).contains(DOCUMENT);
    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(ask.build())) {
      assertThat(
              stream.stream()
                  .flatMap(chunk -> chunk.choices().stream())
                  .map(choice -> choice.delta().content().orElse(""))
                  .collect(Collectors.joining()))
          .isEqualTo(DOCUMENT);
    }
    ChatCompletion cut =
        client.chat().completions().create(ask.maxCompletionTokens(2).build()).validate();
    assertThat(cut.choices().getFirst().message().content()).contains(DOCUMENT.substring(0, 8));
    assertThat(cut.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.LENGTH);
  }

  private static ResponseCreateParams.Builder response() {
    return ResponseCreateParams.builder().model("m").input("Will it rain?");
  }

  @Test
  void responses_toolIsCalled_wholeAndStreamed_andItsResultIsAnsweredWithWords() {
    OpenAIClient client = openai();
    String tools = "[{\"type\":\"function\",\"name\":\"weather\",\"parameters\":" + SCHEMA + "}]";
    ResponseCreateParams.Builder ask =
        response().putAdditionalBodyProperty("tools", JsonValue.from(json(tools)));
    Response whole = client.responses().create(ask.build()).validate();
    ResponseFunctionToolCall call = whole.output().getFirst().asFunctionCall();
    assertThat(call.name()).isEqualTo("weather");
    assertThat(call.arguments()).isEqualTo(DOCUMENT);
    try (StreamResponse<ResponseStreamEvent> stream =
        client.responses().createStreaming(ask.build())) {
      List<ResponseStreamEvent> events =
          stream.stream().map(ResponseStreamEvent::validate).toList();
      assertThat(
              events.stream()
                  .filter(ResponseStreamEvent::isFunctionCallArgumentsDelta)
                  .map(event -> event.asFunctionCallArgumentsDelta().delta())
                  .collect(Collectors.joining()))
          .isEqualTo(DOCUMENT);
      assertThat(events).anyMatch(ResponseStreamEvent::isFunctionCallArgumentsDone);
      Response last = events.getLast().asCompleted().response();
      assertThat(last.output().getFirst().asFunctionCall().arguments()).isEqualTo(DOCUMENT);
      assertThat(last.usage()).isEqualTo(whole.usage());
    }
    String items =
        """
        [{"role":"user","content":"Will it rain?"},\
        {"type":"function_call","call_id":"%s","name":"weather","arguments":"{}"},\
        {"type":"function_call_output","call_id":"%s","output":"yes"}]\
        """
            .formatted(call.callId(), call.callId());
    Response words =
        client
            .responses()
            .create(ask.putAdditionalBodyProperty("input", JsonValue.from(json(items))).build());
    assertThat(text(words)).startsWith(FIRST_WORDS);
  }

  private static String text(Response response) {
    return response.output().getFirst().asMessage().content().getFirst().asOutputText().text();
  }

  @Test
  void responses_schemaAsked_documentSatisfiesIt() {
    OpenAIClient client = openai();
    String format =
        "{\"format\":{\"type\":\"json_schema\",\"name\":\"w\",\"schema\":" + SCHEMA + "}}";
    Response answer =
        client
            .responses()
            .create(
                response().putAdditionalBodyProperty("text", JsonValue.from(json(format))).build())
            .validate();
    assertThat(text(answer)).isEqualTo(DOCUMENT);
  }

  private static MessageCreateParams.Builder message() {
    return MessageCreateParams.builder().model("m").maxTokens(100).addUserMessage("Will it rain?");
  }

  private static com.anthropic.core.JsonValue value(String text) {
    return com.anthropic.core.JsonValue.from(json(text));
  }

  @Test
  void message_toolIsUsed_wholeAndStreamed_andItsResultIsAnsweredWithWords() {
    AnthropicClient client = anthropic();
    String tools = "[{\"name\":\"weather\",\"input_schema\":" + SCHEMA + "}]";
    MessageCreateParams.Builder ask = message().putAdditionalBodyProperty("tools", value(tools));
    Message whole = client.messages().create(ask.build()).validate();
    assertThat(whole.stopReason()).contains(StopReason.TOOL_USE);
    var use = whole.content().getFirst().asToolUse();
    assertThat(use.name()).isEqualTo("weather");
    assertThat(use._input()).isEqualTo(value(DOCUMENT));
    assertThat(whole.usage().outputTokens()).isEqualTo(DOCUMENT_TOKENS);
    try (com.anthropic.core.http.StreamResponse<RawMessageStreamEvent> stream =
        client.messages().createStreaming(ask.build())) {
      List<RawMessageStreamEvent> events =
          stream.stream().map(RawMessageStreamEvent::validate).toList();
      assertThat(events.get(1).asContentBlockStart().contentBlock().asToolUse().name())
          .isEqualTo("weather");
      assertThat(
              events.stream()
                  .flatMap(event -> event.contentBlockDelta().stream())
                  .map(event -> event.delta().asInputJson().partialJson())
                  .collect(Collectors.joining()))
          .isEqualTo(DOCUMENT);
      assertThat(events.get(events.size() - 2).asMessageDelta().delta().stopReason())
          .contains(StopReason.TOOL_USE);
    }
    String conversation =
        """
        [{"role":"user","content":"Will it rain?"},{"role":"assistant","content":[\
        {"type":"tool_use","id":"%s","name":"weather","input":{}}]},{"role":"user","content":[\
        {"type":"tool_result","tool_use_id":"%s","content":"yes"}]}]\
        """
            .formatted(use.id(), use.id());
    Message words =
        client
            .messages()
            .create(ask.putAdditionalBodyProperty("messages", value(conversation)).build());
    assertThat(words.content().getFirst().asText().text()).startsWith(FIRST_WORDS);
  }

  @Test
  void message_schemaAsked_documentSatisfiesIt() {
    String config = "{\"format\":{\"type\":\"json_schema\",\"schema\":" + SCHEMA + "}}";
    Message answer =
        anthropic()
            .messages()
            .create(message().putAdditionalBodyProperty("output_config", value(config)).build())
            .validate();
    assertThat(answer.content().getFirst().asText().text()).isEqualTo(DOCUMENT);
  }

  @Test
  void message_streamStatesItsInputAgainAtItsEnd_andNoTextHasCitations() {
    AnthropicClient client = anthropic();
    Message whole = client.messages().create(message().build()).validate();
    assertThat(whole.content().getFirst().asText()._citations().isMissing()).isTrue();
    try (com.anthropic.core.http.StreamResponse<RawMessageStreamEvent> stream =
        client.messages().createStreaming(message().build())) {
      List<RawMessageStreamEvent> events = stream.stream().toList();
      assertThat(events.get(events.size() - 2).asMessageDelta().usage().inputTokens())
          .contains(whole.usage().inputTokens());
    }
  }

  @Test
  void models_listedAndRetrieved() {
    AnthropicClient client = anthropic();
    var page = client.models().list();
    page.data().forEach(com.anthropic.models.models.ModelInfo::validate);
    assertThat(page.data()).extracting(model -> model.id()).containsExactly("mock");
    assertThat(page.hasMore()).contains(false);
    assertThat(page.lastId()).contains("mock");
    assertThat(client.models().retrieve("claude-x").validate().id()).isEqualTo("claude-x");
    assertThat(openai().models().retrieve("gpt-x").validate().id()).isEqualTo("gpt-x");
  }

  private JsonNode gemini(String path, String body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(url("mock://gemini?tokens=5&tools=call") + path));
      HttpRequest sent =
          body.isEmpty()
              ? request.build()
              : request.POST(HttpRequest.BodyPublishers.ofString(body)).build();
      return JsonMapper.shared().readTree(client.send(sent, BodyHandlers.ofString()).body());
    }
  }

  @Test
  void gemini_functionIsCalled_andItsResponseIsAnsweredWithWords() throws Exception {
    String tools =
        ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"weather\",\"parameters\":%s}]}]}"
            .formatted(SCHEMA);
    String ask = "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"Rain?\"}]}";
    JsonNode whole = gemini("/v1beta/models/m:generateContent", ask + "]" + tools);
    JsonNode call = whole.at("/candidates/0/content/parts/0/functionCall");
    assertThat(call.path("name").stringValue()).isEqualTo("weather");
    assertThat(call.path("args").toString()).isEqualTo(DOCUMENT);
    assertThat(whole.at("/usageMetadata/candidatesTokenCount").asLong()).isEqualTo(DOCUMENT_TOKENS);
    JsonNode stream = gemini("/v1beta/models/m:streamGenerateContent", ask + "]" + tools);
    assertThat(stream.path(stream.size() - 1).at("/candidates/0/content/parts/0/functionCall"))
        .isEqualTo(call);
    String result =
        ",{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"weather\"}}]}]";
    JsonNode words = gemini("/v1beta/models/m:generateContent", ask + result + tools);
    assertThat(words.at("/candidates/0/content/parts/0/text").stringValue())
        .startsWith(FIRST_WORDS);
  }

  @Test
  void gemini_schemaAsked_documentSatisfiesIt_andModelsAreNamed() throws Exception {
    for (String name : List.of("responseSchema", "responseJsonSchema")) {
      JsonNode answer =
          gemini(
              "/v1beta/models/m:generateContent",
              JsonMapper.shared()
                  .writeValueAsString(
                      Map.of(
                          "contents",
                          List.of(Map.of("parts", List.of(Map.of("text", "Rain?")))),
                          "generationConfig",
                          Map.of("responseMimeType", "application/json", name, json(SCHEMA)))));
      assertThat(answer.at("/candidates/0/content/parts/0/text").stringValue()).isEqualTo(DOCUMENT);
    }
    assertThat(gemini("/v1beta/models/m", "").path("name").stringValue()).isEqualTo("models/m");
    assertThat(gemini("/v1beta/models", "").path("models").size()).isPositive();
  }

  private static final String GEMINI_TOOLS =
      "\"contents\":[{\"parts\":[{\"text\":\"Rain?\"}]}],"
          + "\"tools\":[{\"functionDeclarations\":[{\"name\":\"weather\"}]}]";
  private static final String RESPONSE_TOOLS =
      "\"model\":\"m\",\"input\":\"Rain?\",\"tools\":[{\"type\":\"function\",\"name\":\"weather\"}]";
  private static final String MESSAGES =
      "\"model\":\"m\",\"max_tokens\":100,\"messages\":[{\"role\":\"user\",\"content\":\"Rain?\"}],";
  private static final String CHAT =
      MESSAGES + "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"weather\"}}]";
  private static final String MESSAGE = MESSAGES + "\"tools\":[{\"name\":\"weather\"}]";

  static Stream<Arguments> choices() {
    String chat = "/v1/chat/completions";
    String responses = "/v1/responses";
    String messages = "/v1/messages";
    String gemini = "/v1beta/models/m:generateContent";
    String config = ",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"%s\"%s}}";
    return Stream.of(
        Arguments.of("openai", chat, CHAT, "", false),
        Arguments.of("openai", chat, CHAT, ",\"tool_choice\":\"auto\"", false),
        Arguments.of("openai", chat, CHAT, ",\"tool_choice\":\"required\"", true),
        Arguments.of("openai", chat, CHAT, ",\"tool_choice\":" + CHAT_CHOICE, true),
        Arguments.of("openai", responses, RESPONSE_TOOLS, "", false),
        Arguments.of("openai", responses, RESPONSE_TOOLS, ",\"tool_choice\":\"required\"", true),
        Arguments.of(
            "openai", responses, RESPONSE_TOOLS, ",\"tool_choice\":{\"name\":\"weather\"}", true),
        Arguments.of("anthropic", messages, MESSAGE, "", false),
        Arguments.of("anthropic", messages, MESSAGE, ",\"tool_choice\":{\"type\":\"any\"}", true),
        Arguments.of(
            "anthropic",
            messages,
            MESSAGE,
            ",\"tool_choice\":{\"type\":\"tool\",\"name\":\"weather\"}",
            true),
        Arguments.of("gemini", gemini, GEMINI_TOOLS, "", false),
        Arguments.of("gemini", gemini, GEMINI_TOOLS, config.formatted("ANY", ""), true),
        Arguments.of(
            "gemini",
            gemini,
            GEMINI_TOOLS,
            config.formatted("ANY", ",\"allowedFunctionNames\":[\"weather\"]"),
            true));
  }

  @ParameterizedTest
  @MethodSource("choices")
  void toolThatIsMerelyOffered_isNotCalled(
      String provider, String path, String members, String choice, boolean called)
      throws Exception {
    String answer = answer("mock://" + provider, path, "{" + members + choice + "}");
    if (called) {
      assertThat(answer).contains("\"weather\"").doesNotContain(FIRST_WORDS);
    } else {
      assertThat(answer).contains(FIRST_WORDS).doesNotContain("\"weather\"");
    }
  }

  @Test
  void everythingThatIsSent_isCounted() throws Exception {
    String text = "w".repeat(400);
    String tool = "{\"name\":\"%s\",\"input_schema\":{}}".formatted(text);
    String system = "\"system\":\"%s\",".formatted(text);
    String use =
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"input\":{\"a\":\"%s\"}}]}"
            .formatted(text);
    String result =
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"content\":\"%s\"}]}"
            .formatted(text);
    String body =
        "{\"model\":\"m\",\"max_tokens\":9,%s\"tools\":[%s],\"messages\":[%s,%s]}"
            .formatted(system, tool, use, result);
    String answer = answer("mock://anthropic", "/v1/messages/count_tokens", body);
    long counted = JsonMapper.shared().readTree(answer).path("input_tokens").asLong();
    // four texts of 100 tokens, two messages of 4, and the JSON around the tool and its call
    assertThat(counted).isBetween(408L, 430L);
  }

  private String answer(String address, String path, String body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url(address) + path))
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      return client.send(request, BodyHandlers.ofString()).body();
    }
  }
}
