package io.penstock.coordination;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Result of an operation. */
public sealed interface ObjectReply {
  /** The operation is done; there is no result. */
  record Done() implements ObjectReply {}

  /** The operation is done, with a result. */
  record Result(String text) implements ObjectReply {}

  /** Statistics of the object: numbers and texts by name, in order. */
  record Statistics(Map<String, Object> statistics) implements ObjectReply {
    public Statistics {
      statistics = Collections.unmodifiableMap(new LinkedHashMap<>(statistics));
    }
  }

  /** The longest wait has passed. */
  record TimedOut() implements ObjectReply {}

  /** The state of the object does not permit the operation. */
  record Conflict(String why) implements ObjectReply {}

  /** There is no such object. */
  record Missing() implements ObjectReply {}

  /** A bound is reached. */
  record Full(String why) implements ObjectReply {}

  /** The gateway is stopping. */
  record Stopping() implements ObjectReply {}

  /** The service is not available now. */
  record Unavailable(String why) implements ObjectReply {}
}
