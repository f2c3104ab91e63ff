package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store still knows all that members spent. It does not when another life of it
 * answers, or one that was rolled back: then all {@linkplain Recovery learn}. Belongs to one thread
 * at a time.
 */
final class Lives {
  /** Why slices are not to be taken. */
  enum Why {
    /** This instance has just come. */
    CAME,
    /** Nothing was heard for so long that what was lost meanwhile is beyond recognition. */
    SILENT,
    /** The store lost something, or its clock was set. */
    LOST
  }

  /** By then all who saw a loss have learned from it. */
  private static final int LATELY = 3;

  /** Clocks of several masters are not quite the same, nor then is what they say of one loss. */
  private static final int SAME = 4;

  private final String self;
  private final long ttlNanos;
  private final Recovery learning;

  private @Nullable String life;
  private long count;
  private long sent;
  private Why why = Why.CAME;

  /** When the store was told last that something was lost, by the shared clock. */
  private long lostAt = Long.MIN_VALUE / 2;

  /** When other members were heard last, by the shared clock. */
  private final Map<String, Long> known = new HashMap<>();

  Lives(String self, long ttlNanos) {
    this.self = self;
    this.ttlNanos = ttlNanos;
    this.learning = new Recovery(ttlNanos);
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
      why = life == null ? Why.CAME : Why.SILENT;
      learning.begin(now); // what was rolled back meanwhile may be beyond recognition
    }
    if (isTold(answer) || lost) {
      why = Why.LOST;
      learning.lost(known, shared, answer.clockNanos(), now);
    }
    if (lost) {
      known.clear();
    }
    life = answer.life();
    count = answer.count();
    sent = sentAt;
    for (Supply.Member member : answer.members()) {
      if (!member.name().equals(self)) {
        long heard = answer.clockNanos() - member.silentNanos();
        known.put(member.name(), heard);
        learning.expect(member.name(), heard);
        learning.see(member, answer.clockNanos());
      }
    }
    return !lost;
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
    return life == null ? null : new Supply.Seen(life, count);
  }

  /** Whether slices are not to be taken yet. */
  boolean learning(long now) {
    return life == null || learning.lasts(now);
  }

  /** Why slices are not to be taken yet, or null when they are. */
  @Nullable Why why(long now) {
    return learning(now) ? why : null;
  }

  /** The last cell in which what was spent may have been lost; {@link Supply.Ask#NONE} for none. */
  long barred(Cells cells) {
    return learning.barred(cells);
  }

  /** When other members were heard last, by the shared clock. */
  Map<String, Long> known() {
    return known;
  }

  /** How many were heard lately, this one included. */
  int living(long shared, long lostAfterNanos) {
    return 1 + (int) known.values().stream().filter(at -> shared - at <= lostAfterNanos).count();
  }

  /** How many were heard lately, this one included, be it by a life that is no more. */
  int members(long shared, long lostAfterNanos) {
    Map<String, Long> all = new HashMap<>(learning.expected());
    all.putAll(known);
    return 1 + (int) all.values().stream().filter(at -> shared - at <= lostAfterNanos).count();
  }
}
