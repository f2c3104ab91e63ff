package io.penstock.sharing;

import io.penstock.limit.Limit;
import io.penstock.limit.OutageCap;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Contact with the store of shared limits, and the behaviour of limits without it. An instance is
 * cut off once it has heard nothing for the lifetime of a slice, and until it may be granted slices
 * again. Used by one thread at a time, except for {@link #apply} and {@link #cutOffNanos}.
 */
public final class StoreContact {
  /** Value of {@link #cutOffNanos} while this instance is not cut off. */
  public static final long CONNECTED = Long.MIN_VALUE;

  private final OutagePolicy policy;
  private final boolean slices;
  private final long ttlNanos;
  private long answered;
  private long members;
  private volatile long cutOff = CONNECTED;
  private volatile @Nullable OutageCap outageCap;

  /**
   * Creates the contact of an instance that has heard nothing yet.
   *
   * @param slices whether slices are shared; otherwise only counts are exchanged
   */
  public StoreContact(OutagePolicy policy, boolean slices, long ttlNanos, long now) {
    this.policy = policy;
    this.slices = slices;
    this.ttlNanos = ttlNanos;
    this.answered = now;
  }

  /**
   * Records an answer.
   *
   * @param sentAt when the request it answers was sent
   * @param among number of instances that share limits, including this one
   */
  public void answered(long sentAt, long among) {
    answered = sentAt;
    members = among;
  }

  /**
   * Returns the number of instances that shared limits at the last contact; 0 before the first one.
   */
  public long members() {
    return members;
  }

  /** Returns the time at which this instance is cut off if it hears nothing more. */
  public long endsNanos() {
    return answered + ttlNanos;
  }

  /** Updates the state; returns whether limits must behave differently from before. */
  public boolean changes(boolean learning, long now) {
    long before = cutOff;
    if (now >= endsNanos() && cutOff != endsNanos()) {
      cutOff = endsNanos();
      outageCap = cut();
    } else if (now < endsNanos() && !learning) {
      cutOff = CONNECTED;
      outageCap = null;
    }
    return before != cutOff && policy != OutagePolicy.PARK;
  }

  /**
   * Returns the number by which limits are divided now; 0 when they are not divided, or this
   * instance has no share.
   */
  public long parts() {
    return outageCap instanceof OutageCap.Share(long divided) ? divided : 0;
  }

  private @Nullable OutageCap cut() {
    return switch (policy) {
      case PARK -> null;
      // before the first contact, nothing is known of other instances, and nothing passes
      case SHARE -> slices && members > 0 ? new OutageCap.Share(members) : null;
      case ALLOW -> new OutageCap.Open();
      case REFUSE -> new OutageCap.Shut(refusal());
    };
  }

  /**
   * Returns the refusal during an outage. Nothing passes sooner than the lifetime of a slice,
   * however soon there is an answer.
   */
  private Refusal refusal() {
    return new Refusal(
        RefusalReason.LIMIT_UNAVAILABLE,
        "a limit of it is shared with other instances, of which nothing is heard",
        slices ? ttlNanos : Refusal.UNKNOWN);
  }

  /** Makes a limit behave as all limits do now. */
  public void apply(Limit limit, long now) {
    OutageCap seen;
    do {
      seen = outageCap;
      apply(limit, seen, now);
    } while (!Objects.equals(seen, outageCap));
  }

  /** Makes one limit behave as all would if this instance were cut off. */
  public void applyApart(Limit limit, long now) {
    apply(limit, cut(), now);
  }

  private static void apply(Limit limit, @Nullable OutageCap cap, long now) {
    if (cap == null) {
      limit.sharing().rejoin();
    } else {
      limit.sharing().cutOff(cap, now);
    }
  }

  /** Returns when the last answer came if this instance is cut off, or {@link #CONNECTED}. */
  public long silentSinceNanos() {
    return cutOff == CONNECTED ? CONNECTED : answered;
  }

  /** Returns since when this instance is cut off, or {@link #CONNECTED}. */
  public long cutOffNanos() {
    return cutOff;
  }
}
