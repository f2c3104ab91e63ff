package io.penstock.quota;

import io.penstock.cost.Dimension;
import io.penstock.cost.Measure;
import io.penstock.cost.Tariff;
import io.penstock.limit.Limit;
import io.penstock.queue.Sizes;
import io.penstock.time.Ticker;
import java.util.List;

/**
 * Configuration of a quota at a moment.
 *
 * @param charge the rule for the cost of a request
 * @param limits in the order in which they are checked and taken
 */
record Terms(Tariff charge, List<Metered> limits) {
  Terms {
    limits = List.copyOf(limits);
  }

  /**
   * Returns whether the input must fit into the limit: it cannot be cut to the capacity as expected
   * output is.
   */
  static boolean needsInput(Metered metered) {
    return metered.measure() == Measure.TOKENS || metered.measure() == Measure.INPUT_TOKENS;
  }

  private static boolean possible(Metered metered, Sizes sizes, long capacity) {
    return !needsInput(metered) || sizes.get(Dimension.INPUT) <= capacity;
  }

  /** Returns the amount that a request of {@code sizes} takes from a limit. */
  long amount(Metered metered, Sizes sizes) {
    Dimension dimension = charge.dimension(metered.measure());
    return dimension == null ? 1 : sizes.get(dimension);
  }

  /** Returns whether a limit admits a request of {@code sizes} now, ignoring pacing. */
  boolean admits(Metered metered, Sizes sizes, long now) {
    return possible(metered, sizes, metered.limit().capacity(now))
        && amount(metered, sizes) <= metered.limit().room(now);
  }

  /**
   * Returns the instant from which a limit admits a request of {@code sizes} if nothing else
   * happens; may be {@link Ticker#NEVER}.
   */
  long opens(Metered metered, Sizes sizes, long now) {
    Limit limit = metered.limit();
    if (!possible(metered, sizes, limit.capacity())) {
      return Ticker.NEVER;
    }
    boolean whole = possible(metered, sizes, limit.capacity(now));
    long opens = limit.opens(amount(metered, sizes), now);
    return whole ? opens : Math.max(opens, limit.restores(now));
  }

  /**
   * Returns the instant from which the pace of a limit lets a request of {@code sizes} pass; {@code
   * now} if it does already.
   */
  long paced(Metered metered, Sizes sizes, long now) {
    return metered.limit().paced(amount(metered, sizes), now);
  }

  /** Returns the status of a limit for a request of {@code sizes}, without a demand for slices. */
  Stance stance(Metered metered, Sizes sizes, long now) {
    long amount = amount(metered, sizes);
    boolean possible = possible(metered, sizes, metered.limit().capacity());
    long needs = possible ? Math.min(amount, metered.limit().capacity(now)) : amount;
    boolean room = admits(metered, sizes, now);
    long paced = paced(metered, sizes, now);
    boolean lacks = !possible || (!room && metered.limit().lacks(needs, now));
    long opens = room ? now : lacks ? Ticker.NEVER : opens(metered, sizes, now);
    boolean dry = !room && metered.limit().dry(needs, now);
    return new Stance(metered, needs, dry, Math.max(now, Math.max(opens, paced)));
  }
}
