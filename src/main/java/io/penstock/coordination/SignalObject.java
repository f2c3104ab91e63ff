package io.penstock.coordination;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Event: it is sent once, and from then on all clients that wait for it are released at once. */
final class SignalObject extends CoordinationObject {
  private @Nullable String message;

  SignalObject(long createdMillis) {
    super(createdMillis);
  }

  @Override
  ObjectReply act(ObjectOperation operation, long nowMillis, long nowNanos) {
    if (message != null) {
      return ObjectReplies.SENT;
    }
    message = ((ObjectOperation.Send) operation).message();
    return ObjectReplies.DONE;
  }

  @Override
  @Nullable ObjectReply serve(ClientTurn first, long nowNanos) {
    if (message == null) {
      return null;
    }
    served(first, null, nowNanos);
    return message.isEmpty() ? ObjectReplies.DONE : new ObjectReply.Result(message);
  }

  @Override
  long addedBytes(ObjectOperation operation) {
    return message == null && operation instanceof ObjectOperation.Send(String sent)
        ? ObjectFootprint.message(sent)
        : 0;
  }

  @Override
  long contentBytes() {
    return message == null ? 0 : ObjectFootprint.message(message);
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    describeWaits(statistics, "waited");
    statistics.put("triggered", message == null ? 0L : 1L);
    describeTimes(statistics);
  }
}
