package io.penstock.provider.answer;

import io.penstock.cost.Usage;
import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads an answer that is one JSON object. */
final class JsonAnswer implements AnswerReader {
  private final Meter meter;
  private final JsonWalk walk;
  private boolean fed;

  JsonAnswer(AnswerVisitor visitor) {
    this.meter = visitor.meter();
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
      meter.warn("the answer cannot be read: " + fault);
    }
  }

  /** An answer without a body says nothing, and nothing that is wrong. */
  @Override
  public void finish() {
    if (fed) {
      walk.end();
      complain();
    }
  }

  @Override
  public long producedTokens() {
    return meter.producedTokens();
  }

  @Override
  public @Nullable Usage usage() {
    return meter.usage();
  }

  @Override
  public @Nullable String model() {
    return meter.model();
  }

  @Override
  public @Nullable String warning() {
    return meter.warning();
  }
}
