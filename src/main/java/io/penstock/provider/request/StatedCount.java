package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.json.JsonWalk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole number in a member of a request, which is there once; null means not stated. It may be
 * written as servers take it: as a decimal ({@code 100.0}, {@code 1e2}) or in quotes.
 */
public final class StatedCount implements BodyMember {
  /** Value of a number that is not stated. */
  public static final long UNSTATED = -1;

  private final String name;
  private final long min;
  private final long max;
  private final boolean bound;
  private long value = UNSTATED;
  private boolean boundless;
  private long at = -1;
  private int length;
  private @Nullable String doubt;

  public StatedCount(String name, long min, long max) {
    this(name, min, max, false);
  }

  private StatedCount(String name, long min, long max, boolean bound) {
    this.name = name;
    this.min = min;
    this.max = max;
    this.bound = bound;
  }

  /**
   * Returns a bound of 0 to {@link Cost#MAX_TOKENS} tokens. A negative one states that there is
   * none; sources: LM Studio and llama.cpp, {@code max_tokens} and {@code n_predict}. A fraction
   * counts as the next larger number, because servers round it in either direction.
   */
  public static StatedCount ofTokens(String name) {
    return new StatedCount(name, 0, Cost.MAX_TOKENS, true);
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

  /** Reads the scalar at the walk's place. */
  public void read(JsonWalk walk) {
    value = UNSTATED;
    boundless = false;
    doubt = null;
    if (walk.isNull()) {
      return;
    }
    long whole = bound ? walk.roundedUp() : walk.wholeInAnyForm();
    if (whole == JsonWalk.NOT_WHOLE) {
      notANumber();
    } else if (bound && whole == JsonWalk.NEGATIVE) {
      boundless = true;
      place(walk);
    } else if (whole < min || whole > max) {
      doubt = name + " is out of range, expected " + min + " to " + max;
    } else {
      value = whole;
      place(walk);
    }
  }

  /** Notes where the number is. */
  private void place(JsonWalk walk) {
    long end = walk.endsAt();
    at = walk.isString() ? walk.startsAt() : end - walk.text().length();
    length = (int) (end - at);
  }

  /** Returns those of some numbers that are stated, with their places. */
  static List<StatedMaximum> stated(List<StatedCount> counts) {
    List<StatedMaximum> stated = new ArrayList<>();
    for (StatedCount each : counts) {
      if (each.value != UNSTATED) {
        stated.add(new StatedMaximum(each.value, each.at, each.length));
      }
    }
    return stated;
  }

  /** Returns the places of those bounds that are negative: where a bound can stand instead. */
  static List<MaximumPlace> boundless(List<StatedCount> counts) {
    List<MaximumPlace> places = new ArrayList<>();
    for (StatedCount each : counts) {
      if (each.boundless) {
        places.add(new MaximumPlace(each.name, each.at, each.length, "", "", true));
      }
    }
    return places;
  }

  /** Notes an object or array in place of the number. */
  public void notANumber() {
    value = UNSTATED;
    doubt = name + " is not a whole number, expected " + min + " to " + max;
  }

  /** Returns the number, or {@link #UNSTATED}. */
  public long value() {
    return value;
  }

  @Override
  public @Nullable String doubt() {
    return doubt;
  }
}
