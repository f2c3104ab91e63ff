package io.penstock.provider.answer;

import io.penstock.cost.TokenUsage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one answer while its bytes pass. Not thread-safe. Everything read takes effect at once, so
 * an answer that is cut off counts as far as it arrived.
 */
public interface AnswerReader {
  /**
   * Reads and consumes {@code bytes}. Never throws, whatever they are, and keeps no reference to
   * them.
   */
  void feed(ByteBuffer bytes);

  /** Ends the reading at the last byte of the answer; missing parts are reported as an oddity. */
  default void finish() {}

  /**
   * Returns the output tokens seen so far: the larger of the stated usage and one token for each
   * four UTF-8 bytes of output text. Never decreases.
   */
  long producedTokens();

  /** Returns one token for each four UTF-8 bytes of the output text that was seen. */
  long textTokens();

  /**
   * Returns the usage that the answer states, or null if it has not stated any yet. A provider that
   * states the input before the output is complete is trusted for the input; the output is then the
   * tokens produced so far.
   */
  @Nullable TokenUsage usage();

  /**
   * Returns whether the answer has said that its output is complete, although it may go on, for
   * example with its usage.
   */
  boolean isOutputComplete();

  /**
   * Returns how many calls of the model the stated usage is the sum of, ≥ 1: a provider may call it
   * several times for one answer, for example to shorten the conversation first.
   */
  default int calls() {
    return 1;
  }

  /**
   * Returns the model that answers, by the first name in the answer; null if there is none yet, and
   * if the name is blank or longer than 256 characters.
   */
  @Nullable String model();

  /** Returns the error that the answer states although its status is a good one, or null. */
  @Nullable AnswerError error();

  /** Returns whether such an error has begun, and more of it will come. */
  boolean inError();

  /**
   * Returns whether more came than the signs that it begins: output, or an event that comes only
   * when the model works.
   */
  boolean hasBegun();

  /** Returns the first oddity, without content of the answer, or null. */
  @Nullable String warning();

  /** Frees the resources used for reading; the results remain available. */
  default void close() {}
}
