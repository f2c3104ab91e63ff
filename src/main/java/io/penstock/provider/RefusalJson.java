package io.penstock.provider;

import io.penstock.refusal.Refusal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes refusals as JSON. Each kind of client has a format of its own. */
public final class RefusalJson {
  private static final String JSON = "application/json";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT);
  private static final DateTimeFormatter DATE_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT);

  /** The latest nanosecond within a second, by which a time is rounded up. */
  private static final long MOST_NANO = 999_999_999;

  private static final JsonFactory FACTORY = new JsonFactory();

  private RefusalJson() {}

  /** Writes the instant from which a retry would be served, where it is known. */
  public static void retryAt(JsonGenerator json, @Nullable Instant retryAt) {
    if (retryAt != null) {
      json.writeStringProperty("retry_at", retryAt.toString());
    }
  }

  /**
   * Returns the text of a refusal for a person: its detail, and when that comes back which ran out,
   * in UTC, with the date if it is another one.
   */
  public static String text(Refusal refusal, @Nullable Instant retryAt) {
    if (retryAt == null || !refusal.reason().comesBack()) {
      return wellFormed(refusal.detail());
    }
    OffsetDateTime told = retryAt.minusNanos(refusal.retryAfterNanos()).atOffset(ZoneOffset.UTC);
    OffsetDateTime next = retryAt.plusNanos(MOST_NANO).atOffset(ZoneOffset.UTC);
    boolean today = next.toLocalDate().equals(told.toLocalDate());
    return wellFormed(refusal.detail()) + ", next at " + (today ? TIME : DATE_TIME).format(next);
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
          json.writeStringProperty("error", permitError(refusal, retryAt));
          json.writeStringProperty("reason", refusal.reason().code());
          retryAt(json, retryAt);
        });
  }

  private static String permitError(Refusal refusal, @Nullable Instant retryAt) {
    return switch (refusal.reason()) {
      case QUEUE_FULL -> "queue full";
      case ESTIMATED_WAIT_EXCEEDS_TIMEOUT -> "estimated wait exceeds timeout";
      case SHUTTING_DOWN -> "service shutting down";
      default -> text(refusal, retryAt);
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
