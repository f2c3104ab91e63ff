package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds whether an answer, or the {@code response} in a stream, was made in the background, and
 * when. Not thread-safe.
 */
public final class BackgroundMark extends AnswerVisitor {
  private static final long DAY_SECONDS = 86_400;

  private final AnswerReader reader;
  private boolean foreground;
  private long createdAtSeconds = UsageMeter.UNSTATED;

  /** Creates a reader of an answer with that media type and encoding. */
  public BackgroundMark(@Nullable String contentType, @Nullable String contentEncoding) {
    super(new UsageMeter(true));
    this.reader = AnswerReaders.encoded(AnswerReaders.of(() -> this), contentType, contentEncoding);
  }

  /** Reads and consumes {@code bytes}. */
  public void feed(ByteBuffer bytes) {
    reader.feed(bytes);
  }

  /**
   * Returns whether nothing says that it is older than a day, or was made while a client waited.
   */
  public boolean mayBeOfTheLastDay(long unixMillis) {
    return !foreground
        && (createdAtSeconds == UsageMeter.UNSTATED
            || unixMillis / 1_000 - createdAtSeconds < DAY_SECONDS);
  }

  /** Frees the resources used for reading. */
  public void close() {
    reader.close();
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
  protected void content(JsonWalk at) {
    if (at.isBoolean() && isOfTheWhole(at, at.depth(), "background", "response")) {
      foreground = !at.isTrue();
    } else if (at.isNumber() && isOfTheWhole(at, at.depth(), "created_at", "response")) {
      createdAtSeconds = Math.max(UsageMeter.UNSTATED, at.wholeInAnyForm());
    }
  }
}
