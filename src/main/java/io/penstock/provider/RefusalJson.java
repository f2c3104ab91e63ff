package io.penstock.provider;

import io.penstock.refusal.Refusal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes refusals as JSON. Each kind of client has a format of its own. */
public final class RefusalJson {
  private static final String JSON = "application/json";
  private static final JsonFactory FACTORY = new JsonFactory();

  private RefusalJson() {}

  /** Writes the instant from which a retry would be served, where it is known. */
  public static void retryAt(JsonGenerator json, @Nullable Instant retryAt) {
    if (retryAt != null) {
      json.writeStringProperty("retry_at", retryAt.toString());
    }
  }

  /** Returns the detail of a refusal as a sentence. */
  public static String sentence(Refusal refusal) {
    String detail = refusal.detail();
    return Character.toUpperCase(detail.charAt(0)) + detail.substring(1) + ".";
  }

  /** Returns {@code {"ok":false,"error","reason"}}, the answer of a permit endpoint. */
  static RefusalBody permit(Refusal refusal, @Nullable Instant retryAt) {
    return json(
        refusal.reason().status(),
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
   * Replaces unpaired surrogates, which an id from a request may contain and which cannot be
   * encoded.
   */
  public static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  /** Returns a body of JSON with the given members. */
  public static RefusalBody json(int status, Consumer<JsonGenerator> content) {
    return body(status, JSON, content);
  }

  /** Returns a body of JSON with the given members. */
  public static RefusalBody body(int status, String contentType, Consumer<JsonGenerator> content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject();
      content.accept(json);
      json.writeEndObject();
    }
    return new RefusalBody(status, contentType, bytes.toByteArray());
  }
}
