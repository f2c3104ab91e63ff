package io.penstock.gateway.body;

import io.penstock.provider.answer.GzipHead;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Inflates a compressed body piece by piece, so that its reader decides how much is inflated at
 * once and when it is too much. The check sums of gzip are not compared: the connection has one.
 * Belongs to one thread at a time; must be closed, because it holds memory outside the heap.
 */
final class BodyInflation implements AutoCloseable {
  /** Most bytes of one piece. */
  static final int PIECE_BYTES = 64 << 10;

  private static final int TRAILER_BYTES = 8;

  private final boolean gzip;
  private final GzipHead head = new GzipHead();
  private final byte[] piece = new byte[PIECE_BYTES];
  private ByteBuffer input = ByteBuffer.allocate(0);
  private @Nullable Inflater inflater;
  private int trailer;
  private boolean finished;

  BodyInflation(boolean gzip) {
    this.gzip = gzip;
  }

  /** Adds compressed bytes; everything added before must have been taken. */
  void feed(byte[] bytes) {
    input = ByteBuffer.wrap(bytes);
  }

  /**
   * Returns the next inflated bytes, or null when more compressed bytes are needed.
   *
   * @throws DataFormatException if the body is not what its encoding says
   */
  byte @Nullable [] next() throws DataFormatException {
    while (skipFrame()) {
      Inflater inflating = inflater();
      inflating.setInput(input);
      int count = inflating.inflate(piece);
      if (count > 0) {
        return Arrays.copyOf(piece, count);
      }
      if (inflating.needsDictionary()) {
        throw new DataFormatException("a dictionary is needed");
      }
      if (!inflating.finished()) {
        return null;
      }
      finished = true;
      if (gzip) { // another member may follow
        trailer = TRAILER_BYTES;
        head.restart();
        inflating.reset();
      }
    }
    return null;
  }

  /** Skips what is around the deflated bytes; returns whether there may be some of those. */
  private boolean skipFrame() throws DataFormatException {
    int passed = Math.min(trailer, input.remaining());
    input.position(input.position() + passed);
    trailer -= passed;
    if (!gzip) {
      if (finished && input.hasRemaining()) {
        throw new DataFormatException("there is more after the end");
      }
      return !finished && (inflater != null || input.hasRemaining());
    }
    if (trailer == 0 && !head.complete() && input.hasRemaining()) {
      finished = false;
      if (!head.read(input)) {
        throw new DataFormatException("there is no gzip header");
      }
    }
    return trailer == 0 && head.complete();
  }

  private Inflater inflater() {
    Inflater known = inflater;
    if (known == null) {
      // a zlib header begins with the method deflate and a window of at most 32 KiB (RFC 1950)
      int first = input.hasRemaining() ? input.get(input.position()) & 0xFF : 0;
      known = new Inflater(gzip || (first & 0x0F) != 8 || first >> 4 > 7);
      inflater = known;
    }
    return known;
  }

  /** Returns whether the body was complete. */
  boolean complete() {
    return finished && trailer == 0;
  }

  @Override
  public void close() {
    if (inflater != null) {
      inflater.end();
      inflater = null;
    }
  }
}
