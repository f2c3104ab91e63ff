package io.penstock.provider;

import io.penstock.cost.Usage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads an answer that is one JSON object. */
final class JsonAnswer implements AnswerReader {
  private final Meter meter;
  private final JsonWalk walk;

  JsonAnswer(AnswerVisitor visitor) {
    this.meter = visitor.meter();
    this.walk = JsonWalk.ofAnswer(visitor);
  }

  @Override
  public void feed(ByteBuffer bytes) {
    walk.feed(bytes);
    String fault = walk.fault();
    if (fault != null) {
      meter.warn("the answer cannot be read: " + fault);
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
  public @Nullable String warning() {
    return meter.warning();
  }
}
