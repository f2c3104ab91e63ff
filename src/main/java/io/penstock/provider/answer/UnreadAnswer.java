package io.penstock.provider.answer;

import io.penstock.cost.TokenUsage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reader for an answer that states no usage, such as an HTML page or a file. */
public final class UnreadAnswer implements AnswerReader {
  @Override
  public void feed(ByteBuffer bytes) {
    bytes.position(bytes.limit());
  }

  @Override
  public long producedTokens() {
    return 0;
  }

  @Override
  public @Nullable TokenUsage usage() {
    return null;
  }

  @Override
  public @Nullable String model() {
    return null;
  }

  @Override
  public @Nullable String warning() {
    return null;
  }
}
