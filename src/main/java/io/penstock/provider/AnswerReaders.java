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
}
