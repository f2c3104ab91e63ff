package io.penstock.simulator;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a simulated fleet gets its work done. A ticket that waits although nothing blocks it
 * is a violation at that instant. Once all faults are over, a ticket may wait only for a limit that
 * is nearly used up.
 */
final class FleetProgress {
  /** Windows that are observed after all faults are over. */
  static final int WINDOWS = 2;

  /** Instances know the beginning of a window no better: they read it in whole milliseconds. */
  static final long CLOCK_NANOS = 3 * FleetWorld.MILLI;

  private final FleetWorld world;
  private final FleetLedger ledger;
  private final List<FleetInstance> instances;

  /** The instant since which a whole route of a waiting ticket has had room, by ticket. */
  private final Map<FleetTicket, Long> held = new HashMap<>();

  private long until = Long.MAX_VALUE;
  private long checks;
  private final List<Long> releases = new ArrayList<>();
  private long quietFrom = FleetWorld.START;
  private long longestSilence;

  /**
   * The fraction used of the limits that the oldest ticket of an instance waits for, by kind of
   * limit.
   */
  private final Map<String, Double> leastUsed = new TreeMap<>();

  FleetProgress(FleetWorld world, FleetLedger ledger, List<FleetInstance> instances) {
    this.world = world;
    this.ledger = ledger;
    this.instances = instances;
  }

  /** Sets the instant at which the simulation ends. */
  void until(long instant) {
    until = instant;
  }

  long releases() {
    return releases.size();
  }

  /**
   * Returns how much was released a second while nobody reached the store for longer than a lease,
   * as a part of what was released a second after all faults; null without such an outage.
   */
  @Nullable Double servedInOutages() {
    double lasted = 0;
    double released = 0;
    for (SimStore.Outage each : world.store().outages()) {
      long from = each.from() + FleetWorld.LEASE;
      if (each.until() > from + FleetWorld.SECOND) {
        lasted += (double) (each.until() - from);
        released += (double) releases(from, each.until());
      }
    }
    double after = (double) releases(wellFrom(), until) / (double) (until - wellFrom());
    return lasted == 0 || after == 0 ? null : released / lasted / after;
  }

  private long releases(long from, long to) {
    return releases.stream().filter(each -> each >= from && each < to).count();
  }

  /** Returns how often it checked a waiting ticket. */
  long checks() {
    return checks;
  }

  /** Returns the longest time without a release after all faults, in nanoseconds. */
  long longestSilence() {
    return longestSilence;
  }

  Map<String, Double> leastUsed() {
    return leastUsed;
  }

  /**
   * Returns whether nothing was released for longer than a window, although no ticket waits for a
   * day that is used up.
   */
  boolean wasIdle() {
    boolean day = leastUsed.containsKey(LimitSpec.Day.class.getSimpleName());
    return longestSilence > ledger.longestWindow() + FleetWorld.SECOND && !day;
  }

  void released() {
    releases.add(world.clock().now());
    quietFrom = world.clock().now();
  }

  /** Measures how long nothing was released while tickets waited, since all faults are over. */
  private void silence(boolean waits) {
    long now = world.clock().now();
    quietFrom = waits ? Math.max(quietFrom, wellFrom()) : now;
    longestSilence = Math.max(longestSilence, now - quietFrom);
  }

  /** Returns the instant from which all faults and their consequences are over. */
  private long wellFrom() {
    return until - WINDOWS * ledger.longestWindow();
  }

  /**
   * Checks all instances when nothing more happens at this instant, so that every ticket that could
   * go has gone.
   */
  void rested() {
    boolean waits = false;
    for (FleetInstance instance : instances) {
      FleetTicket oldest = instance.serves() ? instance.requests().oldest() : null;
      if (oldest != null && oldest.waits) {
        checks++;
        waits = true;
        look(instance, oldest);
      }
    }
    silence(waits);
  }

  private void look(FleetInstance instance, FleetTicket oldest) {
    FleetWays ways = instance.requests().ways();
    boolean admitted = ways.of(oldest).stream().anyMatch(way -> ways.admits(oldest, way));
    if (!admitted) {
      held.remove(oldest);
      return;
    }
    long now = world.clock().now();
    long lasts = now - held.computeIfAbsent(oldest, absent -> now);
    if (lasts > CLOCK_NANOS) {
      throw new InvariantViolation(
          "%s waits at %s though all on one way have had room for %d ns, at %d"
              .formatted(oldest, instance.name(), lasts, now));
    }
  }

  /** Evaluates the use of the limits at the end. */
  void ended() {
    for (FleetInstance instance : instances) {
      if (instance.serves()) {
        instance.assertUpstreamsTried();
      }
    }
    for (FleetInstance instance : instances) {
      FleetTicket oldest = instance.serves() ? instance.requests().oldest() : null;
      if (oldest != null && oldest.waits && oldest.arrived < until - FleetWorld.SECOND) {
        instance.requests().ways().of(oldest).forEach(way -> look(instance, way));
      }
    }
  }

  private void look(FleetInstance instance, FleetWays.Way way) {
    double most = 0;
    String kind = "";
    for (MeteredLimit metered : way.limits()) {
      LimitId id = instance.limits().idOf(metered.limit());
      if (id == null) {
        continue;
      }
      boolean concurrency = metered.measure() == LimitMeasure.CONCURRENCY;
      if (concurrency && metered.limit().room(instance.local()) < 1) {
        return; // it is waited for, but its fraction is not measured here
      }
      Double used = used(id);
      if (used != null && used >= most) {
        most = used;
        kind = spec(id).getClass().getSimpleName();
      }
    }
    if (!kind.isEmpty()) {
      leastUsed.merge(kind, most, Math::min);
    }
  }

  /** Returns a limit as it counts for all instances: the smallest that any has. */
  private LimitSpec spec(LimitId id) {
    LimitSpec least = ledger.specs().get(id);
    for (FleetInstance instance : instances) {
      LimitSpec own = instance.isEnded() ? null : instance.limits().spec(id);
      boolean sized =
          own != null && !(own instanceof LimitSpec.Strict) && FleetLedger.isSameKind(least, own);
      if (sized && SimWindows.capacity(own) < SimWindows.capacity(least)) {
        least = own;
      }
    }
    return least;
  }

  /**
   * Returns the fraction of a limit that was used since all faults are over; null where that says
   * nothing. For a bucket that may owe what it admitted too much before, the fraction since the
   * start.
   */
  private @Nullable Double used(LimitId id) {
    LimitSpec spec = spec(id);
    boolean owes = SimWindows.owesForLong(spec, world.onOutage());
    long from = owes ? FleetWorld.START : wellFrom();
    return SimWindows.used(spec, ledger.releases(id), from, until);
  }
}
