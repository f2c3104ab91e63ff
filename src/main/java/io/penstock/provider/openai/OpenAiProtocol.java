package io.penstock.provider.openai;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.ModelOperation;
import io.penstock.provider.CallPaths;
import io.penstock.provider.CountCall;
import io.penstock.provider.LimitHeader;
import io.penstock.provider.ModelList;
import io.penstock.provider.ProbeRequest;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusedCall;
import io.penstock.provider.ResetForm;
import io.penstock.provider.WeighedCall;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.AnswerReaders;
import io.penstock.provider.answer.SessionUsage;
import io.penstock.refusal.Refusal;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * OpenAI's protocol, which many servers speak. Requests for chat and text completions, responses,
 * embeddings and images are read to estimate their cost. All others pass unread, including batches,
 * uploads and the counting of tokens.
 */
public class OpenAiProtocol implements ProviderProtocol {
  private static final List<WeighedCall> CALLS =
      List.of(
          new WeighedCall("/chat/completions", ModelOperation.CHAT, OpenAiBodies::chat),
          new WeighedCall("/completions", ModelOperation.COMPLETION, OpenAiBodies::completions),
          new WeighedCall("/responses", ModelOperation.CHAT, () -> new OpenAiResponses(false)),
          new WeighedCall(
              "/responses/compact", ModelOperation.CHAT, () -> new OpenAiResponses(true)),
          new WeighedCall("/images/generations", ModelOperation.GENERATION, OpenAiImages::new),
          new WeighedCall("/embeddings", ModelOperation.EMBEDDING, OpenAiBodies::embeddings));

  /** Source: OpenAI's rate-limit guide, "Rate limits in headers". */
  private static final List<LimitHeader> LIMITS =
      List.of(limit(LimitMeasure.REQUESTS, "requests"), limit(LimitMeasure.TOKENS, "tokens"));

  private static final String OF_OPENAI = "max_completion_tokens";
  private static final List<String> HOSTS =
      List.of("api.openai.com", "openai.azure.com", "cognitiveservices.azure.com");

  private static final Pattern API_VERSION =
      Pattern.compile("(?:^|&)api-version=([0-9]{4}-[0-9]{2})");

  /** The month of Azure's first version that knows {@code max_completion_tokens}. */
  private static final String FIRST_VERSION = "2024-09";

  /** Members of a request for a response that the call which counts its tokens accepts. */
  private static final Set<String> COUNTED =
      Set.of(
          "input",
          "instructions",
          "tools",
          "tool_choice",
          "parallel_tool_calls",
          "previous_response_id",
          "conversation",
          "reasoning",
          "text",
          "truncation");

  /** Ends of paths by which its clients are recognised, besides those of weighed calls. */
  private static final List<String> KNOWN =
      List.of("/moderations", "/audio/speech", "/audio/transcriptions");

  private static LimitHeader limit(LimitMeasure measure, String name) {
    return new LimitHeader(
        measure,
        "x-ratelimit-limit-" + name,
        "x-ratelimit-remaining-" + name,
        "x-ratelimit-reset-" + name,
        ResetForm.DURATION);
  }

  @Override
  public String text() {
    return "openai";
  }

  @Override
  public ChargeRule charge() {
    return ChargeRule.OPENAI;
  }

  @Override
  public String telemetryName() {
    return "openai";
  }

  @Override
  public @Nullable WeighedCall call(String path) {
    return WeighedCall.of(path, CALLS);
  }

  @Override
  public boolean opensSession(String path) {
    return path.endsWith("/realtime");
  }

  /**
   * {@inheritDoc} Servers that speak OpenAI's dialect all know {@code max_tokens} for chat
   * completions, except that OpenAI's reasoning models refuse it and want {@code
   * max_completion_tokens}, which other servers may refuse. So it depends on whose server it is.
   */
  @Override
  public String maximumMember(URI url, @Nullable String query) {
    return isOpenAi(url) && !isOldVersion(query) ? OF_OPENAI : "max_tokens";
  }

