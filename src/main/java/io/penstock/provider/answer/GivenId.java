package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the id of the object in an answer, to which a later request may refer: the {@code id} of
 * the object itself, or of the {@code response} in the first events of a stream. Reads only the
 * beginning of an answer. Not thread-safe.
 */
public final class GivenId extends AnswerVisitor {
  /** Number of bytes of an answer that are read: ids come first. */
  static final int MOST_BYTES = 1 << 16;

  private static final int LONGEST = 256;
  private static final int PIECE_BYTES = 256;

  private final AnswerReader reader;
  private @Nullable String id;
  private long read;

  public GivenId() {
    super(new UsageMeter(true));
    this.reader = AnswerReaders.of(() -> this);
  }

  /** Reads {@code bytes} as far as they matter, without changing their position. */
  public void feed(ByteBuffer bytes) {
    ByteBuffer rest = bytes.slice();
    while (!done() && rest.hasRemaining()) {
      // the id is mostly in the first piece, and the rest of an answer is much longer
      int length = (int) Math.min(Math.min(rest.remaining(), PIECE_BYTES), MOST_BYTES - read);
      read += length;
      reader.feed(rest.slice(rest.position(), length));
      rest.position(rest.position() + length);
    }
  }

  /** Returns whether nothing more is read. */
  public boolean done() {
    return id != null || read >= MOST_BYTES;
  }

  /** Returns the id, at most 256 characters, or null if there is none yet. */
  public @Nullable String id() {
    return id;
  }

  @Override
  protected boolean isUsage(JsonWalk at, int depth) {
    return false;
  }

  @Override
  protected boolean isModel(JsonWalk at) {
    return false;
  }

  @Override
  protected void figure(JsonWalk at, String name) {}

  @Override
  protected void content(JsonWalk at) {
    if (id == null
        && isOfTheWhole(at, at.depth(), "id", "response")
        && at.isString()
        && at.isAtMost(LONGEST)) {
      id = at.text();
    }
  }
}
