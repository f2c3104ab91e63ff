package io.penstock.pool;

import io.penstock.quota.Quota;
import io.penstock.tenant.SharedState;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Additions that the gateway leaves out for a while, by models of one upstream. The upstream
 * refused requests that had them, and served the same requests without them: twice, for two keys or
 * for the only one that is active, so that no key alone decides about the requests of others. Safe
 * from any thread.
 */
final class AdditionRefusals {
  /** For how long the gateway leaves an addition out, in nanoseconds; then it tries again. */
  static final long NANOS = 600_000_000_000L;

  /**
   * Most pairs of a model and an addition that are remembered: more than any provider has models.
   * Refusals of further ones are ignored.
   */
  static final int MOST = 1_000;

  private record Place(String model, Addition addition) {}

  private record Counted(Quota pool, Addition addition) {}

  /** How far the evidence against an addition has come. */
  private enum Stage {
    /** One request was served without it. */
    SEEN,
    /** It is left out. */
    WITHHELD,
    /** It was left out until the upstream stated unasked what it asks for. */
    DOUBTED,
    /** It is left out again after that, so what is stated unasked shows nothing. */
    AGAIN;

    boolean withholds() {
      return switch (this) {
        case WITHHELD, AGAIN -> true;
        case SEEN, DOUBTED -> false;
      };
    }
  }

  /**
   * Evidence against an addition.
   *
   * @param witness the key whose request was served without it first
   * @param ends when it is forgotten
   */
  private record Evidence(Stage stage, Object witness, long ends) {
    /** Returns the evidence after a request was served without the addition. */
    Evidence andServed(Object key, boolean alone, long until) {
      return switch (stage) {
        case SEEN -> alone || !witness.equals(key) ? at(Stage.WITHHELD, until) : this;
        case DOUBTED -> at(Stage.AGAIN, until);
        case WITHHELD, AGAIN -> this;
      };
    }

    Evidence at(Stage next, long until) {
      return new Evidence(next, witness, until);
    }
  }

  @SharedState("refused additions")
  private final ConcurrentMap<Place, Evidence> known = new ConcurrentHashMap<>();

  @SharedState("refused additions")
  private final ConcurrentMap<Counted, LongAdder> times = new ConcurrentHashMap<>();

  /** Returns the additions that requests for a model go without. */
  Set<Addition> withheld(String model, long now) {
    if (known.isEmpty()) {
      return Set.of();
    }
    Set<Addition> withheld = EnumSet.noneOf(Addition.class);
    for (Addition each : Addition.values()) {
      if (ends(model, each, now) > now) {
        withheld.add(each);
      }
    }
    return withheld;
  }

  /** Returns the instant until which an addition is left out; {@code now} if it is not. */
  long ends(String model, Addition addition, long now) {
    Evidence evidence = known.get(new Place(model, addition));
    return evidence != null && evidence.stage().withholds() ? Math.max(now, evidence.ends()) : now;
  }

  /**
   * Records that a request was served without an addition that the upstream had refused in it, and
   * counts for a pool when the addition begins to be left out.
   *
   * @param key whose request it was
   * @param alone whether no other key is active
   */
  synchronized void served(
      String model, Addition addition, Object key, boolean alone, Quota pool, long now) {
    known.values().removeIf(each -> each.ends() <= now);
    Place place = new Place(model, addition);
    Evidence before = known.get(place);
    if (before == null) {
      if (known.size() < MOST) {
        known.put(place, new Evidence(Stage.SEEN, key, now + NANOS));
      }
      return;
    }
    Evidence after = before.andServed(key, alone, now + NANOS);
    known.put(place, after);
    if (after.stage() != before.stage()) {
      times.computeIfAbsent(new Counted(pool, addition), absent -> new LongAdder()).increment();
    }
  }

  /**
   * Records that a stream stated its usage.
   *
   * @param asked whether its client had asked for that, so that the upstream knows the option
   */
  void usageStated(String model, boolean asked, long now) {
    if (!known.isEmpty()) {
      doubt(model, asked, now);
    }
  }

  private synchronized void doubt(String model, boolean asked, long now) {
    Place place = new Place(model, Addition.STREAM_USAGE);
    Evidence evidence = known.get(place);
    if (asked) {
      known.remove(place);
    } else if (evidence != null && evidence.stage() == Stage.WITHHELD) {
      known.put(place, evidence.at(Stage.DOUBTED, now + NANOS));
    }
  }

  /** Returns how often the gateway began to leave out an addition for a model of a pool. */
  long times(Quota pool, Addition addition) {
    LongAdder counted = times.get(new Counted(pool, addition));
    return counted == null ? 0 : counted.sum();
  }

  /** Forgets all refusals, but not their counts: the upstream may be another one. */
  synchronized void forget() {
    known.clear();
  }
}
