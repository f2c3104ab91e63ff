package io.penstock.provider.mistral;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.ModelOperation;
import io.penstock.provider.CountCall;
import io.penstock.provider.LimitHeader;
import io.penstock.provider.ProbeRequest;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusalJson;
import io.penstock.provider.RefusedCall;
import io.penstock.provider.ResetForm;
import io.penstock.provider.WeighedCall;
import io.penstock.provider.answer.SessionUsage;
import io.penstock.provider.openai.OpenAiBodies;
import io.penstock.provider.openai.OpenAiProtocol;
import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.MaximumPlaces;
import io.penstock.provider.request.PlainText;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Mistral's protocol: answers and models have OpenAI's shape, streams state their usage unasked,
 * and errors have a shape of their own. Requests for chat completions, completions of agents,
 * fill-in-the-middle completions and embeddings are read to estimate their cost. Source: Mistral's
 * API reference (docs.mistral.ai/api), as of 2026-11-29.
 */
public final class MistralProtocol extends OpenAiProtocol {
  private static final String MAXIMUM = "max_tokens";

  private static final List<WeighedCall> CALLS =
      List.of(
          new WeighedCall("/chat/completions", ModelOperation.CHAT, MistralProtocol::chat),
          new WeighedCall("/agents/completions", ModelOperation.CHAT, MistralProtocol::agent),
          new WeighedCall("/fim/completions", ModelOperation.COMPLETION, MistralProtocol::middle),
          new WeighedCall("/embeddings", ModelOperation.EMBEDDING, OpenAiBodies::embeddings));

  private static final List<LimitHeader> LIMITS =
      List.of(limit(LimitMeasure.REQUESTS, "req"), limit(LimitMeasure.TOKENS, "tokens"));

  /** Returns the headers of a limit of a minute; when it is whole again is not stated. */
  private static LimitHeader limit(LimitMeasure measure, String name) {
    return new LimitHeader(
        measure,
        "x-ratelimit-limit-" + name + "-minute",
        "x-ratelimit-remaining-" + name + "-minute",
        null,
        ResetForm.DURATION);
  }

  private static BodyMembers chat() {
    return OpenAiBodies.chat(MAXIMUM);
  }

  /** Returns a reader of a request to an agent, which has a model of its own. */
  private static BodyMembers agent() {
    BodyMembers body = chat().addInput("agent_id");
    body.modelIsOptional();
    return body;
  }

  private static BodyMembers middle() {
    BodyMembers body = new BodyMembers();
    return body.maximum(MAXIMUM)
        .counts(new PlainText(body.kept()), "prompt")
        .counts(new PlainText(body.kept()), "suffix")
        .maximumPlaces(MaximumPlaces.ofBody(MAXIMUM));
  }

  @Override
  public String text() {
    return "mistral";
  }

  /** Returns the rule that counts both sides, as the limits of tokens a minute do. */
  @Override
  public ChargeRule charge() {
    return ChargeRule.TOTAL;
  }

  @Override
  public String telemetryName() {
    return "mistral_ai";
  }

  @Override
  public @Nullable WeighedCall call(String path) {
    return WeighedCall.of(path, CALLS);
  }

  @Override
  public boolean opensSession(String path) {
    return false;
  }

  @Override
  public String maximumMember(URI url, @Nullable String query) {
    return MAXIMUM;
  }

  @Override
  public @Nullable SessionUsage sessionUsage() {
    return null;
  }

  @Override
  public boolean keepsAnswers() {
    return false;
  }

  @Override
  public List<LimitHeader> limitHeaders() {
    return LIMITS;
  }

  /** Returns {@code {"object":"error","message","type","param","code"}}. */
  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return RefusalJson.json(
        refusal.reason().status(),
        json -> {
          json.writeStringProperty("object", "error");
          json.writeStringProperty("message", RefusalJson.text(refusal, call.retryAt()));
          json.writeStringProperty("type", type(refusal.reason()));
          json.writeNullProperty("param");
          json.writeStringProperty("code", refusal.reason().code());
          RefusalJson.retryAt(json, call.retryAt());
        });
  }

  private static String type(RefusalReason reason) {
    return switch (reason) {
      case UNAUTHENTICATED -> "authentication_error";
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL -> "invalid_model";
      default -> {
        if (reason.status() == 429) {
          yield "rate_limited";
        }
        yield reason.status() < 500 ? "invalid_request_error" : "internal_server_error";
      }
    };
  }

  /** Returns nothing: its own clients add the version themselves. */
  @Override
  public String basePath() {
    return "";
  }

  @Override
  public boolean isSpokenBy(String path, HttpHeaders headers) {
    return path.endsWith("/fim/completions")
        || path.endsWith("/agents/completions")
        || headers.getOrEmpty(HttpHeaders.USER_AGENT).stream()
            .anyMatch(agent -> agent.startsWith("mistral-client"));
  }

  @Override
  public String smallModel() {
    return "mistral-small-latest";
  }

  @Override
  public Map<String, Object> smallestBody(String model) {
    return ProbeRequest.messages(model, MAXIMUM);
  }

  /** Returns null: Mistral has no such call. */
  @Override
  public @Nullable CountCall countCall(String path, String ownModel) {
    return null;
  }

  @Override
  public String pathOf(JsonNode body) {
    if (body.has("messages")) {
      return "/v1/chat/completions";
    }
    return body.has("prompt") ? "/v1/fim/completions" : "/v1/embeddings";
  }

  @Override
  public void put(String text, ObjectNode body) {
    body.putArray("messages").addObject().put("role", "user").put("content", text);
  }

  @Override
  public String mockName() {
    return "openai";
  }
}
