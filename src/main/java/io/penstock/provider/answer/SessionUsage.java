package io.penstock.provider.answer;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Adds up the usage that the messages of a session state. Safe from any thread. */
public final class SessionUsage {
  private final Supplier<AnswerVisitor> visitor;
  private @Nullable AnswerReader message;
  private @Nullable TokenUsage total;

  /**
   * @param visitor returns what reads a message
   */
  public SessionUsage(Supplier<AnswerVisitor> visitor) {
    this.visitor = visitor;
  }

  /**
   * Reads and consumes a part of a message from the provider.
   *
   * @param last whether the message ends with it
   */
  public synchronized void feed(ByteBuffer bytes, boolean last) {
    AnswerReader reader = message == null ? new JsonAnswer(visitor.get()) : message;
    message = last ? null : reader;
    reader.feed(bytes);
    if (last) {
      reader.finish();
      add(reader.usage());
      reader.close();
    }
  }

  private void add(@Nullable TokenUsage more) {
    if (more == null) {
      return;
    }
    TokenUsage before = total == null ? TokenUsage.NONE : total;
    total =
        new TokenUsage(
            sum(before.inputTokens(), more.inputTokens()),
            sum(before.cacheReadTokens(), more.cacheReadTokens()),
            sum(before.cacheWriteTokens(), more.cacheWriteTokens()),
            sum(before.cacheWriteHourTokens(), more.cacheWriteHourTokens()),
            sum(before.outputTokens(), more.outputTokens()),
            sum(before.reasoningTokens(), more.reasoningTokens()));
  }

  private static long sum(long a, long b) {
    return Math.min(a + b, Cost.MAX_TOKENS);
  }

  /** Returns the usage so far, or null if none was stated. */
  public synchronized @Nullable TokenUsage usage() {
    return total;
  }
}
