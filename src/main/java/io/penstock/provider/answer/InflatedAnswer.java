package io.penstock.provider.answer;

import io.penstock.cost.TokenUsage;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Reads an answer that came compressed although the gateway did not ask for it: with gzip, or with
 * deflate, framed by zlib or not. Inflates a copy for reading only, at most {@link #MAX_BYTES};
 * beyond that, or after an error, the part read so far counts.
 */
final class InflatedAnswer implements AnswerReader {
  /** Maximum number of bytes that are inflated of one answer: 64 MiB. */
  static final long MAX_BYTES = 64L << 20;

  private static final int PIECE_BYTES = 8 << 10;
  private static final int TRAILER_BYTES = 8;
  private static final byte[] NOTHING = {};

  private final AnswerReader answer;
  private final GzipHead head = new GzipHead();
  private final boolean gzip;
  private final byte[] piece = new byte[PIECE_BYTES];
  private @Nullable Inflater inflater;
  private int trailer;
  private long inflatedBytes;
  private boolean closed;
  private @Nullable String warning;

  InflatedAnswer(AnswerReader answer, boolean gzip) {
    this.answer = answer;
    this.gzip = gzip;
  }

  @Override
  public void feed(ByteBuffer bytes) {
    while (bytes.hasRemaining() && !closed) {
      if (trailer > 0) {
        int passed = Math.min(trailer, bytes.remaining());
        bytes.position(bytes.position() + passed);
        trailer -= passed;
      } else if (gzip && !head.complete()) {
        head(bytes);
      } else {
        inflate(bytes);
      }
    }
    bytes.position(bytes.limit());
  }

  private void head(ByteBuffer bytes) {
    boolean another = head.untouched() && inflater != null;
    if (!head.read(bytes)) {
      stop(
          another
              ? "there is more after the compressed answer"
              : "the compressed answer cannot be read");
    }
  }

  private void inflate(ByteBuffer bytes) {
    Inflater inflating = inflater;
    if (inflating == null) {
      // a zlib header begins with the method deflate and a window of at most 32 KiB (RFC 1950)
      int first = bytes.get(bytes.position()) & 0xFF;
      inflating = new Inflater(gzip || (first & 0x0F) != 8 || first >> 4 > 7);
      inflater = inflating;
    }
    try {
      inflating.setInput(bytes);
      int count = inflating.inflate(piece);
      while (count > 0 && !closed) {
        inflatedBytes += count;
        answer.feed(ByteBuffer.wrap(piece, 0, count));
        if (inflatedBytes > MAX_BYTES) {
          stop("the compressed answer is larger than " + MAX_BYTES + " bytes");
        } else {
          count = inflating.inflate(piece);
        }
      }
      if (!closed) {
        paused(inflating);
      }
    } catch (DataFormatException e) {
      stop("the compressed answer cannot be read");
    }
  }

  /** Handles the point at which the bytes fed so far produce no more output. */
  private void paused(Inflater inflating) throws DataFormatException {
    if (inflating.needsDictionary()) {
      throw new DataFormatException();
    }
    boolean finished = inflating.finished();
    inflating.setInput(NOTHING); // must not keep the caller's bytes
    if (finished && gzip) {
      // another member may follow
      trailer = TRAILER_BYTES;
      head.restart();
      inflating.reset();
    } else if (finished) {
      close();
    }
  }

  private void stop(String why) {
    warning = why;
    close();
  }

  @Override
  public void finish() {
    boolean inside = gzip ? trailer > 0 || !head.untouched() : inflater != null;
    if (!closed && inside) {
      stop("the compressed answer is not whole");
    }
    answer.finish();
  }

  @Override
  public void close() {
    closed = true;
    if (inflater != null) {
      inflater.end();
    }
  }

  @Override
  public long producedTokens() {
    return answer.producedTokens();
  }

  @Override
  public long textTokens() {
    return answer.textTokens();
  }

  @Override
  public @Nullable TokenUsage usage() {
    return answer.usage();
  }

  @Override
  public boolean isOutputComplete() {
    return answer.isOutputComplete();
  }

  @Override
  public int calls() {
    return answer.calls();
  }

  @Override
  public @Nullable String model() {
    return answer.model();
  }

  @Override
  public @Nullable AnswerError error() {
    return answer.error();
  }

  @Override
  public boolean inError() {
    return answer.inError();
  }

  @Override
  public boolean hasBegun() {
    return answer.hasBegun();
  }

  @Override
  public @Nullable String warning() {
    String first = answer.warning();
    return first == null ? warning : first;
  }
}
