package io.penstock.provider;

import io.penstock.cost.Dialect;
import io.penstock.cost.ModelOperation;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.SseWriter;
import io.penstock.pool.ProviderLesson;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.provider.answer.SessionUsage;
import io.penstock.provider.request.RequestReader;
import io.penstock.refusal.Refusal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of one provider: estimates the cost of requests, reads the usage in answers, and
 * writes refusals. Stateless and safe from any thread; each reader that it creates belongs to a
 * single request.
 */
public sealed interface ProviderProtocol
    permits OpenAiProtocol, AzureProtocol, AnthropicProtocol, GeminiProtocol, PlainProtocol {

  /** Returns the protocol of {@code dialect}. */
  static ProviderProtocol of(Dialect dialect) {
    return switch (dialect) {
      case OPENAI -> OpenAiProtocol.INSTANCE;
      case AZURE -> AzureProtocol.INSTANCE;
      case ANTHROPIC -> AnthropicProtocol.INSTANCE;
      case GEMINI -> GeminiProtocol.INSTANCE;
      case NONE -> PlainProtocol.INSTANCE;
    };
  }

  /** Returns the body of a refusal by an endpoint without upstreams, without an instant. */
  static RefusalBody permitRefusal(Refusal refusal) {
    return permitRefusal(refusal, null);
  }

  /**
   * Returns the body of a refusal by an endpoint without upstreams.
   *
   * @param retryAt the instant from which a retry would be served, or null when it is not known
   */
  static RefusalBody permitRefusal(Refusal refusal, @Nullable Instant retryAt) {
    return RefusalJson.permit(refusal, retryAt);
  }

  /**
   * Returns whether a request is read to estimate its cost: a POST of generation or embedding JSON.
   * Others pass unread and count as one request.
   *
   * @param method the HTTP method, in capitals
   * @param path the decoded path at the upstream, such as {@code /v1/chat/completions}, without a
   *     query
   */
  boolean weighs(String method, String path);

  /**
   * Returns the protocol that reads a call: this one, or that of another provider whose calls this
   * one's servers answer too, such as OpenAI's below {@code /v1beta/openai}. Null if the call is
   * not read; method and path as in {@link #weighs}.
   */
  default @Nullable ProviderProtocol reader(String method, String path) {
    return weighs(method, path) ? this : AdoptedCalls.reader(method, path);
  }

  /**
   * Returns whether a call lets the provider work on a batch of requests later, whose tokens nobody
   * knows when it is created; method and path as in {@link #weighs}.
   */
  default boolean startsBatch(String method, String path) {
    return AdoptedCalls.startsBatch(method, path);
  }

  /**
   * Returns the operation that a request to {@code path} asks of a model; null if such requests are
   * not read.
   */
  default @Nullable ModelOperation operation(String path) {
    return null;
  }

  /** Returns a reader for the body of one request to {@code path}. */
  RequestReader requestReader(EndpointSpec.Reading reading, String path);

  /**
   * Returns a reader for one answer. It reads JSON and event streams but no other types; an answer
   * without a type is treated as JSON.
   */
  AnswerReader answerReader(@Nullable String contentType);

  /**
   * Returns a reader for an answer that may be encoded although the gateway asked for none: gzip
   * and deflate are decoded, for other encodings the raw bytes are counted.
   */
  default AnswerReader answerReader(
      @Nullable String contentType, @Nullable String contentEncoding) {
    return AnswerReaders.encoded(answerReader(contentType), contentEncoding);
  }

  /** Returns a reader for the messages of a session; null if the protocol has no such sessions. */
  default @Nullable SessionUsage sessionUsage() {
    return null;
  }

  /** Returns a body that makes the provider's own client library raise its own typed error. */
  RefusalBody refusalBody(Refusal refusal, RefusedCall call);

  /** Returns such a body for a request of which only the id is known. */
  default RefusalBody refusalBody(Refusal refusal, String requestId) {
    return refusalBody(refusal, RefusedCall.of(requestId));
  }

  /**
   * Returns bytes without meaning that can be written into an event stream repeatedly before its
   * first event; null if the protocol has no streams. Must not be modified.
   */
  default byte @Nullable [] heartbeat() {
    return null;
  }

  /**
   * Returns the same for a request with the given raw query, which may be null: null if the request
   * asks for a stream that does not consist of events, because nothing can be inserted there.
   */
  default byte @Nullable [] heartbeat(@Nullable String rawQuery) {
    return heartbeat();
  }

  /**
   * Returns such bytes that say something to a person who reads the stream; the plain ones where
   * the provider's own clients accept nothing but events.
   *
   * @param plain the result of {@link #heartbeat}
   * @param text a text of printable ASCII characters
   */
  default byte[] heartbeat(byte[] plain, String text) {
    return SseWriter.comment(text);
  }

  /** Returns an event that reports an error in a stream, given the JSON of the error's body. */
  default byte[] errorEvent(byte[] json) {
    return SseWriter.data(json);
  }

  /**
   * Returns the information about the provider's limits in an answer.
   *
   * @param header returns the value of a header of the answer, or null
   * @param body the beginning of an error's body, decoded; empty if it was not read
   */
  default ProviderLesson lesson(
      int status, Function<String, @Nullable String> header, byte[] body) {
    return ProviderLesson.silent(status);
  }

  /**
   * Returns the raw path with its model replaced by the upstream's own name for it; the path itself
   * if it names no model.
   */
  default String renamed(String rawPath, String ownModel) {
    return rawPath;
  }

  /**
   * Returns the raw path to request at an upstream with the version of the API in it once, although
   * clients disagree about whether their base URL contains it.
   *
   * @param basePath the path of the upstream's URL, which may contain the version
   */
  default String versioned(String basePath, String rawPath) {
    return rawPath;
  }

  /** Returns whether a request asks for the list of models; {@code path} as in {@link #weighs}. */
  default boolean listsModels(String method, String path) {
    return false;
  }

  /** Returns the list of models as JSON, in the given order. */
  default byte[] models(List<String> names) {
    throw new UnsupportedOperationException("there are no models in this dialect");
  }

  /**
   * Returns the name of the model about which a request asks, or null if it asks for no model's
   * description; {@code path} as in {@link #weighs}.
   */
  default @Nullable String describedModel(String method, String path) {
    return null;
  }

  /** Returns the description of one model as JSON. */
  default byte[] model(String name) {
    throw new UnsupportedOperationException("there are no models in this dialect");
  }

  /** Returns the headers, by name, that authenticate with an upstream. */
  Map<String, String> credentials(String apiKey);
}
