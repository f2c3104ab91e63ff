package io.penstock.provider;

import io.penstock.cost.Cost;
import io.penstock.cost.ModelOperation;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.SseWriter;
import io.penstock.pool.ProviderLesson;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.provider.answer.OpenAiAnswer;
import io.penstock.provider.answer.SessionUsage;
import io.penstock.provider.request.BodyReader;
import io.penstock.provider.request.OpenAiChat;
import io.penstock.provider.request.OpenAiCompletions;
import io.penstock.provider.request.OpenAiEmbeddings;
import io.penstock.provider.request.OpenAiImages;
import io.penstock.provider.request.OpenAiResponses;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.RequestVisitor;
import io.penstock.provider.request.UnreadBody;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI's protocol. Requests for chat and text completions, responses, embeddings and images are
 * read to estimate their cost. All others pass unread, including batches, uploads and the counting
 * of tokens.
 */
final class OpenAiProtocol implements ProviderProtocol {
  static final OpenAiProtocol INSTANCE = new OpenAiProtocol();

  private enum Call {
    CHAT,
    COMPLETIONS,
    RESPONSES,
    COMPACTION,
    EMBEDDINGS,
    IMAGES
  }

  private OpenAiProtocol() {}

  @Override
  public boolean weighs(String method, String path) {
    return method.equals("POST") && call(path) != null;
  }

  @Override
  public RequestReader requestReader(EndpointSpec.Reading reading, String path) {
    RequestVisitor visitor = visitor(path);
    return visitor == null ? new UnreadBody(Cost.NO_TOKENS) : new BodyReader(reading, visitor);
  }

  @Override
  public @Nullable ModelOperation operation(String path) {
    return switch (call(path)) {
      case null -> null;
      case EMBEDDINGS -> ModelOperation.EMBEDDING;
      case COMPLETIONS -> ModelOperation.COMPLETION;
      case IMAGES -> ModelOperation.GENERATION;
      case CHAT, RESPONSES, COMPACTION -> ModelOperation.CHAT;
    };
  }

  /** Returns the visitor that reads requests of a call, or null if they are not read. */
  static @Nullable RequestVisitor visitor(String path) {
    return switch (call(path)) {
      case null -> null;
      case CHAT -> new OpenAiChat();
      case COMPLETIONS -> new OpenAiCompletions();
      case RESPONSES -> OpenAiResponses.ofResponse();
      case COMPACTION -> OpenAiResponses.ofCompaction();
      case EMBEDDINGS -> new OpenAiEmbeddings();
      case IMAGES -> new OpenAiImages();
    };
  }

  private static @Nullable Call call(String path) {
    if (CallPaths.names(path, "/chat/completions")) {
      return Call.CHAT;
    }
    if (CallPaths.names(path, "/completions")) {
      return Call.COMPLETIONS;
    }
    if (CallPaths.names(path, "/responses")) {
      return Call.RESPONSES;
    }
    if (CallPaths.names(path, "/responses/compact")) {
      return Call.COMPACTION;
    }
    if (CallPaths.names(path, "/images/generations")) {
      return Call.IMAGES;
    }
    return CallPaths.names(path, "/embeddings") ? Call.EMBEDDINGS : null;
  }

  @Override
  public AnswerReader answerReader(@Nullable String contentType) {
    return AnswerReaders.of(contentType, OpenAiAnswer::new);
  }

  @Override
  public SessionUsage sessionUsage() {
    return new SessionUsage();
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return RefusalJson.openAi(refusal, call);
  }

  @Override
  public byte[] heartbeat() {
    return SseWriter.comment();
  }

  @Override
  public ProviderLesson lesson(int status, Function<String, @Nullable String> header, byte[] body) {
    return AnswerLessons.SYSTEM.openAi(status, header, body);
  }

  @Override
  public boolean listsModels(String method, String path) {
    return method.equals("GET") && CallPaths.names(path, "/models");
  }

  @Override
  public byte[] models(List<String> names) {
    return ModelList.openAi(names);
  }

  @Override
  public @Nullable String describedModel(String method, String path) {
    return method.equals("GET") ? CallPaths.member(path, "/models") : null;
  }

  @Override
  public byte[] model(String name) {
    return ModelList.openAiModel(name);
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("Authorization", "Bearer " + apiKey);
  }
}
