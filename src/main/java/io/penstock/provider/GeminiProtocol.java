package io.penstock.provider;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.penstock.cost.Cost;
import io.penstock.cost.ModelOperation;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.ProviderLesson;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.provider.answer.GeminiAnswer;
import io.penstock.provider.request.BodyReader;
import io.penstock.provider.request.GeminiContent;
import io.penstock.provider.request.GeminiEmbeddings;
import io.penstock.provider.request.GeminiPath;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.UnreadBody;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gemini's protocol. Requests for content and vectors are read to estimate their cost; all others
 * pass unread, including those that count tokens. The path names the model and the call.
 */
final class GeminiProtocol implements ProviderProtocol {
  static final GeminiProtocol INSTANCE = new GeminiProtocol();

  private static final byte[] BLANK_LINES = "\n\n".getBytes(US_ASCII);

  /** The version that the present clients use. */
  private static final String VERSION = "/v1beta";

  /** Beginnings of paths without a version. */
  private static final List<String> UNVERSIONED = List.of("/models/", "/tunedModels/");

  private static final Pattern VERSIONED = Pattern.compile("/v1[a-z0-9]*(/|$)");

  private GeminiProtocol() {}

  @Override
  public boolean weighs(String method, String path) {
    GeminiPath named = GeminiPath.of(path);
    return method.equals("POST") && named != null && (named.generates() || named.embeds());
  }

  @Override
  public @Nullable ModelOperation operation(String path) {
    GeminiPath named = GeminiPath.of(path);
    if (named != null && named.generates()) {
      return ModelOperation.GENERATION;
    }
    return named != null && named.embeds() ? ModelOperation.EMBEDDING : null;
  }

  @Override
  public RequestReader requestReader(EndpointSpec.Reading reading, String path) {
    GeminiPath named = GeminiPath.of(path);
    if (named != null && named.generates()) {
      return new BodyReader(reading, new GeminiContent(named));
    }
    return named != null && named.embeds()
        ? new BodyReader(reading, new GeminiEmbeddings(named))
        : new UnreadBody(Cost.NO_TOKENS);
  }

  @Override
  public AnswerReader answerReader(@Nullable String contentType) {
    return AnswerReaders.orList(contentType, GeminiAnswer::new);
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return RefusalJson.gemini(refusal, call);
  }

  /**
   * Returns blank lines, because Google's Python client takes a comment for a broken part of the
   * answer.
   */
  @Override
  public byte[] heartbeat() {
    return BLANK_LINES;
  }

  /**
   * Returns null if the answer will be a JSON list instead of events, because nothing can be
   * inserted into a list.
   */
  @Override
  public byte @Nullable [] heartbeat(@Nullable String rawQuery) {
    return rawQuery != null && List.of(rawQuery.split("&", -1)).contains("alt=sse")
        ? heartbeat()
        : null;
  }

  @Override
  public byte[] heartbeat(byte[] plain, String text) {
    return plain;
  }

  @Override
  public ProviderLesson lesson(int status, Function<String, @Nullable String> header, byte[] body) {
    return AnswerLessons.SYSTEM.gemini(status, header, body);
  }

  /**
   * Adds the version for LiteLLM, which sends none unless its base URL contains one, and removes
   * one of two for Google's own clients, which always add one to their base URL.
   */
  @Override
  public String versioned(String basePath, String rawPath) {
    if (rawPath.startsWith(VERSION + VERSION + "/")) {
      return rawPath.substring(VERSION.length());
    }
    boolean bare = UNVERSIONED.stream().anyMatch(rawPath::startsWith);
    return bare && !VERSIONED.matcher(basePath).find() ? VERSION + rawPath : rawPath;
  }

  @Override
  public String renamed(String rawPath, String ownModel) {
    return GeminiPath.renamed(rawPath, ownModel);
  }

  @Override
  public boolean listsModels(String method, String path) {
    return method.equals("GET") && CallPaths.names(path, "/models") && !hasOtherShapes(path);
  }

  /** Returns whether a call is an OpenAI-compatible one of Google's, or one of Vertex AI. */
  private static boolean hasOtherShapes(String path) {
    return path.contains("/openai/models") || path.contains("/publishers/");
  }

  @Override
  public @Nullable String describedModel(String method, String path) {
    return method.equals("GET") && !hasOtherShapes(path) ? CallPaths.member(path, "/models") : null;
  }

  @Override
  public byte[] model(String name) {
    return ModelList.geminiModel(name);
  }

  @Override
  public byte[] models(List<String> names) {
    return ModelList.gemini(names);
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("x-goog-api-key", apiKey);
  }
}
