package io.penstock.provider;

import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes refusals in the formats of each kind of client. */
final class RefusalJson {
  private static final String JSON = "application/json";
  private static final String RETRY_AT = "retry_at";
  private static final String PROBLEM = "application/problem+json";
  private static final JsonFactory FACTORY = new JsonFactory();

  private RefusalJson() {}

  /** Returns {@code {"error":{"message","type","param","code"}}}. */
  static RefusalBody openAi(Refusal refusal, RefusedCall call) {
    return body(
        JSON,
        json -> {
          json.writeObjectPropertyStart("error");
          json.writeStringProperty("message", wellFormed(openAiMessage(refusal, call)));
          json.writeStringProperty("type", openAiType(refusal.reason()));
          json.writeNullProperty("param");
          json.writeStringProperty("code", openAiCode(refusal.reason()));
          retryAt(json, call.retryAt());
          json.writeEndObject();
        });
  }

  /** Writes the instant from which a retry would be served, where it is known. */
  private static void retryAt(JsonGenerator json, @Nullable Instant retryAt) {
    if (retryAt != null) {
      json.writeStringProperty(RETRY_AT, retryAt.toString());
    }
  }

  /**
   * Returns OpenAI's own sentence where client libraries tell errors apart by it, with the detail
   * behind it.
   */
  private static String openAiMessage(Refusal refusal, RefusedCall call) {
    return switch (refusal.reason()) {
      case UNAUTHENTICATED ->
          call.maskedKey() == null
              ? "You didn't provide an API key: " + refusal.detail()
              : "Incorrect API key provided: " + call.maskedKey() + ". " + sentence(refusal);
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL ->
          "The model%s does not exist or you do not have access to it. "
                  .formatted(call.model() == null ? "" : " `" + call.model() + "`")
              + sentence(refusal);
      default -> refusal.detail();
    };
  }

  private static String sentence(Refusal refusal) {
    String detail = refusal.detail();
    return Character.toUpperCase(detail.charAt(0)) + detail.substring(1) + ".";
  }

  /** Returns OpenAI's error code where it has one, else the reason. */
  private static String openAiCode(RefusalReason refusalReason) {
    return switch (refusalReason) {
      case UNAUTHENTICATED -> "invalid_api_key";
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL -> "model_not_found";
      default -> refusalReason.code();
    };
  }

