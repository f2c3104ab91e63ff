package io.penstock.coordination;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counter: a number that clients add to. */
final class CounterObject extends CoordinationObject {
  private long value;
  private long increments;
  private long resets;

  CounterObject(long createdMillis) {
    super(createdMillis);
  }

  @Override
  ObjectReply act(ObjectOperation objectOperation, long nowMillis, long nowNanos) {
    return switch (objectOperation) {
      case ObjectOperation.Count(long amount) -> count(amount);
      case ObjectOperation.Reset(long to) -> {
        value = to;
        resets++;
        yield ObjectReplies.DONE;
      }
      default -> currentValue();
    };
  }

  private ObjectReply count(long amount) {
    long sum = value + amount;
    if (((value ^ sum) & (amount ^ sum)) < 0) {
      return ObjectReplies.BEYOND;
    }
    value = sum;
    increments++;
    return currentValue();
  }

  private ObjectReply currentValue() {
    return new ObjectReply.Result(Long.toString(value));
  }

  @Override
  @Nullable ObjectReply serve(ClientTurn first, long nowNanos) {
    throw new IllegalArgumentException("nobody waits for a counter: " + first.operation());
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    statistics.put("value", value);
    statistics.put("increments", increments);
    statistics.put("resets", resets);
  }
}
