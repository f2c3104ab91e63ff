package io.penstock.slices;

import io.penstock.sharing.RecoveryReason;
import io.penstock.sharing.SliceStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the store still knows everything that members spent. A life of the store ends
 * when it loses data; a run ends when its server restarts or is replaced. After a change of life,
 * all members {@linkplain LossRecovery recover}. After a change of run alone, the store is complete
 * once all members that may have been answered shortly before confirm that this life knows their
 * rounds. Used by one thread at a time.
 */
final class StoreLives {
  /**
   * Last news of another member.
   *
   * @param heard by the shared clock
   * @param count number of rounds the store had counted when this news first arrived here
   * @param left whether it reported everything and left
   */
  private record Known(long heard, long count, boolean left) {}

  /** After this many slice lifetimes, all members that saw a loss have recovered from it. */
  private static final int LATELY = 3;

  /**
   * Reports of the same loss differ by less than the lifetime of a slice divided by this, because
   * the clocks of several masters differ a little.
   */
  private static final int SAME = 4;

  /** Longer than any window, which lasts a month at most. */
  private static final long LONGEST_NANOS = TimeUnit.DAYS.toNanos(33);

  private final String self;
  private final long ttlNanos;
  private final LossRecovery recovering;

  private @Nullable String life;
  private String run = "";
  private boolean otherRun;
  private long count;
  private long sent;
  private long clock;
  private RecoveryReason why = RecoveryReason.CAME;

  /** When the store last heard of a loss, by the shared clock. */
  private long lostAt = Long.MIN_VALUE / 2;

  private final Map<String, Known> known = new HashMap<>();

  StoreLives(String self, long ttlNanos) {
    this.self = self;
    this.ttlNanos = ttlNanos;
    this.recovering = new LossRecovery(ttlNanos, true);
  }

  /**
   * Takes in an answer.
   *
   * @param sentAt when its round was sent
   * @param shared latest possible time of the shared clock now
   * @param reset whether the shared clock was set
   * @return whether the store knows everything it knew before, as far as the answer tells
   */
  boolean apply(SliceStore.Answer answer, long sentAt, long now, long shared, boolean reset) {
    boolean came = life == null;
    boolean lost = !came && (reset || !answer.life().equals(life) || answer.count() <= count);
    boolean restarted = came ? isYoung(answer.run()) : !lost && !answer.run().name().equals(run);
    if (came || sentAt - sent > ttlNanos) {
      why = came ? RecoveryReason.CAME : RecoveryReason.SILENT;
      recovering.begin(now); // a rollback during the silence may be undetectable
    }
    boolean informed = isTold(answer);
    Map<String, Long> unsure =
        informed || lost || restarted ? unsure(answer.run().kept()) : Map.of();
    // Reports that members made after an earlier loss may be unknown to another run.
    if (informed || lost || (restarted && recovering.isOfLoss(now))) {
      why = RecoveryReason.LOST;
      recovering.lost(unsure, shared, answer.clockNanos(), now);
    } else if (restarted) {
      why = recovering.inProgress(now) ? why : RecoveryReason.RESTARTED;
      recovering.restarted(unsure, shared, answer.clockNanos() - answer.run().ageNanos(), now);
    }
    if (lost) {
      known.keySet().removeAll(unsure.keySet());
    }
    otherRun = !came && !answer.run().name().equals(run);
    life = answer.life();
    run = answer.run().name();
    count = answer.count();
    sent = sentAt;
    clock = answer.clockNanos();
    answer.members().stream()
        .filter(member -> !member.name().equals(self))
        .forEach(member -> apply(member, came ? quietUntil(answer) : Long.MAX_VALUE));
    known.values().removeIf(each -> each.heard() < clock - LONGEST_NANOS);
    recovering.answered(now);
    return !lost;
  }

  /** Returns whether members that the previous run answered may not have reached this run yet. */
  private boolean isYoung(SliceStore.Run run) {
    return run.gapNanos() != Long.MAX_VALUE && run.ageNanos() <= LATELY * ttlNanos;
  }

  /**
   * Returns until when a member must have been heard last to need no confirmation: one that was
   * silent from then until the restart was granted nothing that could be lost.
   */
  private long quietUntil(SliceStore.Answer answer) {
    long gap = answer.run().gapNanos();
    return gap == Long.MAX_VALUE
        ? Long.MIN_VALUE
        : answer.clockNanos() - answer.run().ageNanos() - gap - quietNanos();
  }

