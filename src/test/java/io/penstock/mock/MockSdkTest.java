package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.StopReason;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.InternalServerException;
import com.openai.errors.RateLimitException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.Completion;
import com.openai.models.completions.CompletionChoice;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.embeddings.CreateEmbeddingResponse;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStatus;
import com.openai.models.responses.ResponseStreamEvent;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks that the providers' own client libraries accept the mock provider. */
class MockSdkTest {
  private static final long WALL_MILLIS = 1_735_689_600_000L;
  private static final String FIRST_FIVE = "Water waits behind the gate";

  private final AtomicLong nowNanos = new AtomicLong();
  private final MockProvider provider = MockProvider.start(nowNanos::get, () -> WALL_MILLIS);
  private final List<Runnable> closings = new ArrayList<>(List.of(provider::close));

  @AfterEach
  void close() {
    closings.forEach(Runnable::run);
  }

  private URI url(String address) {
    return provider.baseUrl(MockAddress.parse(URI.create(address)));
  }

  private OpenAIClient openai(String query) {
    OpenAIClient client =
        OpenAIOkHttpClient.builder()
            .baseUrl(url("mock://openai?" + query) + "/v1")
            .apiKey("any")
            .maxRetries(0)
            .build();
    closings.add(client::close);
    return client;
  }

  private AnthropicClient anthropic(String query) {
    AnthropicClient client =
        AnthropicOkHttpClient.builder()
            .baseUrl(url("mock://anthropic?" + query).toString())
            .apiKey("any")
            .maxRetries(0)
            .build();
    closings.add(client::close);
    return client;
  }

