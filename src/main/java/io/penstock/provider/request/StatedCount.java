package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.json.JsonWalk;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A whole number in a member of a request, which is there once; null means not stated. */
final class StatedCount {
  /** Value of a number that is not stated. */
  static final long UNSTATED = -1;

  private static final int MOST_DIGITS = 18;
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  private final String name;
  private final long min;
  private final long max;
  private long value = UNSTATED;
  private @Nullable String fault;

  StatedCount(String name, long min, long max) {
    this.name = name;
    this.min = min;
    this.max = max;
  }

  /** Returns a count of 0 to {@link Cost#MAX_TOKENS} tokens. */
  static StatedCount ofTokens(String name) {
    return new StatedCount(name, 0, Cost.MAX_TOKENS);
  }

  void read(JsonWalk at) {
    value = UNSTATED;
    fault = null;
    if (at.isNull()) {
      return;
    }
    take(at.whole());
  }

  /** Reads a number that may also be a string of digits. */
  void readQuoted(JsonWalk at) {
    if (at.isString() && at.isAtMost(MOST_DIGITS) && DIGITS.matcher(at.text()).matches()) {
      fault = null;
      take(Long.parseLong(at.text()));
    } else {
      read(at);
    }
  }

  private void take(long whole) {
    value = UNSTATED;
    if (whole == JsonWalk.NOT_WHOLE) {
      notANumber();
    } else if (whole < min || whole > max) {
      fault = name + " is out of range, expected " + min + " to " + max;
    } else {
      value = whole;
    }
  }

  /** Notes an object or array in place of the number. */
  void notANumber() {
    value = UNSTATED;
    fault = name + " is not a whole number, expected " + min + " to " + max;
  }

  /** Returns the number, or {@link #UNSTATED}. */
  long value() {
    return value;
  }

  /** Returns what is wrong with the number, or null. */
  @Nullable String fault() {
    return fault;
  }
}
