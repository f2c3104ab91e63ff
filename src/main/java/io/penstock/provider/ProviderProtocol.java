package io.penstock.provider;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.ModelOperation;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.SseWriter;
import io.penstock.pool.ProviderLesson;
import io.penstock.prefix.HashKey;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.provider.answer.SessionUsage;
import io.penstock.provider.request.BodyReader;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.UnreadBody;
import io.penstock.refusal.Refusal;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The protocol of one provider: reads its requests and answers, writes refusals, and makes its
 * calls. All that is special to a provider is here. Stateless and safe from any thread; each reader
 * that it creates belongs to a single request.
 */
public interface ProviderProtocol extends Dialect {

  /** Returns the protocol of {@code dialect}: each dialect of the table is one. */
  static ProviderProtocol of(Dialect dialect) {
    return (ProviderProtocol) dialect;
  }

  /**
   * Returns the body of a refusal by an endpoint without upstreams.
   *
   * @param retryAt the instant from which a retry would be served, or null when it is not known
   */
  static RefusalBody permitRefusal(Refusal refusal, @Nullable Instant retryAt) {
    return RefusalJson.permit(refusal, retryAt);
  }

  // Requests

  /**
   * Returns the weighed call at a path; null if bodies of requests to it are not read.
   *
   * @param path the decoded path at the upstream, such as {@code /v1/chat/completions}, without a
   *     query
   */
  @Nullable WeighedCall call(String path);

  /**
   * Returns whether a request is read to estimate its cost: a POST of generation or embedding JSON.
   * Others pass unread and count as one request.
   *
   * @param method the HTTP method, in capitals
   * @param path as in {@link #call}
   */
  default boolean weighs(String method, String path) {
    return method.equals("POST") && call(path) != null;
  }

  /**
   * Returns whether the path of a weighed call names no other model than the weighed one, however a
   * server reads it.
   *
   * @param model the model that is weighed, or null
   * @param rawPath the path as the upstream gets it
   * @param path the same path as in {@link #call}
   */
  default boolean namesOnly(@Nullable String model, String rawPath, String path) {
    WeighedCall call = call(path);
    return call == null || CallPaths.namesOnly(model, rawPath, path, call.path());
  }

  /** Returns what a request to {@code path} asks of a model; null if its body is not read. */
  default @Nullable ModelOperation operation(String path) {
    WeighedCall call = call(path);
    return call == null ? null : call.operation();
  }

  /**
   * Returns whether the path of a call alone shows that it is one of this provider's, at a server
   * of another, which may answer it too; path as in {@link #call}.
   */
  default boolean owns(String path) {
    return true;
  }

  /**
   * Returns whether a call creates a batch of requests for later. Its tokens are not known when it
   * is created. Method and path as in {@link #weighs}.
   */
  default boolean startsBatch(String method, String path) {
    return CallPaths.startsBatch(method, path);
  }

  /**
   * Returns whether a call costs nothing: a HEAD, a question about models, or a count of tokens;
   * method and path as in {@link #weighs}.
   */
  default boolean isLight(String method, String path) {
    return CallPaths.isLight(method, path);
  }

  /** Returns whether a WebSocket at {@code path} uses the model that its query names. */
  default boolean opensSession(String path) {
    return false;
  }

  /** As the other method, for fingerprints that are compared with no others. */
  default RequestReader requestReader(EndpointSpec.Reading reading, String path) {
    return requestReader(reading, path, HashKey.OF_PROCESS);
  }

  /**
   * Returns a reader for the body of one request to {@code path}.
   *
   * @param key the key of the fingerprints of beginnings of its prompt
   */
  default RequestReader requestReader(EndpointSpec.Reading reading, String path, HashKey key) {
    WeighedCall call = call(path);
    return call == null
        ? new UnreadBody(Cost.NO_TOKENS)
        : new BodyReader(reading, call.body().get(), key);
  }

  /**
   * Returns which of several members of a body states the maximum of output to a server.
   *
   * @param url the server's address
   * @param query the raw query of the request, or null
   * @return null if there is only one
   */
  default @Nullable String maximumMember(URI url, @Nullable String query) {
    return null;
  }

  // Answers

  /**
   * Returns a reader for one answer. It reads JSON and event streams, whatever media type they are
   * said to have, and nothing else.
   */
  AnswerReader answerReader();

  /**
   * Returns a reader for an answer that may be encoded although the gateway asked for none: gzip
   * and deflate are decoded, for other encodings the raw bytes are counted.
   */
  default AnswerReader answerReader(
      @Nullable String contentType, @Nullable String contentEncoding) {
    return AnswerReaders.encoded(answerReader(), contentType, contentEncoding);
  }

  /** Returns a reader for the messages of a session; null if the protocol has no such sessions. */
  default @Nullable SessionUsage sessionUsage() {
    return null;
  }

  /** Returns whether later requests may refer to an answer, which only its upstream knows. */
  default boolean keepsAnswers() {
    return false;
  }

