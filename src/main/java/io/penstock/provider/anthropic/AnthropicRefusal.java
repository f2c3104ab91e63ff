package io.penstock.provider.anthropic;

import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusalJson;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes refusals as Anthropic's clients read them. */
final class AnthropicRefusal {
  private static final JsonMapper JSON = new JsonMapper();

  private AnthropicRefusal() {}

  /** Returns {@code {"type":"error","error":{"type","message"},"request_id"}}. */
  static RefusalBody body(Refusal refusal, RefusedCall call) {
    int status = refusal.reason().finalStatus();
    return RefusalJson.json(
        status,
        json -> {
          json.writeStringProperty("type", "error");
          json.writeObjectPropertyStart("error");
          json.writeStringProperty("type", type(status));
          json.writeStringProperty("message", RefusalJson.wellFormed(message(refusal, call)));
          RefusalJson.retryAt(json, call.retryAt());
          json.writeEndObject();
          json.writeStringProperty("request_id", RefusalJson.wellFormed(call.requestId()));
        });
  }

  /** Returns an error without the type of a limit, after which clients send a request again. */
  static byte[] withFinalType(byte[] json) {
    ObjectNode body = (ObjectNode) JSON.readTree(json);
    ObjectNode error = (ObjectNode) body.path("error");
    if (error.path("type").asString("").equals(type(429))) {
      error.put("type", type(400));
    }
    return JSON.writeValueAsBytes(body);
  }

  /** Returns Anthropic's own words where it has any, with the detail behind them. */
  private static String message(Refusal refusal, RefusedCall call) {
    return switch (refusal.reason()) {
      case UNAUTHENTICATED ->
          (call.maskedKey() == null ? "x-api-key header is required: " : "invalid x-api-key: ")
              + refusal.detail();
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL ->
          call.model() == null
              ? refusal.detail()
              : "model: " + call.model() + ": " + refusal.detail();
      default -> RefusalJson.text(refusal, call.retryAt());
    };
  }

  /**
   * Returns Anthropic's error type. Source: Anthropic's page on errors, which does not list 502 and
   * 503.
   */
  private static String type(int status) {
    return switch (status) {
      case 400 -> "invalid_request_error";
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 413 -> "request_too_large";
      case 429 -> "rate_limit_error";
      case 503, 529 -> "overloaded_error";
      case 504 -> "timeout_error";
      default -> status < 500 ? "invalid_request_error" : "api_error";
    };
  }
}
