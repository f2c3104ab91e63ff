package io.penstock.quota;

import io.penstock.cost.Dimension;
import io.penstock.cost.Measure;
import io.penstock.cost.Tariff;
import io.penstock.limit.Limit;
import io.penstock.queue.Sizes;
import io.penstock.time.Ticker;
import java.util.List;

/**
 * What a quota gives, as it is configured at a moment.
 *
 * @param charge how it adds a request up
 * @param limits in the order in which they are checked and taken
 */
record Terms(Tariff charge, List<Metered> limits) {
  Terms {
    limits = List.copyOf(limits);
  }

  /** Input cannot be cut to the capacity, as expected output is. */
  static boolean needsInput(Metered metered) {
    return metered.measure() == Measure.TOKENS || metered.measure() == Measure.INPUT_TOKENS;
  }

  private static boolean possible(Metered metered, Sizes sizes, long capacity) {
    return !needsInput(metered) || sizes.get(Dimension.INPUT) <= capacity;
  }

  /** Returns what a request of {@code sizes} asks of a limit. */
  long amount(Metered metered, Sizes sizes) {
    Dimension dimension = charge.dimension(metered.measure());
    return dimension == null ? 1 : sizes.get(dimension);
  }

  /** Returns whether a limit admits that now, pacing aside. */
  boolean admits(Metered metered, Sizes sizes, long now) {
    return possible(metered, sizes, metered.limit().capacity(now))
        && amount(metered, sizes) <= metered.limit().room(now);
  }

  /** Returns the instant from which it does if nothing else happens; may be NEVER. */
  long opens(Metered metered, Sizes sizes, long now) {
    Limit limit = metered.limit();
    if (!possible(metered, sizes, limit.capacity())) {
      return Ticker.NEVER;
    }
    boolean whole = possible(metered, sizes, limit.capacity(now));
    long opens = limit.opens(amount(metered, sizes), now);
    return whole ? opens : Math.max(opens, limit.restores(now));
  }

  /** Returns the instant from which its pace lets that pass, at most now if it does. */
  long paced(Metered metered, Sizes sizes, long now) {
    return metered.limit().paced(amount(metered, sizes), now);
  }

  /** Returns how a limit stands to a request of {@code sizes}; asks other instances for nothing. */
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
