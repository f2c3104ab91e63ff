package io.penstock.provider.openai;

import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusalJson;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;

/** Writes refusals as OpenAI's clients read them. */
final class OpenAiRefusal {
  private OpenAiRefusal() {}

  /** Returns {@code {"error":{"message","type","param","code"}}}. */
  static RefusalBody body(Refusal refusal, RefusedCall call) {
    return RefusalJson.json(
        json -> {
          json.writeObjectPropertyStart("error");
          json.writeStringProperty("message", RefusalJson.wellFormed(message(refusal, call)));
          json.writeStringProperty("type", type(refusal.reason()));
          json.writeNullProperty("param");
          json.writeStringProperty("code", code(refusal.reason()));
          RefusalJson.retryAt(json, call.retryAt());
          json.writeEndObject();
        });
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
      default -> refusal.detail();
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

  /** Returns OpenAI's error type, which for status 429 names the exceeded quantity. */
  private static String type(RefusalReason refusalReason) {
    int status = refusalReason.status();
    if (status == 429) {
      return refusalReason == RefusalReason.COST_EXCEEDS_CAPACITY ? "tokens" : "requests";
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
