package io.penstock.coordination;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What came of an operation. */
public sealed interface Reply {
  /** It is done; there is nothing to say. */
  record Done() implements Reply {}

  /** It is done, and this is what it comes to. */
  record Said(String text) implements Reply {}

  /** What happened at the object: numbers and text by name, in order. */
  record Told(Map<String, Object> statistics) implements Reply {
    public Told {
      statistics = Collections.unmodifiableMap(new LinkedHashMap<>(statistics));
    }
  }

  /** It waited for as long as it may. */
  record TimedOut() implements Reply {}

  /** It cannot be done as the object is. */
  record Conflict(String why) implements Reply {}

  /** There is no such object. */
  record Missing() implements Reply {}

  /** There are too many already. */
  record Full(String why) implements Reply {}

  /** The gateway stops. */
  record Stopping() implements Reply {}

  /** Nothing can be decided here now. */
  record Unavailable(String why) implements Reply {}
}
