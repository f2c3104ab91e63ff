package io.penstock.provider.gemini;

import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusalJson;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes refusals as Google's clients read them. */
final class GeminiRefusal {
  private GeminiRefusal() {}

  /**
   * Returns {@code {"error":{"code","message","status"}}}, with a {@code RetryInfo} if a retry may
   * help.
   */
  static RefusalBody body(Refusal refusal, RefusedCall call) {
    int status = refusal.reason().finalStatus();
    return RefusalJson.json(
        status,
        json -> {
          json.writeObjectPropertyStart("error");
          json.writeNumberProperty("code", status);
          json.writeStringProperty("message", RefusalJson.wellFormed(message(refusal, call)));
          json.writeStringProperty("status", rpcStatus(status));
          refusal
              .retryAfterMillis()
              .ifPresent(millis -> details(json, refusal, millis, call.retryAt()));
          json.writeEndObject();
        });
  }

  /** Returns Google's own sentence where it has one, with the detail behind it. */
  private static String message(Refusal refusal, RefusedCall call) {
    return switch (refusal.reason()) {
      case UNAUTHENTICATED ->
          call.maskedKey() == null
              ? "Method doesn't allow unregistered callers. " + RefusalJson.sentence(refusal)
              : "API key not valid. Please pass a valid API key. " + RefusalJson.sentence(refusal);
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL ->
          call.model() == null
              ? refusal.detail()
              : "models/%s is not found, or not available to this key. ".formatted(call.model())
                  + RefusalJson.sentence(refusal);
      default -> RefusalJson.text(refusal, call.retryAt());
    };
  }

  /**
   * Writes Google's own details of an error; the instant is the metadata of an ErrorInfo. Its
   * clients repeat a 429 unless the quota of a day has failed.
   */
  private static void details(
      JsonGenerator json, Refusal refusal, long millis, @Nullable Instant retryAt) {
    RefusalReason reason = refusal.reason();
    json.writeArrayPropertyStart("details");
    json.writeStartObject();
    json.writeStringProperty("@type", "type.googleapis.com/google.rpc.RetryInfo");
    json.writeStringProperty("retryDelay", protoSeconds(millis));
    json.writeEndObject();
    if (refusal.usedUp()) {
      json.writeStartObject();
      json.writeStringProperty("@type", "type.googleapis.com/google.rpc.QuotaFailure");
      json.writeArrayPropertyStart("violations");
      json.writeStartObject();
      json.writeStringProperty("quotaId", "penstock-" + reason.code() + "-PerDay");
      json.writeEndObject();
      json.writeEndArray();
      json.writeEndObject();
    }
    if (retryAt != null) {
      json.writeStartObject();
      json.writeStringProperty("@type", "type.googleapis.com/google.rpc.ErrorInfo");
      json.writeStringProperty("reason", reason.name());
      json.writeStringProperty("domain", "penstock");
      json.writeObjectPropertyStart("metadata");
      RefusalJson.retryAt(json, retryAt);
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Returns a duration in protobuf's JSON format, with 0, 3, 6 or 9 decimals. */
  private static String protoSeconds(long millis) {
    return millis % 1_000 == 0
        ? millis / 1_000 + "s"
        : String.format(Locale.ROOT, "%d.%03ds", millis / 1_000, millis % 1_000);
  }

  /**
   * Returns the RPC code for an HTTP status. Source: google/rpc/code.proto, which does not list
   * 413.
   */
  private static String rpcStatus(int status) {
    return switch (status) {
      case 401 -> "UNAUTHENTICATED";
      case 403 -> "PERMISSION_DENIED";
      case 404 -> "NOT_FOUND";
      case 429 -> "RESOURCE_EXHAUSTED";
      case 502, 503 -> "UNAVAILABLE";
      case 504 -> "DEADLINE_EXCEEDED";
      default -> status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
    };
  }
}
