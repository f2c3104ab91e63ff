package io.penstock.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A model of a queue as a list, which does everything in the slow and obvious way. */
final class QueueModel {
  final List<Ticket> tickets = new ArrayList<>();
  private final Map<Long, Integer> skips = new HashMap<>();
  private final Comparator<Ticket> inOrder;

  QueueModel(Comparator<Ticket> inOrder) {
    this.inOrder = inOrder;
  }

  List<Ticket> sorted() {
    tickets.sort(inOrder);
    return tickets;
  }

  void add(Ticket ticket) {
    tickets.add(ticket);
    skips.put(ticket.order(), 0);
  }

  int skips(Ticket ticket) {
    return skips.getOrDefault(ticket.order(), -1);
  }

  void pass(Ticket ticket) {
    skipBefore(ticket);
    tickets.remove(ticket);
  }

  void skipBefore(Ticket released) {
    for (Ticket each : tickets) {
      if (inOrder.compare(each, released) < 0) {
        skips.merge(each.order(), 1, Integer::sum);
      }
    }
  }

  @Nullable Ticket firstWithin(DimensionSizes room) {
    for (Ticket each : sorted()) {
      if (each.fits(room)) {
        return each;
      }
    }
    return null;
  }

  long soonest(ToLongFunction<DimensionSizes> instant) {
    DimensionSizes sizes = new DimensionSizes();
    long best = Long.MAX_VALUE;
    for (Ticket each : tickets) {
      each.sizesInto(sizes);
      best = Math.min(best, instant.applyAsLong(sizes));
    }
    return best;
  }
}
