package io.penstock.provider.answer;

import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Selects the reader of an answer by its media type. */
public final class AnswerReaders {
  private AnswerReaders() {}

  /** Returns a reader for a single JSON object, or for events. */
  public static AnswerReader of(@Nullable String contentType, Supplier<AnswerVisitor> visitor) {
    return of(contentType, visitor, JsonAnswer::single);
  }

  /** Returns a reader for a JSON object or a list of objects, or for events. */
  public static AnswerReader orList(@Nullable String contentType, Supplier<AnswerVisitor> visitor) {
    return of(contentType, visitor, JsonAnswer::orList);
  }

  private static AnswerReader of(
      @Nullable String contentType,
      Supplier<AnswerVisitor> visitor,
      Function<AnswerVisitor, AnswerReader> json) {
    if (contentType == null) {
      return json.apply(visitor.get());
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
        ? json.apply(visitor.get())
        : UnreadAnswer.withoutUsage();
  }

  /** Returns a reader for the same answer in an encoding. */
  public static AnswerReader encoded(AnswerReader answer, @Nullable String contentEncoding) {
    if (contentEncoding == null || answer instanceof UnreadAnswer) {
      return answer;
    }
    return switch (contentEncoding.strip().toLowerCase(Locale.ROOT)) {
      case "", "identity" -> answer;
      case "gzip", "x-gzip" -> new InflatedAnswer(answer, true);
      case "deflate" -> new InflatedAnswer(answer, false);
      default -> UnreadAnswer.encoded();
    };
  }
}
