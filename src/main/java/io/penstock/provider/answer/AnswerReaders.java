package io.penstock.provider.answer;

import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the readers of answers. */
public final class AnswerReaders {
  private AnswerReaders() {}

  /** Returns a reader for a JSON object, a sequence or a list of them, or for events. */
  public static AnswerReader of(Supplier<AnswerVisitor> visitor) {
    return new DetectedAnswer(visitor.get());
  }

  /**
   * Returns a reader for the same answer in an encoding. Where the encoding is not supported, the
   * media type alone tells whether the bytes are text of a model.
   */
  public static AnswerReader encoded(
      AnswerReader answer, @Nullable String contentType, @Nullable String contentEncoding) {
    if (contentEncoding == null || answer instanceof UnreadAnswer) {
      return answer;
    }
    return switch (contentEncoding.strip().toLowerCase(Locale.ROOT)) {
      case "", "identity" -> answer;
      case "gzip", "x-gzip" -> new InflatedAnswer(answer, true);
      case "deflate" -> new InflatedAnswer(answer, false);
      default -> isPage(contentType) ? UnreadAnswer.withoutUsage() : UnreadAnswer.encoded();
    };
  }

  private static boolean isPage(@Nullable String contentType) {
    return contentType != null
        && contentType.strip().toLowerCase(Locale.ROOT).startsWith("text/html");
  }
}