  /** Returns OpenAI's error type, which for status 429 names the exceeded quantity. */
  private static String openAiType(RefusalReason refusalReason) {
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

  /** Returns {@code {"type":"error","error":{"type","message"},"request_id"}}. */
  static RefusalBody anthropic(Refusal refusal, RefusedCall call) {
    return body(
        JSON,
        json -> {
          json.writeStringProperty("type", "error");
          json.writeObjectPropertyStart("error");
          json.writeStringProperty("type", anthropicType(refusal.reason().status()));
          json.writeStringProperty("message", wellFormed(anthropicMessage(refusal, call)));
          retryAt(json, call.retryAt());
          json.writeEndObject();
          json.writeStringProperty("request_id", wellFormed(call.requestId()));
        });
  }

  /** Returns Anthropic's own words where it has any, with the detail behind them. */
  private static String anthropicMessage(Refusal refusal, RefusedCall call) {
    return switch (refusal.reason()) {
      case UNAUTHENTICATED ->
          (call.maskedKey() == null ? "x-api-key header is required: " : "invalid x-api-key: ")
              + refusal.detail();
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL ->
          call.model() == null
              ? refusal.detail()
              : "model: " + call.model() + ": " + refusal.detail();
      default -> refusal.detail();
    };
  }

  /**
   * Returns Anthropic's error type. Source: Anthropic's page on errors, which does not list 502 and
   * 503.
   */
  private static String anthropicType(int status) {
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

  /**
   * Returns {@code {"error":{"code","message","status"}}}, with a {@code RetryInfo} if a retry may
   * help.
   */
  static RefusalBody gemini(Refusal refusal, RefusedCall call) {
    int status = refusal.reason().status();
    return body(
        JSON,
        json -> {
          json.writeObjectPropertyStart("error");
          json.writeNumberProperty("code", status);
          json.writeStringProperty("message", wellFormed(geminiMessage(refusal, call)));
          json.writeStringProperty("status", rpcStatus(status));
          refusal
              .retryAfterMillis()
              .ifPresent(millis -> details(json, refusal.reason(), millis, call.retryAt()));
          json.writeEndObject();
        });
  }

  /** Returns Google's own sentence where it has one, with the detail behind it. */
  private static String geminiMessage(Refusal refusal, RefusedCall call) {
    return switch (refusal.reason()) {
      case UNAUTHENTICATED ->
          call.maskedKey() == null
              ? "Method doesn't allow unregistered callers. " + sentence(refusal)
              : "API key not valid. Please pass a valid API key. " + sentence(refusal);
      case NO_UPSTREAM_FOR_MODEL, FORBIDDEN_MODEL ->
          call.model() == null
              ? refusal.detail()
              : "models/%s is not found, or not available to this key. ".formatted(call.model())
                  + sentence(refusal);
      default -> refusal.detail();
    };
  }

  /** Writes Google's own details of an error; the instant is the metadata of an ErrorInfo. */
  private static void details(
      JsonGenerator json, RefusalReason reason, long millis, @Nullable Instant retryAt) {
    json.writeArrayPropertyStart("details");
    json.writeStartObject();
    json.writeStringProperty("@type", "type.googleapis.com/google.rpc.RetryInfo");
    json.writeStringProperty("retryDelay", protoSeconds(millis));
    json.writeEndObject();
    if (retryAt != null) {
      json.writeStartObject();
      json.writeStringProperty("@type", "type.googleapis.com/google.rpc.ErrorInfo");
      json.writeStringProperty("reason", reason.name());
      json.writeStringProperty("domain", "penstock");
      json.writeObjectPropertyStart("metadata");
      retryAt(json, retryAt);
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

  /** Returns {@code {"ok":false,"error","reason"}}, the answer of a permit endpoint. */
  static RefusalBody permit(Refusal refusal, @Nullable Instant retryAt) {
    return body(
        JSON,
        json -> {
          json.writeBooleanProperty("ok", false);
          json.writeStringProperty("error", permitError(refusal));
          json.writeStringProperty("reason", refusal.reason().code());
          retryAt(json, retryAt);
        });
  }

  private static String permitError(Refusal refusal) {
    return switch (refusal.reason()) {
      case QUEUE_FULL -> "queue full";
      case ESTIMATED_WAIT_EXCEEDS_TIMEOUT -> "estimated wait exceeds timeout";
      case SHUTTING_DOWN -> "service shutting down";
      default -> wellFormed(refusal.detail());
    };
  }

  /**
   * Returns a problem detail without a type, which therefore has the title of its status (RFC 9457,
   * 4.2.1).
   */
  static RefusalBody problem(Refusal refusal, RefusedCall call) {
    return body(
        PROBLEM,
        json -> {
          json.writeStringProperty("type", "about:blank");
          json.writeStringProperty("title", title(refusal.reason().status()));
          json.writeNumberProperty("status", refusal.reason().status());
          json.writeStringProperty("detail", wellFormed(refusal.detail()));
          json.writeStringProperty("reason", refusal.reason().code());
          retryAt(json, call.retryAt());
          json.writeStringProperty("request_id", wellFormed(call.requestId()));
        });
  }

  private static String title(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
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

  /**
   * Replaces unpaired surrogates, which an id from a request may contain and which cannot be
   * encoded.
   */
  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private static RefusalBody body(String contentType, Consumer<JsonGenerator> content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject();
      content.accept(json);
      json.writeEndObject();
    }
    return new RefusalBody(contentType, bytes.toByteArray());
  }
}
