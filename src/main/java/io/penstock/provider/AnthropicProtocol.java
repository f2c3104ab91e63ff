package io.penstock.provider;

import io.penstock.cost.Cost;
import io.penstock.cost.ModelOperation;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.SseWriter;
import io.penstock.pool.ProviderLesson;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.provider.answer.AnthropicAnswer;
import io.penstock.provider.request.AnthropicCompletion;
import io.penstock.provider.request.AnthropicMessages;
import io.penstock.provider.request.BodyReader;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.UnreadBody;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Anthropic's protocol. Requests for messages and for text completions, the older call, are read to
 * estimate their cost; all others pass unread, including those that count tokens.
 */
final class AnthropicProtocol implements ProviderProtocol {
  static final AnthropicProtocol INSTANCE = new AnthropicProtocol();

  private AnthropicProtocol() {}

  @Override
  public boolean weighs(String method, String path) {
    return method.equals("POST") && (isMessages(path) || isCompletion(path));
  }

  private static boolean isMessages(String path) {
    return CallPaths.names(path, "/messages");
  }

  private static boolean isCompletion(String path) {
    return CallPaths.names(path, "/complete");
  }

  @Override
  public @Nullable ModelOperation operation(String path) {
    if (isMessages(path)) {
      return ModelOperation.CHAT;
    }
    return isCompletion(path) ? ModelOperation.COMPLETION : null;
  }

  @Override
  public RequestReader requestReader(EndpointSpec.Reading reading, String path) {
    if (isMessages(path)) {
      return new BodyReader(reading, new AnthropicMessages());
    }
    return isCompletion(path)
        ? new BodyReader(reading, new AnthropicCompletion())
        : new UnreadBody(Cost.NO_TOKENS);
  }

  @Override
  public AnswerReader answerReader(@Nullable String contentType) {
    return AnswerReaders.of(contentType, AnthropicAnswer::new);
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return RefusalJson.anthropic(refusal, call);
  }

  @Override
  public byte[] heartbeat() {
    return SseWriter.comment();
  }

  @Override
  public byte[] errorEvent(byte[] json) {
    return SseWriter.named("error", json);
  }

  @Override
  public ProviderLesson lesson(int status, Function<String, @Nullable String> header, byte[] body) {
    return AnswerLessons.SYSTEM.anthropic(status, header, body);
  }

  @Override
  public boolean listsModels(String method, String path) {
    return method.equals("GET") && CallPaths.names(path, "/models");
  }

  @Override
  public byte[] models(List<String> names) {
    return ModelList.anthropic(names);
  }

  @Override
  public @Nullable String describedModel(String method, String path) {
    return method.equals("GET") ? CallPaths.member(path, "/models") : null;
  }

  @Override
  public byte[] model(String name) {
    return ModelList.anthropicModel(name);
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("x-api-key", apiKey);
  }
}
