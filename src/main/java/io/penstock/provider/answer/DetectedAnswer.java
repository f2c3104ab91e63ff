package io.penstock.provider.answer;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads an answer as what its first bytes show it to be: JSON, or a stream of events. The media
 * type does not matter, because servers state another one, or none. Anything else is not read.
 */
final class DetectedAnswer extends MeteredAnswer {
  private final AnswerVisitor visitor;
  private @Nullable AnswerReader reader;

  DetectedAnswer(AnswerVisitor visitor) {
    super(visitor.usageMeter, visitor.errorFinder);
    this.visitor = visitor;
  }

  @Override
  public void feed(ByteBuffer bytes) {
    while (reader == null && bytes.hasRemaining()) {
      byte first = bytes.get(bytes.position());
      if (isBlank(first) || isOfMark(first)) {
        bytes.get();
      } else {
        reader = readerOf(first);
      }
    }
    if (reader != null) {
      reader.feed(bytes);
    }
  }

  /** Returns the reader of an answer with that first byte; a comment or a field begins an event. */
  private AnswerReader readerOf(byte first) {
    if (first == '{' || first == '[') {
      return new JsonAnswer(visitor);
    }
    if (first == ':' || (first >= 'a' && first <= 'z')) {
      return new SseAnswer(visitor);
    }
    usageMeter.warn("the answer cannot be read: it is neither JSON nor a stream of events");
    return UnreadAnswer.withoutUsage();
  }

  /** Returns whether a byte is white space. */
  static boolean isBlank(int each) {
    return each == ' ' || each == '\n' || each == '\r' || each == '\t';
  }

  /** Returns whether a byte is part of a byte order mark. */
  private static boolean isOfMark(byte each) {
    return each == (byte) 0xEF || each == (byte) 0xBB || each == (byte) 0xBF;
  }

  @Override
  public void finish() {
    if (reader != null) {
      reader.finish();
    }
  }
}
