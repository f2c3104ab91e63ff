package io.penstock.provider.anthropic;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.ModelOperation;
import io.penstock.json.SseWriter;
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
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Anthropic's protocol. Requests for messages and for text completions, the older call, are read to
 * estimate their cost; all others pass unread, including those that count tokens.
 */
public final class AnthropicProtocol implements ProviderProtocol {
  private static final List<WeighedCall> CALLS =
      List.of(
          new WeighedCall("/messages", ModelOperation.CHAT, AnthropicBodies::messages),
          new WeighedCall("/complete", ModelOperation.COMPLETION, AnthropicBodies::completion));

  /** Source: Anthropic's page "Rate limits", "Response headers". */
  private static final List<LimitHeader> LIMITS =
      List.of(
          limit(LimitMeasure.REQUESTS, "requests"),
          limit(LimitMeasure.TOKENS, "tokens"),
          limit(LimitMeasure.INPUT_TOKENS, "input-tokens"),
          limit(LimitMeasure.OUTPUT_TOKENS, "output-tokens"));

  /** Members of a request for messages that the call which counts its tokens accepts. */
  private static final Set<String> COUNTED =
      Set.of("system", "messages", "tools", "tool_choice", "thinking");

  private static LimitHeader limit(LimitMeasure measure, String name) {
    String prefix = "anthropic-ratelimit-" + name;
    return new LimitHeader(
        measure, prefix + "-limit", prefix + "-remaining", prefix + "-reset", ResetForm.INSTANT);
  }

  @Override
  public String text() {
    return "anthropic";
  }

  @Override
  public ChargeRule charge() {
    return ChargeRule.ANTHROPIC;
  }

  @Override
  public String telemetryName() {
    return "anthropic";
  }

  @Override
  public @Nullable WeighedCall call(String path) {
    return WeighedCall.of(path, CALLS);
  }

  /** {@inheritDoc} Other calls of OpenAI's end in {@code /messages}, too. */
  @Override
  public boolean owns(String path) {
    return CallPaths.names(path, "/v1/messages") || CallPaths.names(path, "/v1/complete");
  }

  @Override
  public AnswerReader answerReader() {
    return AnswerReaders.of(AnthropicAnswer::new);
  }

  @Override
  public List<LimitHeader> limitHeaders() {
    return LIMITS;
  }

  /** Returns 59: Claude Code gives up at once when it is told to wait for more than a minute. */
  @Override
  public long retryAfterMaxSeconds() {
    return 59;
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return AnthropicRefusal.body(refusal, call);
  }

  @Override
  public byte[] errorEvent(byte[] json) {
    return SseWriter.named("error", json);
  }

  @Override
  public byte[] finalErrorEvent(byte[] json, String path, String requestId) {
    return errorEvent(AnthropicRefusal.withFinalType(json));
  }

  @Override
  public String version() {
    return "/v1";
  }

  @Override
  public boolean isSpokenBy(String path, HttpHeaders headers) {
    return headers.containsHeader("anthropic-version")
        || path.endsWith("/messages")
        || path.endsWith("/messages/count_tokens");
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("x-api-key", apiKey);
  }

  @Override
  public Map<String, String> headers() {
    return Map.of("anthropic-version", "2023-06-01");
  }

  @Override
  public Set<String> versionHeaders() {
    return Set.of("anthropic-version", "anthropic-beta");
  }

  /** Writes {@code {"type","id","display_name","created_at"}}. */
  @Override
  public void describe(JsonGenerator json, String model) {
    json.writeStringProperty("type", "model");
    json.writeStringProperty("id", model);
    json.writeStringProperty("display_name", model);
    json.writeStringProperty("created_at", "1970-01-01T00:00:00Z");
  }

  /** Writes {@code {"data":[…],"has_more","first_id","last_id"}}. */
  @Override
  public void list(JsonGenerator json, List<String> models) {
    ModelList.array(json, "data", this, models);
    json.writeBooleanProperty("has_more", false);
    json.writeStringProperty("first_id", models.isEmpty() ? null : models.getFirst());
    json.writeStringProperty("last_id", models.isEmpty() ? null : models.getLast());
  }

  @Override
  public String smallModel() {
    return "claude-haiku-4-5";
  }

  @Override
  public String smallestPath(String model) {
    return "/messages";
  }

  @Override
  public Map<String, Object> smallestBody(String model) {
    return ProbeRequest.messages(model, "max_tokens");
  }

  /** {@inheritDoc} Source: Anthropic's reference, <i>Count tokens in a Message</i>. */
  @Override
  public @Nullable CountCall countCall(String path, String ownModel) {
    return path.endsWith("/messages")
        ? new CountCall(path + "/count_tokens", ownModel, COUNTED, null, "input_tokens")
        : null;
  }

  @Override
  public String pathOf(JsonNode body) {
    return "/v1/messages";
  }

  @Override
  public void put(String text, ObjectNode body) {
    body.putArray("messages").addObject().put("role", "user").put("content", text);
  }
}
