package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.json.JsonWalk;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A whole number in a member of a request, which is there once; null means not stated. */
public final class StatedCount implements BodyMember {
  /** Value of a number that is not stated. */
  public static final long UNSTATED = -1;

  private static final int MOST_DIGITS = 18;
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  private final String name;
  private final long min;
  private final long max;
  private long value = UNSTATED;
  private long at = -1;
  private int length;
  private @Nullable String fault;

  public StatedCount(String name, long min, long max) {
    this.name = name;
    this.min = min;
    this.max = max;
  }

  /** Returns a count of 0 to {@link Cost#MAX_TOKENS} tokens. */
  public static StatedCount ofTokens(String name) {
    return new StatedCount(name, 0, Cost.MAX_TOKENS);
  }

  @Override
  public void open(JsonWalk walk, boolean array) {
    if (walk.depth() == 1) {
      notANumber();
    }
  }

  @Override
  public void scalar(JsonWalk walk) {
    if (walk.depth() == 1) {
      read(walk);
    }
  }

  void read(JsonWalk walk) {
    value = UNSTATED;
    fault = null;
    if (walk.isNull()) {
      return;
    }
    take(walk.whole());
    if (value != UNSTATED) {
      place(walk);
    }
  }

  /** Reads a number that may also be a string of digits. */
  public void readQuoted(JsonWalk walk) {
    if (walk.isString() && walk.isAtMost(MOST_DIGITS) && DIGITS.matcher(walk.text()).matches()) {
      fault = null;
      take(Long.parseLong(walk.text()));
      place(walk);
    } else {
      read(walk);
    }
  }

  /** Notes where the number is. */
  private void place(JsonWalk walk) {
    long end = walk.endsAt();
    at = walk.isString() ? walk.startsAt() : end - walk.text().length();
    length = (int) (end - at);
  }

  /** Returns the number with its place in the body; null when it is not stated. */
  @Nullable StatedMaximum stated() {
    return value == UNSTATED ? null : new StatedMaximum(value, at, length);
  }

  /** Returns those of some numbers that are stated, with their places. */
  static List<StatedMaximum> stated(List<StatedCount> counts) {
    List<StatedMaximum> stated = new ArrayList<>();
    for (StatedCount each : counts) {
      StatedMaximum one = each.stated();
      if (one != null) {
        stated.add(one);
      }
    }
    return stated;
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
  public void notANumber() {
    value = UNSTATED;
    fault = name + " is not a whole number, expected " + min + " to " + max;
  }

  /** Returns the number, or {@link #UNSTATED}. */
  public long value() {
    return value;
  }

  /** Returns what is wrong with the number, or null. */
  @Override
  public @Nullable String fault() {
    return fault;
  }
}
