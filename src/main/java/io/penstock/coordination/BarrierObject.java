package io.penstock.coordination;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Barrier: releases its waiters once there are enough of them, and none that arrive later. */
final class BarrierObject extends CoordinationObject {
  private long size;

  /** Number of waiters that opened it and are still to be released; −1 while it is closed. */
  private long passing = -1;

  BarrierObject(ObjectOperation.Arrive first, long createdMillis) {
    super(createdMillis);
    this.size = first.size();
  }

  @Override
  void adjust(ObjectOperation operation, long nowNanos) {
    if (passing < 0) {
      size = ((ObjectOperation.Arrive) operation).size();
    }
  }

  @Override
  ObjectReply act(ObjectOperation operation, long nowMillis, long nowNanos) {
    throw new IllegalArgumentException("a barrier has nothing to do at once: " + operation);
  }

  @Override
  @Nullable ObjectReply serve(ClientTurn first, long nowNanos) {
    if (passing < 0 && (size == 0 || waiting() < size)) {
      return null;
    }
    if (passing < 0) {
      passing = waiting();
    }
    if (passing == 0) {
      return ObjectReplies.OPENED;
    }
    passing--;
    served(first, null, nowNanos);
    return ObjectReplies.DONE;
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    statistics.put("waiting", (long) waiting());
    statistics.put("size", size);
    describeWaits(statistics, "total_waited");
    statistics.put("triggered", passing < 0 ? 0L : 1L);
    describeTimes(statistics);
  }
}
