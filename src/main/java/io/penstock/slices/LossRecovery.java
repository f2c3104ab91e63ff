package io.penstock.slices;

import io.penstock.sharing.SliceStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Recovery period after a loss of data, or after a restart of the store that may turn out to be
 * one.
 *
 * <p>After a loss, no member takes slices until all slices granted before have expired, and members
 * report everything they have. A member has reported everything once it was heard twice: it sent
 * its second round after the answer to the first one told it of the loss, or after no answer came.
 * A round that does not yet report everything does not count as the second one. However long that
 * takes, the recovery waits as long as the member is heard.
 *
 * <p>After a restart, no member takes slices until all members that may have been answered shortly
 * before have been heard by the new run and have not reported a loss.
 *
 * <p>A known member that is not heard has spent an unknown amount. Used by one thread at a time.
 */
final class LossRecovery {
  private final long ttlNanos;
  private final boolean always;
  private boolean inProgress;
  private long until;

  /** Before this time, nothing is decided about members that were not heard. */
  private long patience;

  /** Time of the last answer that listed members. */
  private long answeredAt = Long.MIN_VALUE / 2;

  /** Members known before the loss, with the shared time they were last heard. */
  private final Map<String, Long> expected = new HashMap<>();

  private final Map<String, Long> once = new HashMap<>();
  private final Set<String> confirmed = new HashSet<>();

  /** Whether it is unknown yet if the latest run has lost data. */
  private boolean restarted;

  private long runFrom;

  /** Members not yet heard by that run, with the time they were last heard. */
  private final Map<String, Long> unproven = new HashMap<>();

  /** Silence of each member in the last answer that listed it. */
  private final Map<String, Long> silent = new HashMap<>();

  private long lostAt;
  private long heardFrom;
  private boolean barred;
  private long barredAt;
  private long missingHeard;
  private int missing;

  /**
   * Creates an object outside a recovery.
   *
   * @param always whether every answer is passed on to this object; without answers, nothing is
   *     decided about members then
   */
  LossRecovery(long ttlNanos, boolean always) {
    this.ttlNanos = ttlNanos;
    this.always = always;
  }

  /** Begins the period, or begins it again. */
  void begin(long now) {
    inProgress = true;
    until = now + ttlNanos;
    patience = until;
  }

  /**
   * Begins because data was lost.
   *
   * @param known when other members were last heard, by the shared clock
   * @param shared latest possible time of the shared clock now
   * @param from time since which heard members learn of the loss, by the shared clock
   */
  void lost(Map<String, Long> known, long shared, long from, long now) {
    known.forEach((name, heardAt) -> expected.merge(name, heardAt, Math::max));
    unproven.forEach((name, heardAt) -> expected.merge(name, heardAt, Math::max));
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
   * @param known when those members were last heard that may have been answered shortly before
   * @param from when the run began, by the shared clock
   */
  void restarted(Map<String, Long> known, long shared, long from, long now) {
    boolean late = shared - from > ttlNanos; // it is unknown which other members were there before
    until = inProgress || late ? now + ttlNanos : now;
    patience = now + ttlNanos;
    inProgress = true;
    restarted = true;
    lostAt = shared;
    runFrom = from;
    known.forEach((name, heardAt) -> unproven.merge(name, heardAt, Math::max));
  }

  /** Returns whether this is the recovery from a known loss, with members still to report. */
  boolean isOfLoss(long now) {
    return inProgress(now) && !restarted && !expected.isEmpty();
  }

  /** Records since when heard members know of the loss; the earliest such time counts. */
  void told(long from) {
    heardFrom = Math.min(heardFrom, from);
  }

  /**
   * Records when another member was last heard; if it was not heard since the loss or restart, it
   * is waited for as well.
   */
  void expect(SliceStore.Member member, long heardAt) {
    if (inProgress && restarted) {
      unproven.merge(member.name(), heardAt, Math::max);
    } else if (inProgress && heardAt <= heardFrom) {
      expected.merge(member.name(), heardAt, Math::max);
    }
  }

  /** Returns the members heard before the loss and not since, during the recovery. */
  List<SliceStore.Missed> missed() {
    return inProgress
        ? Stream.concat(
                expected.entrySet().stream().filter(each -> !once.containsKey(each.getKey())),
                unproven.entrySet().stream())
            .map(each -> new SliceStore.Missed(each.getKey(), each.getValue()))
            .toList()
        : List.of();
  }

  /** Takes in the state of another member, as of the shared time {@code clock}. */
  void see(SliceStore.Member member, long clock) {
    if (!inProgress) {
      return;
    }
    long heardAt = clock - member.silentNanos();
    silent.put(member.name(), member.silentNanos());
    // a member that gets no answers is never aware
    if (member.sinceAwareNanos() != Long.MAX_VALUE
        || member.left()
        || heardAt > runFrom + 2 * ttlNanos) {
      unproven.remove(member.name());
    }
    if (!restarted && member.sinceCompleteNanos() == Long.MAX_VALUE) {
      // its reports date from before the loss, even if the member is gone now
      expected.merge(member.name(), heardAt, Math::max);
    }
    if (expected.containsKey(member.name()) && heardAt > heardFrom) {
      Long first = once.putIfAbsent(member.name(), heardAt);
      if (first != null && clock - member.sinceCompleteNanos() > first) {
        confirmed.add(member.name());
      }
    }
  }

  /** Records that all members of an answer have been passed to {@link #see}. */
  void answered(long now) {
    answeredAt = now;
  }

  /** Returns when members of the time before the loss were last heard, by the shared clock. */
  Map<String, Long> expected() {
    return expected;
  }

  /** Returns whether slices may not be taken yet. */
  boolean inProgress(long now) {
    if (!inProgress || now < until) {
      return inProgress;
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

  /** Returns whether a member lives and has more to report. */
  private boolean isComing(String name, long now) {
    Long then = unproven.containsKey(name) || once.containsKey(name) ? silent.get(name) : null;
    return then != null && then + now - answeredAt <= ttlNanos;
  }

  private void end(Map<String, Long> unheard) {
    missing = unheard.size();
    for (long heardAt : unheard.values()) {
      missingHeard = Math.max(barred ? missingHeard : 0, heardAt);
      barred = true;
      barredAt = lostAt;
    }
    expected.clear();
    unproven.clear();
    silent.clear();
    restarted = false;
    inProgress = false;
  }

  /** Returns the number of members that had not been heard when the last recovery ended. */
  int missing() {
    return missing;
  }

  /**
   * Returns the last cell in which spending may have been lost; {@link SliceStore.Ask#NONE} for
   * none.
   */
  long barred(LimitCells cells) {
    return barred && cells.counts(missingHeard, barredAt - ttlNanos)
        ? cells.lastOf(barredAt + ttlNanos)
        : SliceStore.Ask.NONE;
  }
}
