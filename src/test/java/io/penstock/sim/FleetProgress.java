package io.penstock.sim;

import io.penstock.cost.Measure;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.LostSpending;
import io.penstock.quota.LimitId;
import io.penstock.quota.Metered;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a simulated fleet gets its work done: a ticket that waits although nothing holds it
 * is a fault at that instant; and once all faults are over, whoever waits does so for a limit of
 * which nearly everything is used.
 */
final class FleetProgress {
  /** The store counts microseconds: instances know no better when one of its windows begins. */
  private static final long CLOCK_NANOS = 1_000;

  private final FleetSimulation fleet;

  /** By ticket that all on one way have had room for, since when. */
  private final Map<FleetTicket, Long> held = new HashMap<>();

  private long checks;
  private long releases;
  private long quietFrom = FleetSimulation.START;
  private long longestSilence;

  /** Whether a ticket waits for a window of which it is not known how much is spent. */
  private boolean barred;

  /** By kind of limit, the share used of those that the oldest ticket of an instance waits for. */
  private final Map<String, Double> leastUsed = new TreeMap<>();

  FleetProgress(FleetSimulation fleet) {
    this.fleet = fleet;
  }

  long releases() {
    return releases;
  }

  /** Returns how often it looked at a ticket that waits. */
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
   * Returns whether nothing was released for longer than a window, though nobody waits for a day
   * that is used up or a window of which it is not known how much is spent.
   */
  boolean wasIdle() {
    boolean day = leastUsed.containsKey(LimitSpec.Day.class.getSimpleName());
    return longestSilence > fleet.longestWindow() + FleetSimulation.SECOND && !barred && !day;
  }

  void released() {
    releases++;
    quietFrom = fleet.clock().now();
  }

  /** Measures how long nobody was released while somebody waited, since all was well. */
  private void silence(boolean waits) {
    long now = fleet.clock().now();
    quietFrom = waits ? Math.max(quietFrom, wellFrom()) : now;
    longestSilence = Math.max(longestSilence, now - quietFrom);
  }

  /** Returns the instant from which all faults are over and made good. */
  private long wellFrom() {
    return fleet.until() - FleetSimulation.WINDOWS * fleet.longestWindow();
  }

  /** Nothing more happens at this instant: whoever could go has gone. */
  void rested() {
    boolean waits = false;
    for (FleetInstance instance : fleet.instances()) {
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
    long now = fleet.clock().now();
    long lasts = now - held.computeIfAbsent(oldest, absent -> now);
    if (lasts > CLOCK_NANOS) {
      throw new Violation(
          "%s waits at %s though all on one way have had room for %d ns, at %d; %s"
              .formatted(oldest, instance.name(), lasts, now, fleet));
    }
  }

  /** All is over: looks at what was used. */
  void ended() {
    for (FleetInstance instance : fleet.instances()) {
      if (instance.serves()) {
        instance.assertUpstreamsTried();
      }
    }
    for (FleetInstance instance : fleet.instances()) {
      FleetTicket oldest = instance.serves() ? instance.requests().oldest() : null;
      if (oldest != null
          && oldest.waits
          && oldest.arrived < fleet.until() - FleetSimulation.SECOND) {
        instance.requests().ways().of(oldest).forEach(way -> look(instance, way));
      }
    }
  }

  private void look(FleetInstance instance, FleetWays.Way way) {
    double most = 0;
    String kind = "";
    if (way.limits().stream()
        .anyMatch(each -> LostSpending.bars(each.limit(), 1, instance.local()))) {
      barred = true;
      return;
    }
    for (Metered metered : way.limits()) {
      LimitId id = instance.limits().idOf(metered.limit());
      if (id == null) {
        continue;
      }
      boolean concurrency = metered.measure() == Measure.CONCURRENCY;
      if (concurrency && metered.limit().room(instance.local()) < 1) {
        return; // it is waited for, and its share is not measured here
      }
      Double used = used(id);
      if (used != null && used >= most) {
        most = used;
        kind = fleet.spec(id).getClass().getSimpleName();
      }
    }
    if (!kind.isEmpty()) {
      leastUsed.merge(kind, most, Math::min);
    }
  }

  /**
   * Returns the share of a limit that was used since all was well, or null where that says nothing.
   * Of a bucket that may have let pass too much before, which it owes until that is filled in, the
   * share since the beginning.
   */
  private @Nullable Double used(LimitId id) {
    LimitSpec spec = fleet.spec(id);
    boolean owes = SimWindows.owesForLong(spec, fleet.onOutage());
    long from = owes ? FleetSimulation.START : wellFrom();
    return SimWindows.used(spec, fleet.releases(id), from, fleet.until());
  }
}
