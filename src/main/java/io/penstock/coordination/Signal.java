package io.penstock.coordination;

import io.penstock.time.Ticker;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Event: it is sent once, and from then on all clients that wait for it are released at once. */
final class Signal extends Named {
  private @Nullable String message;

  Signal(long createdMillis) {
    super(createdMillis);
  }

  @Override
  void adjust(Operation operation, long nowNanos) {
    // an event has no parameters
  }

  @Override
  Reply act(Operation operation, long nowMillis, long nowNanos) {
    if (message != null) {
      return Replies.SENT;
    }
    message = ((Operation.Send) operation).message();
    return Replies.DONE;
  }

  @Override
  @Nullable Reply serve(Turn first, long nowNanos) {
    if (message == null) {
      return null;
    }
    served(first, null, nowNanos);
    return message.isEmpty() ? Replies.DONE : new Reply.Said(message);
  }

  @Override
  long nextNanos() {
    return Ticker.NEVER;
  }

  @Override
  void takeBack(Object given, long nowNanos) {
    // an event grants nothing
  }

  @Override
  boolean blank(long nowNanos) {
    return false;
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    describeWaits(statistics, "waited");
    statistics.put("triggered", message == null ? 0L : 1L);
    describeTimes(statistics);
  }
}
