package io.penstock.sync;

import io.penstock.limit.Cut;
import io.penstock.limit.Limit;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Since when nothing was heard of those limits are shared with, and what limits let pass then: this
 * instance is cut off once nothing was for as long as a slice lasts, and until it may be granted
 * slices again. Belongs to one thread at a time, but for {@link #apply} and {@link #cutOffNanos}.
 */
final class Contact {
  /** This instance is not cut off. */
  static final long CONNECTED = Long.MIN_VALUE;

  private final OnOutage policy;
  private final boolean slices;
  private final long ttlNanos;
  private long heard;
  private long members;
  private volatile long cutOff = CONNECTED;
  private volatile @Nullable Cut cut;
  private long parts;

  /**
   * Makes one of an instance that has heard nothing yet.
   *
   * @param slices whether slices are shared out, or only counts are told
   */
  Contact(OnOutage policy, boolean slices, long ttlNanos, long now) {
    this.policy = policy;
    this.slices = slices;
    this.ttlNanos = ttlNanos;
    this.heard = now;
  }

  /**
   * Takes note of an answer.
   *
   * @param sentAt when was sent what it answers
   * @param among how many limits are shared, this instance included
   */
  void heard(long sentAt, long among) {
    heard = sentAt;
    members = among;
  }

  /** Returns among how many limits were shared at the last contact; 0 when there never was one. */
  long members() {
    return members;
  }

  /** Returns from when on this instance is cut off if nothing more is heard. */
  long endsNanos() {
    return heard + ttlNanos;
  }

  /** Returns whether limits are to let pass something else than before. */
  boolean changes(boolean learning, long now) {
    long before = cutOff;
    if (now >= endsNanos() && cutOff != endsNanos()) {
      cutOff = endsNanos();
      cut = cut();
      parts = slices && policy == OnOutage.SHARE ? members : 0;
    } else if (now < endsNanos() && !learning) {
      cutOff = CONNECTED;
      cut = null;
      parts = 0;
    }
    return before != cutOff && policy != OnOutage.PARK;
  }

  /** Returns among how many limits are divided now; 0 when they are not, or nothing is left. */
  long parts() {
    return parts;
  }

  private @Nullable Cut cut() {
    return switch (policy) {
      case PARK, SHARE -> null;
      case ALLOW -> new Cut.Open();
      case REFUSE -> new Cut.Shut(refusal());
    };
  }

  /** Nothing passes sooner than a slice lasts, however soon there is an answer. */
  private Refusal refusal() {
    return new Refusal(
        Reason.LIMIT_UNAVAILABLE,
        "a limit of it is shared with other instances, of which nothing is heard",
        slices ? ttlNanos : Refusal.UNKNOWN);
  }

  /** Has a limit do what all are to do now. */
  void apply(Limit limit) {
    Cut seen;
    do {
      seen = cut;
      if (seen == null) {
        limit.rejoin();
      } else {
        limit.cutOff(seen);
      }
    } while (!Objects.equals(seen, cut));
  }

  /** Has a limit do what all are to do while this instance is cut off: it alone is. */
  void applyApart(Limit limit) {
    Cut alone = cut();
    if (alone == null) {
      limit.rejoin();
    } else {
      limit.cutOff(alone);
    }
  }

  /** Returns since when this instance is cut off, or {@link #CONNECTED}. */
  long cutOffNanos() {
    return cutOff;
  }
}
