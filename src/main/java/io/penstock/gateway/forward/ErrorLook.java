package io.penstock.gateway.forward;

import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.ErrorHint;
import io.penstock.wire.AnswerBeginning;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;

/**
 * Looks for an error in the beginning of an answer with a good status. The bytes are parsed only if
 * some of them hint at an error. Not thread-safe.
 */
final class ErrorLook implements AnswerBeginning.Look {
  private final Supplier<AnswerReader> readers;
  private final boolean encoded;
  private @Nullable AnswerReader reader;
  private int seen;
  private int fed;

  /**
   * @param readers creates a reader of the answer
   * @param encoded whether its bytes have to be decoded before they say anything
   */
  ErrorLook(Supplier<AnswerReader> readers, boolean encoded) {
    this.readers = readers;
    this.encoded = encoded;
  }

  @Override
  public Sight at(List<DataBuffer> read) {
    boolean hint = reader != null || encoded;
    for (; seen < read.size(); seen++) {
      hint |= hints(read.get(seen));
    }
    if (!hint) {
      return Sight.NOTHING;
    }
    AnswerReader reading = reader == null ? readers.get() : reader;
    reader = reading;
    for (; fed < read.size(); fed++) {
      try (DataBuffer.ByteBufferIterator bytes = read.get(fed).readableByteBuffers()) {
        bytes.forEachRemaining(reading::feed);
      }
    }
    if (reading.inError()) {
      return Sight.BEGUN;
    }
    return reading.error() == null ? Sight.NOTHING : Sight.WHOLE;
  }

  private static boolean hints(DataBuffer buffer) {
    try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
      boolean hint = false;
      while (bytes.hasNext()) {
        hint |= ErrorHint.isIn(bytes.next());
      }
      return hint;
    }
  }

  /** Ends the look; returns what read the error, or null if there is none. */
  @Nullable AnswerReader failed(boolean whole) {
    AnswerReader reading = reader;
    if (reading == null) {
      return null;
    }
    if (whole || reading.inError()) {
      reading.finish();
    }
    reading.close();
    return reading.error() == null ? null : reading;
  }
}