  /**
   * Returns the silence after which a returning member is granted nothing before all others have
   * heard of it.
   */
  private long quietNanos() {
    return 2 * ttlNanos;
  }

  /**
   * Takes in news of another member.
   *
   * @param quietUntil a member heard last by then is accounted for, even if it is new to this
   *     instance
   */
  private void apply(SliceStore.Member member, long quietUntil) {
    long heard = clock - member.silentNanos();
    Known before = known.get(member.name());
    boolean changed = before == null || heard > before.heard();
    if (changed || member.left()) {
      long since = before == null || changed ? count : before.count();
      known.put(member.name(), new Known(heard, since, member.left()));
    }
    if (changed && !member.left() && (quietUntil == Long.MAX_VALUE || heard > quietUntil)) {
      recovering.expect(member, heard);
    }
    recovering.see(member, clock);
  }

  /**
   * Returns the members that may have been granted or have spent something unknown to the store,
   * each with the time it was heard last.
   *
   * @param kept number of rounds, of those the store had counted when this instance was last
   *     answered, that it certainly knows
   */
  private Map<String, Long> unsure(long kept) {
    Map<String, Long> unsure = new HashMap<>();
    known.forEach(
        (name, each) -> {
          boolean quiet = each.left() || clock - each.heard() > quietNanos();
          if (!quiet || each.count() > kept) {
            unsure.put(name, each.heard());
          }
        });
    return unsure;
  }

  /**
   * Returns whether there was a recent loss that is new to this instance; any recent loss is new to
   * an instance without earlier answers.
   */
  private boolean isTold(SliceStore.Answer answer) {
    if (answer.sinceLossNanos() > LATELY * ttlNanos) {
      return false;
    }
    long at = answer.clockNanos() - answer.sinceLossNanos();
    boolean changed = at - lostAt > ttlNanos / SAME;
    lostAt = Math.max(lostAt, at);
    return changed;
  }

  /** Returns the members heard before a loss and not since, during the recovery from it. */
  List<SliceStore.Missed> missed() {
    return recovering.missed();
  }

  /** Returns the state of the store in the last answer; null before the first one. */
  SliceStore.@Nullable Seen seen() {
    return life == null ? null : new SliceStore.Seen(life, run, count);
  }

  /**
   * Returns whether the last answer is the first one of another run. The asks of its round may have
   * reached only the previous run, and be lost.
   */
  boolean isOtherRun() {
    return otherRun;
  }

  /** Returns whether slices may not be taken yet. */
  boolean recovering(long now) {
    return life == null || recovering.inProgress(now);
  }

  /** Returns why slices may not be taken yet, or null when they may. */
  @Nullable RecoveryReason why(long now) {
    return recovering(now) ? why : null;
  }

  /**
   * Returns the last cell in which spending may have been lost; {@link SliceStore.Ask#NONE} for
   * none.
   */
  long barred(LimitCells cells) {
    return recovering.barred(cells);
  }

  /** Returns when other members were last heard, by the shared clock, including those that left. */
  Map<String, Long> known() {
    Map<String, Long> heard = new HashMap<>();
    known.forEach((name, each) -> heard.put(name, each.heard()));
    return heard;
  }

  /** Returns the number of members heard recently, including this one. */
  int living(long shared, long lostAfterNanos) {
    return living(known(), shared, lostAfterNanos);
  }

  /**
   * Returns the number of members heard recently, including this one and those heard only by an
   * earlier life.
   */
  int members(long shared, long lostAfterNanos) {
    Map<String, Long> all = new HashMap<>(recovering.expected());
    all.putAll(known());
    return living(all, shared, lostAfterNanos);
  }

  private int living(Map<String, Long> heard, long shared, long lostAfterNanos) {
    return 1
        + (int)
            heard.entrySet().stream()
                .filter(each -> shared - each.getValue() <= lostAfterNanos)
                .filter(each -> !hasLeft(each.getKey()))
                .count();
  }

  private boolean hasLeft(String name) {
    Known each = known.get(name);
    return each != null && each.left();
  }
}
