package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The time after a loss, or after a restart of the store of which it is not known yet whether it is
 * one.
 *
 * <p>After a loss nobody takes slices for as long as those last that were granted before, and
 * members report all they have. A member has reported all once it was heard twice: with its second
 * round, having learned from the first one's answer, or having got none; a round that does not say
 * all of it yet is no second one. However long that takes, it is waited for while it is heard.
 *
 * <p>After a restart nobody takes slices until all who may have been told anything shortly before
 * were heard by the new run and did not bring word of a loss.
 *
 * <p>One that was known and is not heard has spent nobody knows what. Belongs to one thread at a
 * time.
 */
final class Recovery {
  private final long ttlNanos;
  private final boolean always;
  private boolean lasts;
  private long until;

  /** Before that nothing is decided about who was not heard. */
  private long patience;

  /** When the last answer came that told of members. */
  private long answeredAt = Long.MIN_VALUE / 2;

  /** When members were heard last before the loss, by the shared clock. */
  private final Map<String, Long> expected = new HashMap<>();

  private final Map<String, Long> once = new HashMap<>();
  private final Set<String> confirmed = new HashSet<>();

  /** Whether it is not known yet whether the run that began last has lost anything. */
  private boolean restarted;

  private long runFrom;

  /** Who has not been heard by that run yet, and when they were heard last. */
  private final Map<String, Long> unproven = new HashMap<>();

  /** For how long members were silent when an answer told of them last. */
  private final Map<String, Long> silent = new HashMap<>();

  private long lostAt;
  private long heardFrom;
  private boolean barred;
  private long barredAt;
  private long missingHeard;
  private int missing;

  /**
   * Makes one that does not last.
   *
   * @param always whether each answer is told here: without any nothing is decided about others
   */
  Recovery(long ttlNanos, boolean always) {
    this.ttlNanos = ttlNanos;
    this.always = always;
  }

  /** Begins, or begins again. */
  void begin(long now) {
    lasts = true;
    until = now + ttlNanos;
    patience = until;
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
    unproven.forEach((name, heard) -> expected.merge(name, heard, Math::max));
    unproven.clear();
    restarted = false;
    once.clear();
    confirmed.clear();
    lostAt = shared;
    heardFrom = from;
    begin(now);
  }

  /**
   * Begins because another run of the store answers.
   *
   * @param known when others were heard last who may have been told anything shortly before
   * @param from when the run began, by the shared clock
   */
  void restarted(Map<String, Long> known, long shared, long from, long now) {
    boolean late = shared - from > ttlNanos; // it is not known who else was there before
    until = lasts || late ? now + ttlNanos : now;
    patience = now + ttlNanos;
    lasts = true;
    restarted = true;
    lostAt = shared;
    runFrom = from;
    known.forEach((name, heard) -> unproven.merge(name, heard, Math::max));
  }

  /** Whether it is known that something was lost, and not yet all that was spent. */
  boolean isOfLoss(long now) {
    return lasts(now) && !restarted && !expected.isEmpty();
  }

  /** Says since when who is heard is told of the loss. */
  void told(long from) {
    heardFrom = Math.min(heardFrom, from);
  }

  /** Says when another member was heard last: one that was not heard since is waited for too. */
  void expect(Supply.Member member, long heard) {
    if (lasts && restarted) {
      unproven.merge(member.name(), heard, Math::max);
    } else if (lasts && heard <= heardFrom) {
      expected.merge(member.name(), heard, Math::max);
    }
  }

  /** Returns those who were heard before the loss and not since, while it lasts. */
  List<Supply.Missed> missed() {
    return lasts
        ? Stream.concat(
                expected.entrySet().stream().filter(each -> !once.containsKey(each.getKey())),
                unproven.entrySet().stream())
            .map(each -> new Supply.Missed(each.getKey(), each.getValue()))
            .toList()
        : List.of();
  }

  /** Takes in what is known of another member when the shared clock was {@code clock}. */
  void see(Supply.Member member, long clock) {
    if (!lasts) {
      return;
    }
    long heard = clock - member.silentNanos();
    silent.put(member.name(), member.silentNanos());
    if (member.awareNanos() != Long.MAX_VALUE
        || member.left()
        || heard > runFrom + 2 * ttlNanos) { // one of another version never says that it is aware
      unproven.remove(member.name());
    }
    if (!restarted && member.wholeNanos() == Long.MAX_VALUE) {
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

  /** Takes note that all members were seen of which an answer tells. */
  void answered(long now) {
    answeredAt = now;
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
    Map<String, Long> unheard = new HashMap<>(expected);
    unheard.keySet().removeAll(confirmed);
    unheard.putAll(unproven);
    boolean unknown = now < patience || (always && !isAnswered(now));
    if (!unheard.isEmpty()
        && (unknown || unheard.keySet().stream().anyMatch(name -> isComing(name, now)))) {
      return true;
    }
    end(unheard);
    return false;
  }

  private boolean isAnswered(long now) {
    return answeredAt >= patience && now - answeredAt <= ttlNanos / 2;
  }

  /** Whether a member is there, and has more to say. */
  private boolean isComing(String name, long now) {
    Long then = unproven.containsKey(name) || once.containsKey(name) ? silent.get(name) : null;
    return then != null && then + now - answeredAt <= ttlNanos;
  }

  private void end(Map<String, Long> unheard) {
    missing = unheard.size();
    for (long heard : unheard.values()) {
      missingHeard = Math.max(barred ? missingHeard : 0, heard);
      barred = true;
      barredAt = lostAt;
    }
    expected.clear();
    unproven.clear();
    silent.clear();
    restarted = false;
    lasts = false;
  }

  /** How many were not heard when it ended last. */
  int missing() {
    return missing;
  }

  /** The last cell in which what was spent may have been lost; {@link Supply.Ask#NONE} for none. */
  long barred(Cells cells) {
    return barred && cells.counts(missingHeard, barredAt - ttlNanos)
        ? cells.lastOf(barredAt + ttlNanos)
        : Supply.Ask.NONE;
  }
}
