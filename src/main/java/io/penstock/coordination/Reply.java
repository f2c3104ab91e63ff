package io.penstock.coordination;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Result of an operation. */
public sealed interface Reply {
  /** The operation is done; there is no result. */
  record Done() implements Reply {}

  /** The operation is done, with a result. */
  record Said(String text) implements Reply {}

  /** Statistics of the object: numbers and texts by name, in order. */
  record Told(Map<String, Object> statistics) implements Reply {
    public Told {
      statistics = Collections.unmodifiableMap(new LinkedHashMap<>(statistics));
    }
  }

  /** The longest wait has passed. */
  record TimedOut() implements Reply {}

  /** The state of the object does not permit the operation. */
  record Conflict(String why) implements Reply {}

  /** There is no such object. */
  record Missing() implements Reply {}

  /** A bound is reached. */
  record Full(String why) implements Reply {}

  /** The gateway is stopping. */
  record Stopping() implements Reply {}

  /** The service is not available now. */
  record Unavailable(String why) implements Reply {}
}
