package io.penstock.region;

import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;

/** One region of an {@link Ocean}, with a clock that is off by {@code skew}. */
final class Island {
  private final Ocean ocean;
  private final String name;
  private final long skew;
  private final long offset;
  private final RegionSync regionSync;
  private final RegionLimitSource source;
  private Limit limit;
  private boolean lost;
  private long alarms;

  /** Amount admitted, and number of denied requests. */
  long admitted;

  long denied;

  Island(Ocean ocean, String name, long skew, Replica replica) {
    this.ocean = ocean;
    this.name = name;
    this.skew = skew;
    this.offset = ocean.random.nextLong(Ocean.SECOND) - Ocean.START + 1_000 * Ocean.SECOND;
    RegionSync.Stores shores =
        new RegionSync.Stores(name, replica, replica, () -> replica.of(name));
    this.regionSync =
        new RegionSync(
            shores,
            null,
            this::local,
            () -> (ocean.now() + skew) / 1_000_000,
            RegionSync.Terms.of(ocean.share),
            ocean.random::nextDouble);
    this.source = new RegionLimitSource(new LocalLimitSource(), regionSync, id -> false);
    this.limit = source.limit(ocean.id(), ocean.spec(), local());
    regionSync.onDenial(this::step);
    step();
  }

  String name() {
    return name;
  }

  long skew() {
    return skew;
  }

  private long local() {
    return ocean.now() + offset;
  }

  private void step() {
    if (!lost) {
      long next = regionSync.step();
      long mine = ++alarms;
      if (next != Ticker.NEVER) {
        ocean.after(
            Math.max(1, next - local()),
            () -> {
              if (mine == alarms) {
                step();
              }
            });
      }
    }
  }

  /** Ends the region, which does nothing from then on. */
  void lose() {
    lost = true;
  }

  /**
   * Creates an unused limit anew, as a gateway that forgot it would; the counts of its cells must
   * survive.
   */
  void idle() {
    if (limit.fullyFreeAt(local()) <= local()) {
      source.forget(ocean.id());
      limit = source.limit(ocean.id(), ocean.spec(), local());
    }
  }

  void arrive(long amount) {
    if (lost) {
      return;
    }
    Weight weight = Weight.exactly(amount);
    if (limit.take(weight, local()) instanceof LimitAnswer.Receipt) {
      admitted += amount;
      ocean.admitted(this, amount);
    } else {
      denied++;
      limit.sharing().recordDenial(weight, local());
    }
  }
}
