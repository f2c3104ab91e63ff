package io.penstock.provider.gemini;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.ModelOperation;
import io.penstock.provider.CountCall;
import io.penstock.provider.ModelList;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusedCall;
import io.penstock.provider.WeighedCall;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.refusal.Refusal;
import java.net.URLEncoder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.util.UriUtils;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Gemini's protocol. Requests for content and vectors are read to estimate their cost; all others
 * pass unread, including those that count tokens. The path names the model and the call. Gemini
 * states no limits in headers, only in the details of errors.
 */
public final class GeminiProtocol implements ProviderProtocol {
  private static final byte[] BLANK_LINES = "\n\n".getBytes(US_ASCII);

  /** The version that the present clients use. */
  private static final String VERSION = "/v1beta";

  private static final String MODELS = "/models/";

  /** Beginnings of paths without a version. */
  private static final List<String> UNVERSIONED = List.of(MODELS, "/tunedModels/");

  private static final Pattern VERSIONED = Pattern.compile("/v1[a-z0-9]*(/|$)");

  @Override
  public String text() {
    return "gemini";
  }

  @Override
  public ChargeRule charge() {
    return ChargeRule.GEMINI;
  }

  @Override
  public String telemetryName() {
    return "gcp.gemini";
  }

  @Override
  public @Nullable WeighedCall call(String path) {
    GeminiPath named = GeminiPath.of(path);
    if (named != null && named.generates()) {
      return new WeighedCall(path, ModelOperation.GENERATION, () -> GeminiBodies.content(named));
    }
    return named != null && named.embeds()
        ? new WeighedCall(path, ModelOperation.EMBEDDING, () -> GeminiBodies.vectors(named))
        : null;
  }

  @Override
  public boolean namesOnly(@Nullable String model, String rawPath, String path) {
    return GeminiPath.namesOnly(model, rawPath, path);
  }

  @Override
  public AnswerReader answerReader() {
    return AnswerReaders.of(GeminiAnswer::new);
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return GeminiRefusal.body(refusal, call);
  }

  /**
   * Returns blank lines, because Google's Python client takes a comment for a broken part of the
   * answer; null if the answer will be a JSON list instead of events.
   */
  @Override
  public byte @Nullable [] heartbeat(@Nullable String rawQuery) {
    return rawQuery != null && List.of(rawQuery.split("&", -1)).contains("alt=sse")
        ? BLANK_LINES
        : null;
  }

  @Override
  public byte[] heartbeat(byte[] plain, String text) {
    return plain;
  }

  @Override
  public String version() {
    return VERSION;
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
  public boolean isSpokenBy(String path, HttpHeaders headers) {
    return headers.containsHeader("x-goog-api-key")
        || headers.containsHeader("x-goog-api-client")
        || Stream.of(
                ":generatecontent",
                ":streamgeneratecontent",
                ":counttokens",
                ":embedcontent",
                ":batchembedcontents")
            .anyMatch(path::contains);
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("x-goog-api-key", apiKey);
  }

  @Override
  public boolean readsKeyInQuery() {
    return true;
  }

  /** Returns false for the calls of Google's that are OpenAI's, and for those of Vertex AI. */
  @Override
  public boolean describesModels(String path) {
    return !path.contains("/openai/models") && !path.contains("/publishers/");
  }

  /** Writes {@code {"name","displayName"}}, the name with its collection. */
  @Override
  public void describe(JsonGenerator json, String model) {
    json.writeStringProperty("name", model.indexOf('/') < 0 ? "models/" + model : model);
    json.writeStringProperty("displayName", model);
  }

  /** Writes {@code {"models":[…]}}. */
  @Override
  public void list(JsonGenerator json, List<String> models) {
    ModelList.array(json, "models", this, models);
  }

  @Override
  public String smallModel() {
    return "gemini-2.0-flash";
  }

  @Override
  public String smallestPath(String model) {
    return MODELS + UriUtils.encodePathSegment(model, UTF_8) + ":generateContent";
  }

  @Override
  public Map<String, Object> smallestBody(String model) {
    return Map.of(
        "contents",
        List.of(Map.of("role", "user", "parts", List.of(Map.of("text", "Hi")))),
        "generationConfig",
        Map.of("maxOutputTokens", 1));
  }

  /** {@inheritDoc} Source: Gemini API reference, {@code models.countTokens}. */
  @Override
  public @Nullable CountCall countCall(String path, String ownModel) {
    int models = path.lastIndexOf(MODELS);
    String lower = path.toLowerCase(Locale.ROOT);
    if (models < 0 || !(lower.endsWith(":generatecontent") || lower.contains(":streamgenerate"))) {
      return null;
    }
    String name = URLEncoder.encode(ownModel, UTF_8).replace("+", "%20");
    return new CountCall(
        path.substring(0, models + MODELS.length()) + name + ":countTokens",
        "models/" + ownModel,
        null,
        "generateContentRequest",
        "totalTokens");
  }

  @Override
  public String pathOf(JsonNode body) {
    return "/v1beta/models/-:generateContent";
  }

  @Override
  public void put(String text, ObjectNode body) {
    body.putArray("contents").addObject().putArray("parts").addObject().put("text", text);
  }

  @Override
  public boolean namesModelInBody() {
    return false;
  }
}
