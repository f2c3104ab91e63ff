package io.penstock.provider;

import io.penstock.cost.Dialect;
import io.penstock.cost.Operation;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.Events;
import io.penstock.pool.Lesson;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.provider.request.RequestReader;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How one provider speaks: what a request weighs, what an answer used, and how the provider says
 * no. Stateless and safe from any thread; the readers it makes belong to one request each.
 */
public sealed interface Speech
    permits OpenAiSpeech, AzureSpeech, AnthropicSpeech, GeminiSpeech, PlainSpeech {

  /** Returns the speech of {@code dialect}. */
  static Speech of(Dialect dialect) {
    return switch (dialect) {
      case OPENAI -> OpenAiSpeech.INSTANCE;
      case AZURE -> AzureSpeech.INSTANCE;
      case ANTHROPIC -> AnthropicSpeech.INSTANCE;
      case GEMINI -> GeminiSpeech.INSTANCE;
      case NONE -> PlainSpeech.INSTANCE;
    };
  }

  /** Returns the body of a refusal by an endpoint that has no upstreams. */
  static RefusalBody permitRefusal(Refusal refusal) {
    return RefusalJson.permit(refusal);
  }

  /**
   * Returns whether a request is weighed: a POST of generation or embedding JSON. Others pass and
   * count as one request.
   *
   * @param method the HTTP method, in capitals
   * @param path the decoded path below the endpoint, such as {@code /v1/chat/completions}, without
   *     a query
   */
  boolean weighs(String method, String path);

  /** Returns what a request to {@code path} asks a model for; null where none is weighed there. */
  default @Nullable Operation operation(String path) {
    return null;
  }

  /** Returns a reader for the body of one request to {@code path}. */
  RequestReader requestReader(EndpointSpec.Reading reading, String path);

  /**
   * Returns a reader for one answer. JSON and event streams are read, other types are not; an
   * answer without a type is taken for JSON.
   */
  AnswerReader answerReader(@Nullable String contentType);

  /**
   * The same for an answer that may be encoded, though it was asked for as it is: gzip and deflate
   * are read, of other codings the bytes are counted.
   */
  default AnswerReader answerReader(
      @Nullable String contentType, @Nullable String contentEncoding) {
    return AnswerReaders.encoded(answerReader(contentType), contentEncoding);
  }

  /** Returns the body that the provider's own client library turns into its own typed error. */
  RefusalBody refusalBody(Refusal refusal, String requestId);

  /**
   * Returns what can be written into an event stream again and again, before its first event,
   * without saying anything; null where no streams are known. Not to be written to.
   */
  default byte @Nullable [] heartbeat() {
    return null;
  }

  /**
   * Does the same for a request with that raw query, or null: where it asks for a stream that is
   * none of events, there is nothing that could be written.
   */
  default byte @Nullable [] heartbeat(@Nullable String rawQuery) {
    return heartbeat();
  }

  /** Returns the event that tells an error in a stream, given the JSON of its body. */
  default byte[] errorEvent(byte[] json) {
    return Events.data(json);
  }

  /**
   * Returns what an answer teaches about the provider's limits.
   *
   * @param header returns the value of a header of the answer, or null
   * @param body the beginning of an error's body, decoded; empty where it was not read
   */
  default Lesson lesson(int status, Function<String, @Nullable String> header, byte[] body) {
    return Lesson.silent(status);
  }

  /**
   * Returns the raw path with the model it names replaced by the upstream's own name for it; the
   * path itself where it names none.
   */
  default String renamed(String rawPath, String ownModel) {
    return rawPath;
  }

  /** Returns whether a request asks which models there are; {@code path} as in {@link #weighs}. */
  default boolean listsModels(String method, String path) {
    return false;
  }

  /** Returns the JSON that tells which models there are, in the order given. */
  default byte[] models(List<String> names) {
    throw new UnsupportedOperationException("there are no models in this dialect");
  }

  /** Returns the headers, by name, that authenticate with an upstream. */
  Map<String, String> credentials(String apiKey);
}
