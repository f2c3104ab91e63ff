package io.penstock.region;

import io.penstock.limit.Limit;
import io.penstock.quota.Counts.Count;
import io.penstock.quota.Denials.Denial;
import io.penstock.quota.LimitId;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All limits that regions share, as far as they are known: those that are here, and those of which
 * other regions said something, because their next request may come here. Its frontier guards it.
 */
final class Atlas {
  /** Of limits that nobody has here so many are known at most. */
  static final int MOST_UNKNOWN = 100_000;

  /** A wall clock that was set, or went another way by so much, is believed. */
  private static final long SET_NANOS = 20_000_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Told of denials. */
  interface Denied {
    void denied(LimitId id, long cell, long limit);
  }

  private final Regions.@Nullable Mates mates;
  private final WallClock wall;
  private final Denied denied;
  private final Ledger ledger;
  private final Map<LimitId, Known> all = new HashMap<>();

  /** How many of them nobody has here. */
  private int unknown;

  /** What to add to an instant for Unix nanoseconds. */
  private long shift;

  Atlas(Regions.@Nullable Mates mates, WallClock wall, Denied denied, Ledger ledger, long now) {
    this.mates = mates;
    this.wall = wall;
    this.denied = denied;
    this.ledger = ledger;
    this.shift = told(now);
  }

  private long told(long now) {
    return wall.unixMillis() * NANOS_PER_MILLI - now;
  }

  void join(LimitId id, Limit limit, long now) {
    Known known = all.get(id);
    if (known == null) {
      known = new Known(id, mates == null);
      all.put(id, known);
    } else if (known.has(limit)) {
      return;
    } else {
      unknown -= known.joined() ? 0 : 1;
    }
    known.join(limit);
    bind(id, known, now);
  }

  void leave(LimitId id) {
    Known known = all.get(id);
    if (known != null && known.joined()) {
      known.leave();
      unknown++;
    }
  }

  private void bind(LimitId id, Known known, long now) {
    known.bind(shift, (cell, limit) -> denied.denied(id, cell, limit), now);
  }

  /** The clock of this machine may have been set, and others of this region counted more. */
  void follow(long now) {
    long told = told(now);
    boolean set = Math.abs(told - shift) > SET_NANOS;
    shift = set ? told : shift;
    if (!set && mates == null) {
      return;
    }
    all.forEach(
        (id, known) -> {
          if (mates != null && known.joined()) {
            known.mates(mates.counted(id), cell(id, now) - 1);
          }
          bind(id, known, now);
        });
  }

  private long cell(LimitId id, long now) {
    return Math.floorDiv(now + shift, id.durationNanos());
  }

  /** Forgets what counts no more. */
  void forget(long now) {
    all.entrySet()
        .removeIf(
            each -> {
              boolean gone = each.getValue().forget(cell(each.getKey(), now) - 1);
              unknown -= gone ? 1 : 0;
              return gone;
            });
  }

  /** Returns what is to be told of all, in no order. */
  List<Count> tell(double share) {
    List<Count> own = new ArrayList<>();
    all.values().forEach(known -> known.tell(share, own));
    return own;
  }

  void agreed(Count count) {
    Known known = all.get(count.id());
    if (known != null) {
      known.agreed(count.cell(), count.amount());
    }
  }

  void recall(Count count, long now) {
    take(count.id(), count.cell(), now, known -> known.recall(count.cell(), count.amount()));
  }

  void hear(Count count, long now) {
    take(count.id(), count.cell(), now, known -> known.hear(count.cell(), count.amount()));
  }

  void deny(Denial denial, long now) {
    LimitId id = Naming.limit(denial.namespace(), denial.identifier(), denial.durationMillis());
    if (id == null) {
      ledger.ignored(1);
    } else {
      take(id, denial.sequence(), now, known -> known.deny(denial.sequence(), denial.limit()));
    }
  }

  /** Of a cell that counts; clocks that are ahead begin the next one sooner. */
  private void take(LimitId id, long cell, long now, Consumer<Known> news) {
    boolean counts = Math.abs(cell - cell(id, now)) <= 1;
    Known known = counts ? known(id) : null;
    if (known == null) {
      ledger.ignored(1);
      return;
    }
    news.accept(known);
    bind(id, known, now);
  }

  private @Nullable Known known(LimitId id) {
    Known known = all.get(id);
    if (known == null && unknown < MOST_UNKNOWN) {
      known = new Known(id, mates == null);
      all.put(id, known);
      unknown++;
    }
    return known;
  }
}
