package io.penstock.provider.answer;

import io.penstock.cost.TokenUsage;
import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads an answer that is a single JSON object. */
final class JsonAnswer implements AnswerReader {
  private final UsageMeter usageMeter;
  private final JsonWalk walk;
  private boolean fed;

  JsonAnswer(AnswerVisitor visitor) {
    this.usageMeter = visitor.meter();
    this.walk = JsonWalk.ofAnswer(visitor);
  }

  @Override
  public void feed(ByteBuffer bytes) {
    fed |= bytes.hasRemaining();
    walk.feed(bytes);
    complain();
  }

  private void complain() {
    String fault = walk.fault();
    if (fault != null) {
      usageMeter.warn("the answer cannot be read: " + fault);
    }
  }

  /** Ends the reading; an answer without a body states nothing and is no oddity. */
  @Override
  public void finish() {
    if (fed) {
      walk.end();
      complain();
    }
  }

  @Override
  public long producedTokens() {
    return usageMeter.producedTokens();
  }

  @Override
  public @Nullable TokenUsage usage() {
    return usageMeter.usage();
  }

  @Override
  public @Nullable String model() {
    return usageMeter.model();
  }

  @Override
  public @Nullable String warning() {
    return usageMeter.warning();
  }
}
