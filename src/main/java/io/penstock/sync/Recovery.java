package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The time after a loss: nobody takes slices for as long as those last that were granted before,
 * and members report all they have.
 *
 * <p>A member has reported all once it was heard twice: with its second round, having learned from
 * the first one's answer, or having got none; a round that does not say all of it yet is no second
 * one. One that was known and is not heard has spent nobody knows what. Belongs to one thread at a
 * time.
 */
final class Recovery {
  private final long ttlNanos;
  private boolean lasts;
  private long until;
  private long atMost;

  /** When members were heard last before the loss, by the shared clock. */
  private final Map<String, Long> expected = new HashMap<>();

  private final Map<String, Long> once = new HashMap<>();
  private final Set<String> confirmed = new HashSet<>();
  private long lostAt;
  private long heardFrom;
  private boolean barred;
  private long missingHeard;

  Recovery(long ttlNanos) {
    this.ttlNanos = ttlNanos;
  }

  /** Begins, or begins again. */
  void begin(long now) {
    lasts = true;
    until = now + ttlNanos;
    atMost = until + ttlNanos;
  }

  /**
   * Begins because something was lost.
   *
   * @param known when other members were heard last, by the shared clock
   * @param shared the latest that the shared clock can say now
   * @param from since when who is heard is told of the loss, by the shared clock
   */
  void lost(Map<String, Long> known, long shared, long from, long now) {
    known.forEach((name, heard) -> expected.merge(name, heard, Math::max));
    once.clear();
    confirmed.clear();
    lostAt = shared;
    heardFrom = from;
    begin(now);
  }

  /** Says since when who is heard is told of the loss. */
  void told(long from) {
    heardFrom = Math.min(heardFrom, from);
  }

  /** Says when another member was heard last: one that was not heard since is waited for too. */
  void expect(String name, long heard) {
    if (lasts && heard <= heardFrom) {
      expected.merge(name, heard, Math::max);
    }
  }

  /** Returns those who were heard before the loss and not since, while it lasts. */
  List<Supply.Missed> missed() {
    return lasts
        ? expected.entrySet().stream()
            .filter(each -> !once.containsKey(each.getKey()))
            .map(each -> new Supply.Missed(each.getKey(), each.getValue()))
            .toList()
        : List.of();
  }

  /** Takes in what is known of another member when the shared clock was {@code clock}. */
  void see(Supply.Member member, long clock) {
    long heard = clock - member.silentNanos();
    if (lasts && member.wholeNanos() == Long.MAX_VALUE) {
      // what it says came from before the loss, be it from one that is no more
      expected.merge(member.name(), heard, Math::max);
    }
    if (expected.containsKey(member.name()) && heard > heardFrom) {
      Long first = once.putIfAbsent(member.name(), heard);
      if (first != null && clock - member.wholeNanos() > first) {
        confirmed.add(member.name());
      }
    }
  }

  /** Returns when those not heard since were heard last before the loss, by the shared clock. */
  Map<String, Long> expected() {
    return expected;
  }

  /** Whether slices are not to be taken yet. */
  boolean lasts(long now) {
    if (!lasts || now < until) {
      return lasts;
    }
    Set<String> missing = new HashSet<>(expected.keySet());
    missing.removeAll(confirmed);
    if (now < atMost && missing.stream().anyMatch(once::containsKey)) {
      return true;
    }
    for (String name : missing) {
      missingHeard = Math.max(barred ? missingHeard : 0, expected.getOrDefault(name, 0L));
      barred = true;
    }
    expected.clear();
    lasts = false;
    return false;
  }

  /** The last cell in which what was spent may have been lost; {@link Supply.Ask#NONE} for none. */
  long barred(Cells cells) {
    return barred && cells.counts(missingHeard, lostAt - ttlNanos)
        ? cells.lastOf(lostAt + ttlNanos)
        : Supply.Ask.NONE;
  }
}
