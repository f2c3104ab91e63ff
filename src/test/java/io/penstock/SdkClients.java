package io.penstock;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.embeddings.EmbeddingCreateParams;
import io.penstock.fake.StrictProvider;
import java.time.Duration;

/** The providers' own clients, pointed at the gateway, without retries. Safe from any thread. */
final class SdkClients implements AutoCloseable {
  private final OpenAIClient openAi;
  private final AnthropicClient anthropic;
  private final String chatModel;
  private final String messageModel;
  private final String embeddingModel;

  /** Creates clients of an endpoint; they name models that its provider counts. */
  SdkClients(String endpointUrl) {
    this(endpointUrl, "any");
  }

  /** Creates clients that send that key. */
  SdkClients(String endpointUrl, String key) {
    this(endpointUrl, key, "gpt-4o", "claude-sonnet-4-20250514", "text-embedding-3-small");
  }

  private SdkClients(
      String endpointUrl,
      String key,
      String chatModel,
      String messageModel,
      String embeddingModel) {
    this.openAi =
        OpenAIOkHttpClient.builder()
            .baseUrl(endpointUrl + "/v1")
            .apiKey(key)
            .maxRetries(0)
            .timeout(Duration.ofMinutes(5))
            .build();
    this.anthropic =
        AnthropicOkHttpClient.builder()
            .baseUrl(endpointUrl)
            .apiKey(key)
            .maxRetries(0)
            .timeout(Duration.ofMinutes(5))
            .build();
    this.chatModel = chatModel;
    this.messageModel = messageModel;
    this.embeddingModel = embeddingModel;
  }

  /** Creates clients with requests that no provider counts. */
  static SdkClients uncounted(String endpointUrl) {
    String model = StrictProvider.UNCOUNTED;
    return new SdkClients(endpointUrl, "any", model, model, model);
  }

  OpenAIClient openAi() {
    return openAi;
  }

  AnthropicClient anthropic() {
    return anthropic;
  }

  @Override
  public void close() {
    openAi.close();
    anthropic.close();
  }

  /** Makes the call and returns the output tokens that came back; errors are the client's own. */
  long perform(Call call) {
    return switch (call.kind()) {
      case EMBEDDING -> embed(call);
      case CHAT -> call.stream() ? streamedChat(call) : chat(call);
      case MESSAGE -> call.stream() ? streamedMessage(call) : message(call);
    };
  }

  private static String text(int tokens) {
    return "word".repeat(tokens);
  }

  private ChatCompletionCreateParams.Builder chatOf(Call call) {
    return ChatCompletionCreateParams.builder()
        .model(chatModel)
        .addUserMessage(text(call.inputTokens() - 4))
        .n(call.answers())
        .maxCompletionTokens(call.maxTokens());
  }

  private long chat(Call call) {
    return openAi.chat().completions().create(chatOf(call).build()).choices().stream()
        .mapToLong(choice -> choice.message().content().orElseThrow().length() / 4)
        .sum();
  }

  private long streamedChat(Call call) {
    ChatCompletionCreateParams.Builder params = chatOf(call);
    if (call.maxTokens() % 2 == 0) {
      params.streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build());
    }
    try (var stream = openAi.chat().completions().createStreaming(params.build())) {
      return stream.stream()
          .flatMap(chunk -> chunk.choices().stream())
          .mapToLong(choice -> choice.delta().content().orElse("").length() / 4)
          .sum();
    }
  }

  private long embed(Call call) {
    EmbeddingCreateParams params =
        EmbeddingCreateParams.builder()
            .model(embeddingModel)
            .encodingFormat(EmbeddingCreateParams.EncodingFormat.FLOAT)
            .input(text(call.inputTokens()))
            .build();
    return openAi.embeddings().create(params).data().size() - 1L;
  }

  private MessageCreateParams messageOf(Call call) {
    return MessageCreateParams.builder()
        .model(messageModel)
        .addUserMessage(text(call.inputTokens() - 4))
        .maxTokens(call.maxTokens())
        .build();
  }

  private long message(Call call) {
    return anthropic.messages().create(messageOf(call)).content().stream()
        .mapToLong(block -> block.asText().text().length() / 4)
        .sum();
  }

  private long streamedMessage(Call call) {
    try (var stream = anthropic.messages().createStreaming(messageOf(call))) {
      return stream.stream()
          .flatMap(event -> event.contentBlockDelta().stream())
          .mapToLong(event -> event.delta().asText().text().length() / 4)
          .sum();
    }
  }
}