  private static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder().model("gpt-\"4o\"").addUserMessage("How high? äß");
  }

  private static MessageCreateParams.Builder message(long maxTokens) {
    return MessageCreateParams.builder()
        .model("claude-sonnet-4")
        .maxTokens(maxTokens)
        .system("Be brief")
        .addUserMessage("How high?");
  }

  @Test
  void chat_plain_isWholeAndCounted() {
    OpenAIClient client = openai("tokens=5");
    ChatCompletion answer = client.chat().completions().create(chat().n(2).build()).validate();
    assertThat(answer.model()).isEqualTo("gpt-\"4o\"");
    assertThat(answer.created()).isEqualTo(WALL_MILLIS / 1_000);
    assertThat(answer.choices()).hasSize(2);
    assertThat(answer.choices().get(1).message().content()).contains(FIRST_FIVE);
    assertThat(answer.choices().get(1).finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
    // 14 bytes are 4 tokens, and 4 for the message
    assertThat(answer.usage().orElseThrow().promptTokens()).isEqualTo(8);
    assertThat(answer.usage().orElseThrow().completionTokens()).isEqualTo(10);
    assertThat(answer.usage().orElseThrow().totalTokens()).isEqualTo(18);
  }

  @Test
  void chat_maximumBelowTokens_cutsTheAnswer() {
    OpenAIClient client = openai("tokens=50");
    ChatCompletion answer =
        client.chat().completions().create(chat().maxCompletionTokens(5).build());
    assertThat(answer.choices().getFirst().message().content()).contains(FIRST_FIVE);
    assertThat(answer.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.LENGTH);
  }

  @Test
  void chat_streamed_wordsThenFinishThenUsage() {
    for (String pace : List.of("tokens=40", "tokens=40&tps=2000", "tokens=2500")) {
      OpenAIClient client = openai(pace);
      ChatCompletion whole = client.chat().completions().create(chat().build());
      ChatCompletionStreamOptions usage =
          ChatCompletionStreamOptions.builder().includeUsage(true).build();
      List<ChatCompletionChunk> chunks = chunks(client, chat().streamOptions(usage).build());
      chunks.forEach(ChatCompletionChunk::validate);
      assertThat(text(chunks)).isEqualTo(whole.choices().getFirst().message().content().get());
      assertThat(chunks.getFirst().choices().getFirst().delta().role()).isPresent();
      ChatCompletionChunk finish = chunks.get(chunks.size() - 2);
      assertThat(finish.choices().getFirst().finishReason())
          .contains(ChatCompletionChunk.Choice.FinishReason.STOP);
      assertThat(chunks.getLast().choices()).isEmpty();
      assertThat(chunks.getLast().usage()).isEqualTo(whole.usage());
      assertThat(chunks.stream().map(ChatCompletionChunk::id).distinct()).hasSize(1);
    }
  }

  @Test
  void chat_streamedWithoutUsage_endsWithTheFinish() {
    OpenAIClient client = openai("tokens=5");
    List<ChatCompletionChunk> chunks = chunks(client, chat().build());
    assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.usage()).isEmpty());
    assertThat(chunks.getLast().choices().getFirst().finishReason()).isPresent();
  }

  private static List<ChatCompletionChunk> chunks(
      OpenAIClient client, ChatCompletionCreateParams params) {
    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(params)) {
      return stream.stream().toList();
    }
  }

  private static String text(List<ChatCompletionChunk> chunks) {
    return chunks.stream()
        .flatMap(chunk -> chunk.choices().stream())
        .map(choice -> choice.delta().content().orElse(""))
        .collect(Collectors.joining());
  }

  @Test
  void completions_wholeAndStreamed_answerEachPrompt() {
    OpenAIClient client = openai("tokens=5");
    CompletionCreateParams params =
        CompletionCreateParams.builder()
            .model("m")
            .promptOfArrayOfStrings(List.of("One", "Two"))
            .n(2)
            .build();
    Completion whole = client.completions().create(params).validate();
    assertThat(whole.choices()).hasSize(4);
    assertThat(whole.choices().getLast().text()).isEqualTo(FIRST_FIVE);
    assertThat(whole.usage().orElseThrow().completionTokens()).isEqualTo(20);
    try (StreamResponse<Completion> stream = client.completions().createStreaming(params)) {
      // not validated: the library requires a finish reason in every event, but the provider sends
      // null
      List<Completion> events = stream.stream().toList();
      assertThat(
              events.stream()
                  .flatMap(event -> event.choices().stream())
                  .filter(choice -> choice.index() == 3)
                  .map(CompletionChoice::text)
                  .collect(Collectors.joining()))
          .isEqualTo(FIRST_FIVE);
    }
  }

  @Test
  void responses_wholeAndStreamed_areTheSame() {
    OpenAIClient client = openai("tokens=40");
    ResponseCreateParams.Builder ask =
        ResponseCreateParams.builder().model("m").instructions("Be brief").input("How high?");
    Response whole = client.responses().create(ask.build()).validate();
    assertThat(whole.status()).contains(ResponseStatus.COMPLETED);
    // 17 bytes are 5 tokens, and 4 for the message
    assertThat(whole.usage().orElseThrow().inputTokens()).isEqualTo(9);
    assertThat(whole.usage().orElseThrow().outputTokens()).isEqualTo(40);
    String text = whole.output().getFirst().asMessage().content().getFirst().asOutputText().text();
    assertThat(text).startsWith(FIRST_FIVE);
    try (StreamResponse<ResponseStreamEvent> stream =
        client.responses().createStreaming(ask.build())) {
      List<ResponseStreamEvent> events =
          stream.stream().map(ResponseStreamEvent::validate).toList();
      assertThat(
              events.stream()
                  .filter(ResponseStreamEvent::isOutputTextDelta)
                  .map(event -> event.asOutputTextDelta().delta())
                  .collect(Collectors.joining()))
          .isEqualTo(text);
      assertThat(events.getLast().asCompleted().response().usage()).isEqualTo(whole.usage());
    }
    Response cut = client.responses().create(ask.maxOutputTokens(5).build()).validate();
    assertThat(cut.status()).contains(ResponseStatus.INCOMPLETE);
  }

  @Test
  void embeddings_oneVectorAnInput() {
    OpenAIClient client = openai("");
    for (EmbeddingCreateParams.EncodingFormat format :
        List.of(
            EmbeddingCreateParams.EncodingFormat.FLOAT,
            EmbeddingCreateParams.EncodingFormat.BASE64)) {
      CreateEmbeddingResponse answer =
          client
              .embeddings()
              .create(
                  EmbeddingCreateParams.builder()
                      .model("text-embedding-3-small")
                      .encodingFormat(format)
                      .dimensions(4)
                      .inputOfArrayOfStrings(Collections.nCopies(33, "12345"))
                      .build());
      assertThat(answer.data()).hasSize(33);
      assertThat(answer.data().get(32).index()).isEqualTo(32);
      assertThat(answer.data().get(32).embedding()).containsExactly(0.5f, -0.5f, 0.5f, -0.5f);
      assertThat(answer.usage().promptTokens()).isEqualTo(66);
    }
  }

  @Test
  void models_listed() {
    OpenAIClient client = openai("");
    assertThat(client.models().list().data()).extracting(model -> model.id()).contains("mock");
  }

  @Test
  void openaiOverItsLimit_isATypedErrorWithHeaders() {
    OpenAIClient client = openai("tokens=5&rpm=5&tpm=100&window=60s");
    client.chat().completions().create(chat().maxCompletionTokens(45).n(2).build());
    nowNanos.set(500_000_000L);
    RateLimitException over =
        catchThrowableOfType(
            RateLimitException.class,
            () -> client.chat().completions().create(chat().maxCompletionTokens(11).build()));
    assertThat(over.code()).contains("rate_limit_exceeded");
    assertThat(over.type()).contains("tokens");
    assertThat(over.headers().values("x-ratelimit-limit-tokens")).containsExactly("100");
    assertThat(over.headers().values("x-ratelimit-remaining-tokens")).containsExactly("10");
    assertThat(over.headers().values("x-ratelimit-reset-tokens")).containsExactly("59.5s");
    assertThat(over.headers().values("x-ratelimit-limit-requests")).containsExactly("5");
    assertThat(over.headers().values("x-ratelimit-remaining-requests")).containsExactly("4");
    assertThat(over.headers().values("retry-after")).containsExactly("60");
    assertThat(over.headers().values("retry-after-ms")).containsExactly("59500");
    nowNanos.set(60_000_000_000L);
    client.chat().completions().create(chat().maxCompletionTokens(100).build());
  }

  @Test
  void openaiFaults_areTypedErrors() {
    OpenAIClient client = openai("error_rate=1");
    assertThat(
            catchThrowableOfType(
                InternalServerException.class,
                () -> client.chat().completions().create(chat().build())))
        .isNotNull();
    assertThat(
            catchThrowableOfType(
                    BadRequestException.class,
                    () -> client.chat().completions().create(chat().n(129).build()))
                .param())
        .contains("n");
  }

  @Test
  void message_plain_isWholeAndCounted() {
    AnthropicClient client = anthropic("tokens=50");
    Message answer = client.messages().create(message(5).build()).validate();
    assertThat(answer.content().getFirst().asText().text()).isEqualTo(FIRST_FIVE);
    assertThat(answer.stopReason()).contains(StopReason.MAX_TOKENS);
    // 17 bytes are 5 tokens, and 4 for the message
    assertThat(answer.usage().inputTokens()).isEqualTo(9);
    assertThat(answer.usage().outputTokens()).isEqualTo(5);
    assertThat(client.messages().create(message(51).build()).stopReason())
        .contains(StopReason.END_TURN);
  }

  @Test
  void message_streamed_eventsInTheirOrder() {
    for (String pace : List.of("tokens=20", "tokens=20&tps=2000")) {
      AnthropicClient client = anthropic(pace);
      try (com.anthropic.core.http.StreamResponse<RawMessageStreamEvent> stream =
          client.messages().createStreaming(message(100).build())) {
        List<RawMessageStreamEvent> events = stream.stream().toList();
        events.forEach(RawMessageStreamEvent::validate);
        int last = events.size() - 1;
        assertThat(events.get(0).asMessageStart().message().usage().inputTokens()).isEqualTo(9);
        assertThat(events.get(1).isContentBlockStart()).isTrue();
        assertThat(events.get(last - 2).isContentBlockStop()).isTrue();
        assertThat(events.get(last - 1).asMessageDelta().usage().outputTokens()).isEqualTo(20);
        assertThat(events.get(last - 1).asMessageDelta().delta().stopReason())
            .contains(StopReason.END_TURN);
        assertThat(events.get(last).isMessageStop()).isTrue();
        String text =
            events.stream()
                .flatMap(event -> event.contentBlockDelta().stream())
                .map(event -> event.delta().asText().text())
                .collect(Collectors.joining());
        assertThat(text).startsWith(FIRST_FIVE).matches("(\\S+ ){19}\\S+");
      }
    }
  }

  @Test
  void anthropicOverItsLimit_isATypedErrorWithHeaders() {
    AnthropicClient client = anthropic("tokens=91&tpm=100&rpm=9&window=60s");
    client.messages().create(message(1_000_000).build());
    nowNanos.set(500_000_000L);
    com.anthropic.errors.RateLimitException over =
        catchThrowableOfType(
            com.anthropic.errors.RateLimitException.class,
            () -> client.messages().create(message(1).build()));
    assertThat(over.headers().values("anthropic-ratelimit-tokens-limit")).containsExactly("100");
    assertThat(over.headers().values("anthropic-ratelimit-tokens-remaining")).containsExactly("0");
    assertThat(over.headers().values("anthropic-ratelimit-tokens-reset"))
        .containsExactly("2025-01-01T00:01:00Z");
    assertThat(over.headers().values("anthropic-ratelimit-requests-remaining"))
        .containsExactly("8");
    assertThat(over.headers().values("retry-after")).containsExactly("60");
    assertThat(over.requestId()).contains("req_mock_2");
    nowNanos.set(60_000_000_000L);
    client.messages().create(message(1).build());
  }
}
