package io.penstock.provider.answer;

import io.penstock.cost.Usage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one answer while its bytes pass. Not safe for use by several threads at once. What has been
 * read counts at once, so an answer cut anywhere is worth what arrived of it.
 */
public interface AnswerReader {
  /** Reads and consumes {@code bytes}. Whatever they are, nothing is thrown; nothing is kept. */
  void feed(ByteBuffer bytes);

  /** The answer has reached its end, as far as its bytes go; what is missing then is an oddity. */
  default void finish() {}

  /**
   * Returns the output tokens seen so far: the larger of what the answer says and one token for
   * each four UTF-8 bytes of output text. Never falls.
   */
  long producedTokens();

  /**
   * Returns what the answer says it used, or null while it has not said so. A provider that states
   * its input before the output is there is believed on the input; the output is then what was
   * produced so far.
   */
  @Nullable Usage usage();

  /**
   * Returns the model that answers, as the answer first calls it; null while it has not said so,
   * and where that is blank or longer than 256 characters.
   */
  @Nullable String model();

  /** Returns the first oddity met, without content of the answer, or null. */
  @Nullable String warning();

  /** Gives back what reading took; what was read can still be asked for. */
  default void close() {}
}
