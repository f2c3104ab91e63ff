package io.penstock.mainjob;

import io.penstock.cost.CostDimension;
import io.penstock.cost.Weight;
import io.penstock.event.Event;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The waits that a limit would have caused by itself, release by release: a second limit is told
 * about every release that really happened, and tells when the next one could have been.
 *
 * @param measured how long each ticket that waited really waited, in nanoseconds
 * @param computed how long it would have had to
 * @param late by how much each release came after the instant at which it could be
 */
record ComputedWaits(List<Long> measured, List<Long> computed, List<Long> late) {

  /** Computes the waits for the tickets of a log that has one limit. */
  static ComputedWaits of(JobReleases log, LimitSpec spec, CostDimension size) {
    ComputedWaits waits =
        new ComputedWaits(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    Limit limit = null;
    long last = 0;
    Map<Long, Long> held = new HashMap<>();
    for (JobReleases.Noted each : log.all()) {
      if (each.event() instanceof Event.Settled settled && limit != null) {
        long output = held.getOrDefault(settled.ticket(), 0L);
        limit.charge(output, output, settled.atNanos());
      } else if (each.event() instanceof Event.Released released) {
        limit = limit == null ? new Limit(spec, released.atNanos()) : limit;
        limit.feedback().widen(each.jitterNanos());
        waits.add(limit, released, size, last);
        last = released.atNanos();
        Weight weight = weight(released, size);
        held.put(released.ticket(), weight.reserved());
        if (!(limit.take(weight, last) instanceof LimitAnswer.Receipt)) {
          limit.charge(weight.amount(), 0, last);
          held.put(released.ticket(), 0L);
        }
      }
    }
    return waits;
  }

  private static Weight weight(Event.Released released, CostDimension size) {
    long amount = size.of(released.cost());
    long output = size == CostDimension.TOTAL ? released.cost().outputTokens() : 0;
    return new Weight(amount - output, output, 0);
  }

  private void add(Limit limit, Event.Released released, CostDimension size, long last) {
    long arrived = released.atNanos() - released.waitedNanos();
    long from = Math.max(arrived, last);
    long could = limit.admittedAt(size.of(released.cost()), from);
    if (released.waitedNanos() > 0 && could < Long.MAX_VALUE) {
      measured.add(released.waitedNanos());
      computed.add(Math.max(from, could) - arrived);
      late.add(released.atNanos() - Math.max(from, could));
    }
  }

  /** Returns a quantile in milliseconds, 0 for an empty list. */
  static double millis(List<Long> nanos, double quantile) {
    if (nanos.isEmpty()) {
      return 0;
    }
    List<Long> sorted = nanos.stream().sorted().toList();
    return sorted.get((int) Math.ceil(quantile * (sorted.size() - 1))) / 1e6;
  }
}
