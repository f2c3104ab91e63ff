package io.penstock.coordination;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watchdog: releases its waiters while it has not been kicked in time, until it is kicked again.
 */
final class WatchdogObject extends CoordinationObject {
  /** Time until it expires without a first kick, from its creation. */
  static final long FIRST_NANOS = 60_000_000_000L;

  private long expiresNanos;
  private long kicks;
  private String lastKick = "";

  WatchdogObject(long createdMillis, long nowNanos) {
    super(createdMillis);
    this.expiresNanos = later(nowNanos, FIRST_NANOS);
  }

  @Override
  ObjectReply act(ObjectOperation operation, long nowMillis, long nowNanos) {
    expiresNanos = later(nowNanos, ((ObjectOperation.Kick) operation).expiresNanos());
    kicks++;
    lastKick = time(nowMillis);
    return ObjectReplies.DONE;
  }

  @Override
  @Nullable ObjectReply serve(ClientTurn first, long nowNanos) {
    if (nowNanos < expiresNanos) {
      return null;
    }
    served(first, null, nowNanos);
    return ObjectReplies.DONE;
  }

  @Override
  long nextNanos() {
    return expiresNanos;
  }

  @Override
  boolean blank(long nowNanos) {
    return nowNanos >= expiresNanos;
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    describeWaits(statistics, "waited");
    statistics.put("kicks", kicks);
    statistics.put("last_kick", lastKick);
  }
}
