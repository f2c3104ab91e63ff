package io.penstock.provider;

import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Chooses how an answer is read by its media type. */
final class AnswerReaders {
  private AnswerReaders() {}

  static AnswerReader of(@Nullable String contentType, Supplier<AnswerVisitor> visitor) {
    if (contentType == null) {
      return new JsonAnswer(visitor.get());
    }
    int parameters = contentType.indexOf(';');
    String type =
        (parameters < 0 ? contentType : contentType.substring(0, parameters))
            .strip()
            .toLowerCase(Locale.ROOT);
    if (type.equals("text/event-stream")) {
      return new SseAnswer(visitor.get());
    }
    return type.equals("application/json") || type.endsWith("+json")
        ? new JsonAnswer(visitor.get())
        : new UnreadAnswer();
  }

  /** Returns what reads the same answer though it is encoded. */
  static AnswerReader encoded(AnswerReader answer, @Nullable String contentEncoding) {
    if (contentEncoding == null || answer instanceof UnreadAnswer) {
      return answer;
    }
    return switch (contentEncoding.strip().toLowerCase(Locale.ROOT)) {
      case "", "identity" -> answer;
      case "gzip", "x-gzip" -> new InflatedAnswer(answer, true);
      case "deflate" -> new InflatedAnswer(answer, false);
      default -> new EncodedAnswer();
    };
  }
}
