package io.penstock.sync;

import io.penstock.quota.Supply;
import java.util.HashMap;
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

  private final String self;
  private final long ttlNanos;
  private final Recovery learning;

  private @Nullable String life;
  private long count;
  private long sent;
  private Why why = Why.CAME;

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
    if (lost) {
      why = Why.LOST;
      learning.lost(known, shared, answer.clockNanos(), now);
      known.clear();
    }
    life = answer.life();
    count = answer.count();
    sent = sentAt;
    for (Supply.Member member : answer.members()) {
      if (!member.name().equals(self)) {
        known.put(member.name(), answer.clockNanos() - member.silentNanos());
        learning.see(member, answer.clockNanos());
      }
    }
    return !lost;
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
