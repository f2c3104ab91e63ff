package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store still knows all that members spent. It does not when another life of it
 * answers: then all {@linkplain Recovery learn}. When only another run answers, it does once all
 * who may have been told anything shortly before say that this life knows it. Belongs to one thread
 * at a time.
 */
final class Lives {
  /**
   * What was heard last of another member.
   *
   * @param heard when, by the shared clock
   * @param count how many rounds the store had counted when that was told here first
   * @param left whether it has said all and left
   */
  private record Known(long heard, long count, boolean left) {}

  /** By then all who saw a loss have learned from it. */
  private static final int LATELY = 3;

  /** Clocks of several masters are not quite the same, nor then is what they say of one loss. */
  private static final int SAME = 4;

  /** No window is longer than the longest month. */
  private static final long LONGEST_NANOS = TimeUnit.DAYS.toNanos(33);

  private final String self;
  private final long ttlNanos;
  private final Recovery learning;

  private @Nullable String life;
  private String run = "";
  private boolean otherRun;
  private long count;
  private long sent;
  private long clock;
  private RecoveryReason why = RecoveryReason.CAME;

  /** When the store was told last that something was lost, by the shared clock. */
  private long lostAt = Long.MIN_VALUE / 2;

  private final Map<String, Known> known = new HashMap<>();

  Lives(String self, long ttlNanos) {
    this.self = self;
    this.ttlNanos = ttlNanos;
    this.learning = new Recovery(ttlNanos, true);
  }

  /**
   * Takes in an answer.
   *
   * @param sentAt when its round was sent
   * @param shared the latest that the shared clock can say now
   * @param reset whether the shared clock was set
   * @return whether the store knows all it knew before, as far as can be told from the answer
   */
  boolean hear(Supply.Answer answer, long sentAt, long now, long shared, boolean reset) {
    boolean came = life == null;
    boolean lost = !came && (reset || !answer.life().equals(life) || answer.count() <= count);
    boolean restarted = came ? isYoung(answer.run()) : !lost && !answer.run().name().equals(run);
    if (came || sentAt - sent > ttlNanos) {
      why = came ? RecoveryReason.CAME : RecoveryReason.SILENT;
      learning.begin(now); // what was rolled back meanwhile may be beyond recognition
    }
    boolean told = isTold(answer);
    Map<String, Long> unsure = told || lost || restarted ? unsure(answer.run().kept()) : Map.of();
    // what members have said since an earlier loss may not be known to another run
    if (told || lost || (restarted && learning.isOfLoss(now))) {
      why = RecoveryReason.LOST;
      learning.lost(unsure, shared, answer.clockNanos(), now);
    } else if (restarted) {
      why = learning.lasts(now) ? why : RecoveryReason.RESTARTED;
      learning.restarted(unsure, shared, answer.clockNanos() - answer.run().ageNanos(), now);
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
        .forEach(member -> hear(member, came ? quietUntil(answer) : Long.MAX_VALUE));
    known.values().removeIf(each -> each.heard() < clock - LONGEST_NANOS);
    learning.answered(now);
    return !lost;
  }

  /** Whether those who were told by the run before may not all have come to this one yet. */
  private boolean isYoung(Supply.Run run) {
    return run.gapNanos() != Long.MAX_VALUE && run.ageNanos() <= LATELY * ttlNanos;
  }

  /** Who was silent from then until the store was restarted was granted nothing that is lost. */
  private long quietUntil(Supply.Answer answer) {
    long gap = answer.run().gapNanos();
    return gap == Long.MAX_VALUE
        ? Long.MIN_VALUE
        : answer.clockNanos() - answer.run().ageNanos() - gap - quietNanos();
  }

  /** Who comes back after that is granted nothing before all have heard of it. */
  private long quietNanos() {
    return 2 * ttlNanos;
  }

  /**
   * Takes in what is told of another member.
   *
   * @param quietUntil who was heard no later than that is accounted for, though it is news here
   */
  private void hear(Supply.Member member, long quietUntil) {
    long heard = clock - member.silentNanos();
    Known before = known.get(member.name());
    boolean news = before == null || heard > before.heard();
    if (news || member.left()) {
      long since = before == null || news ? count : before.count();
      known.put(member.name(), new Known(heard, since, member.left()));
    }
    if (news && !member.left() && (quietUntil == Long.MAX_VALUE || heard > quietUntil)) {
      learning.expect(member, heard);
    }
    learning.see(member, clock);
  }

  /**
   * Returns when those were heard last who may have been granted, or have spent, what the store
   * does not know.
   *
   * @param kept how many of the rounds it had counted when this instance was answered last the
   *     store surely knows
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

  /** Whether there was a loss lately that is news, be it only to who has seen nothing before it. */
  private boolean isTold(Supply.Answer answer) {
    if (answer.lostNanos() > LATELY * ttlNanos) {
      return false;
    }
    long at = answer.clockNanos() - answer.lostNanos();
    boolean news = at - lostAt > ttlNanos / SAME;
    lostAt = Math.max(lostAt, at);
    return news;
  }

  /** Who were heard before a loss and not since, while that is made good. */
  List<Supply.Missed> missed() {
    return learning.missed();
  }

  /** What was answered last. */
  Supply.@Nullable Seen seen() {
    return life == null ? null : new Supply.Seen(life, run, count);
  }

  /**
   * Whether the last answer is the first of another run: what was asked with it may have been asked
   * of the run before, and be lost.
   */
  boolean isOtherRun() {
    return otherRun;
  }

  /** Whether slices are not to be taken yet. */
  boolean learning(long now) {
    return life == null || learning.lasts(now);
  }

  /** Why slices are not to be taken yet, or null when they are. */
  @Nullable RecoveryReason why(long now) {
    return learning(now) ? why : null;
  }

  /** The last cell in which what was spent may have been lost; {@link Supply.Ask#NONE} for none. */
  long barred(Cells cells) {
    return learning.barred(cells);
  }

  /** How many members may have spent what the store does not know, after the last loss. */
  int missing() {
    return learning.missing();
  }

  /** When other members were heard last, by the shared clock; also those that have left. */
  Map<String, Long> known() {
    Map<String, Long> heard = new HashMap<>();
    known.forEach((name, each) -> heard.put(name, each.heard()));
    return heard;
  }

  /** How many were heard lately, this one included. */
  int living(long shared, long lostAfterNanos) {
    return living(known(), shared, lostAfterNanos);
  }

  /** How many were heard lately, this one included, be it by a life that is no more. */
  int members(long shared, long lostAfterNanos) {
    Map<String, Long> all = new HashMap<>(learning.expected());
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
