package io.penstock.clients;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.embeddings.EmbeddingCreateParams;
import io.penstock.fake.StrictProvider;
import io.penstock.mainjob.ClientCall;
import java.time.Duration;

/** The providers' own clients, pointed at the gateway, without retries. Safe from any thread. */
public final class SdkClients implements AutoCloseable {
  private final OpenAIClient openAi;
  private final AnthropicClient anthropic;
  private final String chatModel;
  private final String messageModel;
  private final String embeddingModel;

  /** Creates clients of an endpoint; they name models that its provider counts. */
  public SdkClients(String endpointUrl) {
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
  public static SdkClients uncounted(String endpointUrl) {
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
  public long perform(ClientCall clientCall) {
    return switch (clientCall.kind()) {
      case EMBEDDING -> embed(clientCall);
      case CHAT -> clientCall.stream() ? streamedChat(clientCall) : chat(clientCall);
      case MESSAGE -> clientCall.stream() ? streamedMessage(clientCall) : message(clientCall);
    };
  }

  private static String text(int tokens) {
    return "word".repeat(tokens);
  }

  private ChatCompletionCreateParams.Builder chatOf(ClientCall clientCall) {
    return ChatCompletionCreateParams.builder()
        .model(chatModel)
        .addUserMessage(text(clientCall.inputTokens() - 4))
        .n(clientCall.answers())
        .maxCompletionTokens(clientCall.maxTokens());
  }

  private long chat(ClientCall clientCall) {
    return openAi.chat().completions().create(chatOf(clientCall).build()).choices().stream()
        .mapToLong(choice -> choice.message().content().orElseThrow().length() / 4)
        .sum();
  }

  private long streamedChat(ClientCall clientCall) {
    ChatCompletionCreateParams.Builder params = chatOf(clientCall);
    if (clientCall.maxTokens() % 2 == 0) {
      params.streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build());
    }
    try (var stream = openAi.chat().completions().createStreaming(params.build())) {
      return stream.stream()
          .flatMap(chunk -> chunk.choices().stream())
          .mapToLong(choice -> choice.delta().content().orElse("").length() / 4)
          .sum();
    }
  }

  private long embed(ClientCall clientCall) {
    EmbeddingCreateParams params =
        EmbeddingCreateParams.builder()
            .model(embeddingModel)
            .encodingFormat(EmbeddingCreateParams.EncodingFormat.FLOAT)
            .input(text(clientCall.inputTokens()))
            .build();
    return openAi.embeddings().create(params).data().size() - 1L;
  }

  private MessageCreateParams messageOf(ClientCall clientCall) {
    return MessageCreateParams.builder()
        .model(messageModel)
        .addUserMessage(text(clientCall.inputTokens() - 4))
        .maxTokens(clientCall.maxTokens())
        .build();
  }

  private long message(ClientCall clientCall) {
    return anthropic.messages().create(messageOf(clientCall)).content().stream()
        .mapToLong(block -> block.asText().text().length() / 4)
        .sum();
  }

  private long streamedMessage(ClientCall clientCall) {
    try (var stream = anthropic.messages().createStreaming(messageOf(clientCall))) {
      return stream.stream()
          .flatMap(event -> event.contentBlockDelta().stream())
          .mapToLong(event -> event.delta().asText().text().length() / 4)
          .sum();
    }
  }
}
