package io.penstock.coordination;

import io.penstock.time.Ticker;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counter: a number that clients add to. */
final class Counter extends Named {
  private long value;
  private long increments;
  private long resets;

  Counter(long createdMillis) {
    super(createdMillis);
  }

  @Override
  void adjust(Operation operation, long nowNanos) {
    // a counter has no parameters
  }

  @Override
  Reply act(Operation operation, long nowMillis, long nowNanos) {
    return switch (operation) {
      case Operation.Count(long amount) -> count(amount);
      case Operation.Reset(long to) -> {
        value = to;
        resets++;
        yield Replies.DONE;
      }
      default -> said();
    };
  }

  private Reply count(long amount) {
    long sum = value + amount;
    if (((value ^ sum) & (amount ^ sum)) < 0) {
      return Replies.BEYOND;
    }
    value = sum;
    increments++;
    return said();
  }

  private Reply said() {
    return new Reply.Said(Long.toString(value));
  }

  @Override
  @Nullable Reply serve(Turn first, long nowNanos) {
    throw new IllegalArgumentException("nobody waits for a counter: " + first.operation());
  }

  @Override
  long nextNanos() {
    return Ticker.NEVER;
  }

  @Override
  void takeBack(Object given, long nowNanos) {
    // a counter grants nothing
  }

  @Override
  boolean blank(long nowNanos) {
    return true;
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    statistics.put("value", value);
    statistics.put("increments", increments);
    statistics.put("resets", resets);
  }
}
