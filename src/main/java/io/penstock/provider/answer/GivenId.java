package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds in an answer the id of what it gives, which a later request may refer to: {@code id} of the
 * object itself, or of the {@code response} that the first events of a stream carry. Reads the
 * beginning of an answer only. Not safe for use by several threads at once.
 */
public final class GivenId implements AnswerVisitor {
  /** How far an answer is read, in bytes: ids come first. */
  static final int MOST_BYTES = 1 << 16;

  private static final int LONGEST = 256;

  private final Meter unused = new Meter(true);
  private final AnswerReader reader;
  private @Nullable String id;
  private long read;

  private GivenId(@Nullable String contentType) {
    this.reader = AnswerReaders.of(contentType, () -> this);
  }

  /** Returns a reader of an answer of that media type; a type that is not read has no id. */
  public static GivenId of(@Nullable String contentType) {
    return new GivenId(contentType);
  }

  /** Reads {@code bytes} as far as matters, and leaves their position as it is. */
  public void feed(ByteBuffer bytes) {
    if (!done()) {
      ByteBuffer piece = bytes.slice();
      piece.limit((int) Math.min(piece.limit(), MOST_BYTES - read));
      read += piece.limit();
      reader.feed(piece);
    }
  }

  /** Returns whether nothing more is read. */
  public boolean done() {
    return id != null || read >= MOST_BYTES;
  }

  /** Returns the id, at most 256 characters, or null while there is none. */
  public @Nullable String id() {
    return id;
  }

  @Override
  public Meter meter() {
    return unused;
  }

  @Override
  public void open(JsonWalk at, boolean array) {}

  @Override
  public void close(JsonWalk at) {}

  @Override
  public void scalar(JsonWalk at) {
    boolean own = at.depth() == 1;
    boolean response = at.depth() == 2 && "response".equals(at.name(1));
    if (id == null
        && (own || response)
        && "id".equals(at.name())
        && at.isString()
        && at.isAtMost(LONGEST)) {
      id = at.text();
    }
  }
}