  /**
   * Returns the id of the earlier answer that a call asks for, which states its usage anew; null if
   * it asks for none. The path is as in {@link #call}.
   */
  default @Nullable String askedAnswer(String path) {
    return null;
  }

  /** Returns the headers in which answers state limits. */
  default List<LimitHeader> limitHeaders() {
    return List.of();
  }

  /**
   * Returns the information about the provider's limits in an answer.
   *
   * @param header returns the value of a header of the answer, or null
   * @param body the beginning of an error's body, decoded; empty if it was not read
   */
  default ProviderLesson lesson(
      int status, Function<String, @Nullable String> header, byte[] body) {
    return AnswerLessons.SYSTEM.lesson(limitHeaders(), status, header, body);
  }

  // Refusals, and signs of life

  /** Returns a body that makes the provider's own client library raise its own typed error. */
  RefusalBody refusalBody(Refusal refusal, RefusedCall call);

  /**
   * Returns the longest time after which clients of the provider repeat a refused call by
   * themselves, in seconds; 0 if they do so after any time.
   */
  default long retryAfterMaxSeconds() {
    return 0;
  }

  /**
   * Returns bytes without meaning that can be written into an event stream repeatedly before its
   * first event; null if the protocol has no streams. Must not be modified.
   *
   * @param rawQuery the query of the request, which may be null; null is returned if it asks for a
   *     stream that does not consist of events, because nothing can be inserted there
   */
  default byte @Nullable [] heartbeat(@Nullable String rawQuery) {
    return SseWriter.comment();
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
   * Returns the end of a stream by an error after which clients do not send the request again.
   *
   * @param json the body of the error, with an object {@code error}
   * @param path the path of the call
   * @param requestId the id of the request
   */
  default byte[] finalErrorEvent(byte[] json, String path, String requestId) {
    return errorEvent(json);
  }

  // Paths and headers

  /** Returns the beginning of all paths of calls, such as {@code /v1}; empty if there is none. */
  String version();

  /** Returns what clients expect in a base URL behind the path of an endpoint. */
  default String basePath() {
    return "";
  }

  /**
   * Returns the last segment of an upstream's path, with its slash, if the paths of clients begin
   * with it; else an empty text.
   */
  default String repeatedSegment(String urlPath) {
    return CallPaths.version(urlPath);
  }

  /**
   * Returns whether a request to a path that no endpoint has comes from a client of this provider.
   *
   * @param path raw, in lower case
   */
  default boolean isSpokenBy(String path, HttpHeaders headers) {
    return false;
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

  /** Returns the headers, by name, that authenticate with an upstream. */
  Map<String, String> credentials(String apiKey);

  /** Returns whether a credential may be in the query. */
  default boolean readsKeyInQuery() {
    return false;
  }

  /** Returns the headers that each call needs besides a credential. */
  default Map<String, String> headers() {
    return Map.of();
  }

  /** Returns the names of headers of clients that choose how the provider reads a call. */
  default Set<String> versionHeaders() {
    return Set.of();
  }

  // Models

  /** Returns whether a GET of {@code path} asks for models, or one of them, in its own format. */
  default boolean describesModels(String path) {
    return true;
  }

  /**
   * Returns whether a request asks for the list of models; method and path as in {@link #weighs}.
   */
  default boolean listsModels(String method, String path) {
    return method.equals("GET") && describesModels(path) && CallPaths.names(path, "/models");
  }

  /**
   * Returns the name of the model about which a request asks, or null if it asks for no model's
   * description; method and path as in {@link #weighs}.
   */
  default @Nullable String describedModel(String method, String path) {
    return method.equals("GET") && describesModels(path) ? CallPaths.member(path, "/models") : null;
  }

  /** Writes the members of the object that describes a model. */
  void describe(JsonGenerator json, String model);

  /** Writes the members of the list of models, in the given order. */
  void list(JsonGenerator json, List<String> models);

  // Calls that the gateway makes

  /** Returns a common, small and cheap model, used if no upstream names those it serves. */
  String smallModel();

  /** Returns the raw path of the smallest call, behind the version, with its query, if any. */
  String smallestPath(String model);

  /** Returns the body of the smallest call: one word of input and one token of output. */
  Map<String, Object> smallestBody(String model);

  /**
   * Returns the call that counts the input of a request to {@code path}, raw, without slashes at
   * its end; null if there is none.
   */
  default @Nullable CountCall countCall(String path, String ownModel) {
    return null;
  }

  /** Returns the path to which a client would send a body. */
  String pathOf(JsonNode body);

  /** Adds a text to an empty body, as the smallest request that contains it. */
  void put(String text, ObjectNode body);

  /** Returns whether the body of a request names its model. */
  default boolean namesModelInBody() {
    return true;
  }

  /** Returns the name of the mock provider that answers in this format. */
  default String mockName() {
    return text();
  }
}
