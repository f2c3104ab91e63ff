package io.penstock.coordination;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lets those go who wait once it was not kicked in time, until it is kicked again. */
final class Watchdog extends Named {
  /** How long it waits for its first kick, from the first that waits for it. */
  static final long FIRST_NANOS = 60_000_000_000L;

  private long expiresNanos;
  private long kicks;
  private String lastKick = "";

  Watchdog(long createdMillis, long nowNanos) {
    super(createdMillis);
    this.expiresNanos = later(nowNanos, FIRST_NANOS);
  }

  @Override
  void adjust(Operation operation, long nowNanos) {
    // who waits for it changes nothing
  }

  @Override
  Reply act(Operation operation, long nowMillis, long nowNanos) {
    expiresNanos = later(nowNanos, ((Operation.Kick) operation).expiresNanos());
    kicks++;
    lastKick = time(nowMillis);
    return Replies.DONE;
  }

  @Override
  @Nullable Reply serve(Turn first, long nowNanos) {
    if (nowNanos < expiresNanos) {
      return null;
    }
    served(first, null, nowNanos);
    return Replies.DONE;
  }

  @Override
  long nextNanos() {
    return expiresNanos;
  }

  @Override
  void takeBack(Object given, long nowNanos) {
    // nobody is given anything
  }

  @Override
  boolean blank(long nowNanos) {
    return false;
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    describeWaits(statistics, "waited");
    statistics.put("kicks", kicks);
    statistics.put("last_kick", lastKick);
  }
}