  /** Returns whether a server is one of OpenAI or Azure OpenAI. */
  protected boolean isOpenAi(URI url) {
    String host = url.getHost() == null ? "" : url.getHost().toLowerCase(Locale.ROOT);
    return HOSTS.stream().anyMatch(each -> host.equals(each) || host.endsWith("." + each));
  }

  /** Returns whether a query asks for a version of Azure's API without that member. */
  private static boolean isOldVersion(@Nullable String query) {
    Matcher version = API_VERSION.matcher(query == null ? "" : query);
    return version.find() && version.group(1).compareTo(FIRST_VERSION) < 0;
  }

  @Override
  public AnswerReader answerReader() {
    return AnswerReaders.of(OpenAiAnswer::new);
  }

  /** Returns a reader for a realtime session, which states usage in {@code response.done}. */
  @Override
  public @Nullable SessionUsage sessionUsage() {
    return new SessionUsage(OpenAiAnswer::new);
  }

  /** Returns the id of a response that is asked for, or cancelled. */
  @Override
  public @Nullable String askedAnswer(String path) {
    String member = CallPaths.member(path, "/responses");
    if (member == null) {
      return null;
    }
    int slash = member.indexOf('/');
    boolean whole = slash < 0 || member.substring(slash).equals("/cancel");
    return whole ? member.substring(0, slash < 0 ? member.length() : slash) : null;
  }

  @Override
  public boolean keepsAnswers() {
    return true;
  }

  @Override
  public List<LimitHeader> limitHeaders() {
    return LIMITS;
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return OpenAiRefusal.body(refusal, call);
  }

  @Override
  public String version() {
    return "/v1";
  }

  @Override
  public String basePath() {
    return "/v1";
  }

  @Override
  public boolean isSpokenBy(String path, HttpHeaders headers) {
    return call(path) != null
        || KNOWN.stream().anyMatch(path::endsWith)
        || headers.headerNames().stream().anyMatch(name -> begins(name, "x-stainless-"))
        || headers.getOrEmpty(HttpHeaders.AUTHORIZATION).stream()
            .anyMatch(value -> begins(value, "bearer "));
  }

  private static boolean begins(String text, String with) {
    return text.regionMatches(true, 0, with, 0, with.length());
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("Authorization", "Bearer " + apiKey);
  }

  /** Writes {@code {"id","object","created","owned_by"}}. */
  @Override
  public void describe(JsonGenerator json, String model) {
    json.writeStringProperty("id", model);
    json.writeStringProperty("object", "model");
    json.writeNumberProperty("created", 0);
    json.writeStringProperty("owned_by", "penstock");
  }

  /** Writes {@code {"object":"list","data":[…]}}. */
  @Override
  public void list(JsonGenerator json, List<String> models) {
    json.writeStringProperty("object", "list");
    ModelList.array(json, "data", this, models);
  }

  /**
   * {@inheritDoc} An event of a response that failed precedes it where responses are streamed,
   * because Codex sends the request again after any other end.
   */
  @Override
  public byte[] finalErrorEvent(byte[] json, String path, String requestId) {
    return path.endsWith("/responses")
        ? OpenAiRefusal.failedResponse(json, requestId)
        : errorEvent(json);
  }

  @Override
  public String smallModel() {
    return "gpt-4o-mini";
  }

  @Override
  public String smallestPath(String model) {
    return "/chat/completions";
  }

  @Override
  public Map<String, Object> smallestBody(String model) {
    return ProbeRequest.messages(model, OF_OPENAI);
  }

  /** {@inheritDoc} Source: OpenAI's reference, <i>Get input token counts</i>. */
  @Override
  public @Nullable CountCall countCall(String path, String ownModel) {
    return path.endsWith("/responses")
        ? new CountCall(path + "/input_tokens", ownModel, COUNTED, null, "input_tokens")
        : null;
  }

  @Override
  public String pathOf(JsonNode body) {
    if (body.has("messages")) {
      return "/v1/chat/completions";
    }
    return body.has("prompt") ? "/v1/completions" : "/v1/responses";
  }

  @Override
  public void put(String text, ObjectNode body) {
    body.put("input", text);
  }
}
