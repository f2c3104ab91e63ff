package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store still knows all that members spent. It does not when another life of it
 * answers, or one that was rolled back; then nobody takes slices for as long as slices last that
 * were granted before, and members report all they have.
 *
 * <p>A member has reported all once it was heard twice: with its second round, having learned from
 * the first one's answer, or having got none. One that was known and is not heard has spent nobody
 * knows what. Belongs to one thread at a time.
 */
final class Lives {
  private final String self;
  private final long ttlNanos;

  private @Nullable String life;
  private long count;
  private long sent;
  private boolean learning = true;
  private long learnsUntil;
  private long learnsAtMost;

  /** When members were heard last, by the shared clock. */
  private final Map<String, Long> known = new HashMap<>();

  private final Map<String, Long> expected = new HashMap<>();
  private final Map<String, Long> once = new HashMap<>();
  private final Set<String> confirmed = new HashSet<>();
  private long lostAt;
  private long heardFrom;
  private boolean barred;
  private long missingHeard;

  Lives(String self, long ttlNanos) {
    this.self = self;
    this.ttlNanos = ttlNanos;
  }

  /**
   * Takes in an answer.
   *
   * @param sentAt when its round was sent
   * @param shared the latest that the shared clock can say now
   * @param reset whether the shared clock was set
   * @return whether the store knows all it knew before
   */
  boolean hear(Supply.Answer answer, long sentAt, long now, long shared, boolean reset) {
    boolean lost =
        life != null && (reset || !answer.life().equals(life) || answer.count() <= count);
    if (life == null || sentAt - sent > ttlNanos) {
      learn(now); // what was rolled back meanwhile may be beyond recognition
    }
    if (lost) {
      expected.putAll(known);
      known.clear();
      once.clear();
      confirmed.clear();
      lostAt = shared;
      heardFrom = answer.clockNanos();
      learn(now);
    }
    life = answer.life();
    count = answer.count();
    sent = sentAt;
    answer.members().forEach(member -> see(member, answer.clockNanos() - member.silentNanos()));
    return !lost;
  }

  private void learn(long now) {
    learning = true;
    learnsUntil = now + ttlNanos;
    learnsAtMost = learnsUntil + ttlNanos;
  }

  private void see(Supply.Member member, long heard) {
    if (member.name().equals(self)) {
      return;
    }
    known.put(member.name(), heard);
    if (expected.containsKey(member.name()) && heard > heardFrom) {
      Long first = once.putIfAbsent(member.name(), heard);
      if (first != null && heard > first) {
        confirmed.add(member.name());
      }
    }
  }

  /** Whether slices are not to be taken yet. */
  boolean learning(long now) {
    if (!learning || life == null || now < learnsUntil) {
      return learning;
    }
    Set<String> missing = new HashSet<>(expected.keySet());
    missing.removeAll(confirmed);
    if (now < learnsAtMost && missing.stream().anyMatch(once::containsKey)) {
      return true;
    }
    for (String name : missing) {
      missingHeard = Math.max(barred ? missingHeard : 0, expected.getOrDefault(name, 0L));
      barred = true;
    }
    expected.clear();
    learning = false;
    return false;
  }

  /** The last cell in which what was spent may have been lost; {@link Supply.Ask#NONE} for none. */
  long barred(Cells cells) {
    return barred && cells.counts(missingHeard, lostAt - ttlNanos)
        ? cells.lastOf(lostAt + ttlNanos)
        : Supply.Ask.NONE;
  }

  /** How many were heard lately, this one included. */
  int living(long shared, long lostAfterNanos) {
    return 1 + (int) known.values().stream().filter(at -> shared - at <= lostAfterNanos).count();
  }

  /** How many were heard lately, this one included, be it by a life that is no more. */
  int members(long shared, long lostAfterNanos) {
    Map<String, Long> all = new HashMap<>(expected);
    all.putAll(known);
    return 1 + (int) all.values().stream().filter(at -> shared - at <= lostAfterNanos).count();
  }
}
