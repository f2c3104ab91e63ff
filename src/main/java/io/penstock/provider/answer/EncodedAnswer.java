package io.penstock.provider.answer;

import io.penstock.cost.TokenUsage;
import io.penstock.tokenizer.TokenEstimate;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reader for an answer in an unrequested encoding that is not supported, such as brotli: its raw
 * bytes are counted as if they were text.
 */
final class EncodedAnswer implements AnswerReader {
  private long bytes;

  @Override
  public void feed(ByteBuffer piece) {
    bytes += piece.remaining();
    piece.position(piece.limit());
  }

  @Override
  public long producedTokens() {
    return TokenEstimate.tokens(bytes);
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
  public String warning() {
    return "the answer is compressed in a way that is not read, its bytes count as output";
  }
}
