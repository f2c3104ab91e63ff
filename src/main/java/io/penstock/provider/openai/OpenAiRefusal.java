package io.penstock.provider.openai;

import io.penstock.json.SseWriter;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusalJson;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.io.ByteArrayOutputStream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes refusals as OpenAI's clients read them. */
final class OpenAiRefusal {
  /** The latest nanosecond within a second. */
  private static final long MOST_NANO = 999_999_999;

  private static final JsonMapper JSON = new JsonMapper();

  private OpenAiRefusal() {}

  /** Returns {@code {"error":{"message","type","param","code"}}}. */
  static RefusalBody body(Refusal refusal, RefusedCall call) {
    int status = refusal.reason().finalStatus();
    return RefusalJson.json(
        status,
        json -> {
          json.writeObjectPropertyStart("error");
          json.writeStringProperty("message", RefusalJson.wellFormed(message(refusal, call)));
          json.writeStringProperty("type", type(refusal, status));
          json.writeNullProperty("param");
          json.writeStringProperty("code", code(refusal.reason()));
          RefusalJson.retryAt(json, call.retryAt());
          if (refusal.usedUp() && call.retryAt() != null) {
            json.writeNumberProperty(
                "resets_at", call.retryAt().plusNanos(MOST_NANO).getEpochSecond());
          }
          json.writeEndObject();
        });
  }

  /**
   * Returns the event of a response that failed, and the error. OpenAI lists this code among those
   * of the event, and Codex shows the message of it at once.
   */
  static byte[] failedResponse(byte[] json, String requestId) {
    ObjectNode event = JSON.createObjectNode();
    event.put("type", "response.failed").put("sequence_number", 0);
    ObjectNode response = event.putObject("response");
    response.put("id", RefusalJson.wellFormed(requestId)).put("object", "response");
    response.put("status", "failed").putArray("output");
    response
        .putObject("error")
        .put("code", "invalid_prompt")
        .put("message", JSON.readTree(json).path("error").path("message").asString(""));
    ByteArrayOutputStream events = new ByteArrayOutputStream();
    events.writeBytes(SseWriter.named("response.failed", JSON.writeValueAsBytes(event)));
    events.writeBytes(SseWriter.data(json));
    return events.toByteArray();
  }

  /**
   * Returns OpenAI's own sentence where client libraries tell errors apart by it, with the detail
   * behind it.
   */
  private static String message(Refusal refusal, RefusedCall call) {
    return switch (refusal.reason()) {
      case UNAUTHENTICATED ->
          call.maskedKey() == null
              ? "You didn't provide an API key: " + refusal.detail()
              : "Incorrect API key provided: "
                  + call.maskedKey()
                  + ". "
                  + RefusalJson.sentence(refusal);
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL ->
          "The model%s does not exist or you do not have access to it. "
                  .formatted(call.model() == null ? "" : " `" + call.model() + "`")
              + RefusalJson.sentence(refusal);
      default -> RefusalJson.text(refusal, call.retryAt());
    };
  }

  /** Returns OpenAI's error code where it has one, else the reason. */
  private static String code(RefusalReason refusalReason) {
    return switch (refusalReason) {
      case UNAUTHENTICATED -> "invalid_api_key";
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL -> "model_not_found";
      default -> refusalReason.code();
    };
  }

  /**
   * Returns OpenAI's error type. For status 429 it names the exceeded quantity, or says that
   * nothing is left until a time: agents stop for that one, and repeat any other 429.
   */
  private static String type(Refusal refusal, int status) {
    RefusalReason refusalReason = refusal.reason();
    if (status == 429) {
      return refusal.usedUp() ? "usage_limit_reached" : "requests";
    }
    if (refusalReason == RefusalReason.FORBIDDEN_ENDPOINT
        || refusalReason == RefusalReason.FORBIDDEN_CALL
        || refusalReason == RefusalReason.FOREIGN_ORIGIN) {
      return "request_forbidden"; // as for a region that is not supported
    }
    if (refusalReason == RefusalReason.NO_ENDPOINT) {
      return "not_found_error"; // LiteLLM takes an invalid_request_error without a model for a 400
    }
    return status < 500 ? "invalid_request_error" : "server_error";
  }
}
