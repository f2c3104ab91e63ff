package io.penstock.dialect;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.ProviderLesson;
import io.penstock.prefix.HashKey;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusalJson;
import io.penstock.provider.RefusedCall;
import io.penstock.provider.WeighedCall;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.UnreadAnswer;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.UnreadBody;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Protocol for no provider in particular: no bodies are read, there are no models, and refusals are
 * problem details (RFC 9457).
 */
final class PlainProtocol implements ProviderProtocol {
  @Override
  public String text() {
    return "none";
  }

  @Override
  public boolean readsBodies() {
    return false;
  }

  @Override
  public ChargeRule charge() {
    return ChargeRule.TOTAL;
  }

  @Override
  public @Nullable String telemetryName() {
    return null;
  }

  @Override
  public @Nullable WeighedCall call(String path) {
    return null;
  }

  @Override
  public boolean startsBatch(String method, String path) {
    return false;
  }

  @Override
  public boolean isLight(String method, String path) {
    return false;
  }

  @Override
  public RequestReader requestReader(EndpointSpec.Reading reading, String path, HashKey key) {
    return new UnreadBody(Cost.ofInput(Math.clamp(reading.defaultTokens(), 0L, Cost.MAX_TOKENS)));
  }

  @Override
  public AnswerReader answerReader() {
    return UnreadAnswer.withoutUsage();
  }

  @Override
  public ProviderLesson lesson(int status, Function<String, @Nullable String> header, byte[] body) {
    return ProviderLesson.silent(status);
  }

  /** Returns a problem detail without a type, which therefore has the title of its status. */
  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    int status = refusal.reason().status();
    return RefusalJson.body(
        status,
        "application/problem+json",
        json -> {
          json.writeStringProperty("type", "about:blank");
          json.writeStringProperty("title", title(status));
          json.writeNumberProperty("status", status);
          json.writeStringProperty("detail", RefusalJson.text(refusal, call.retryAt()));
          json.writeStringProperty("reason", refusal.reason().code());
          RefusalJson.retryAt(json, call.retryAt());
          json.writeStringProperty("request_id", RefusalJson.wellFormed(call.requestId()));
        });
  }

  private static String title(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 408 -> "Request Timeout";
      case 413 -> "Content Too Large";
      case 415 -> "Unsupported Media Type";
      case 421 -> "Misdirected Request";
      case 426 -> "Upgrade Required";
      case 429 -> "Too Many Requests";
      case 502 -> "Bad Gateway";
      case 503 -> "Service Unavailable";
      case 504 -> "Gateway Timeout";
      default -> "Refused";
    };
  }

  @Override
  public byte @Nullable [] heartbeat(@Nullable String rawQuery) {
    return null;
  }

  @Override
  public String version() {
    return "";
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("Authorization", "Bearer " + apiKey);
  }

  @Override
  public boolean describesModels(String path) {
    return false;
  }

  @Override
  public void describe(JsonGenerator json, String model) {
    throw noModels();
  }

  @Override
  public void list(JsonGenerator json, List<String> models) {
    throw noModels();
  }

  @Override
  public String smallModel() {
    throw noModels();
  }

  @Override
  public String smallestPath(String model) {
    throw noModels();
  }

  @Override
  public Map<String, Object> smallestBody(String model) {
    throw noModels();
  }

  @Override
  public String pathOf(JsonNode body) {
    throw noModels();
  }

  @Override
  public void put(String text, ObjectNode body) {
    throw noModels();
  }

  private static UnsupportedOperationException noModels() {
    return new UnsupportedOperationException("there are no models in this dialect");
  }
}
