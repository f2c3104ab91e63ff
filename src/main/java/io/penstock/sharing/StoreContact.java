package io.penstock.sharing;

import io.penstock.limit.Limit;
import io.penstock.limit.OutageCap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Contact with the store of shared limits, and the behaviour of limits without it. An instance is
 * cut off once it has heard nothing for a lease, and until it may take from limits again. Used by
 * one thread at a time, except for {@link #apply} and {@link #cutOffNanos}.
 */
public final class StoreContact {
  /** Value of {@link #cutOffNanos} while this instance is not cut off. */
  public static final long CONNECTED = Long.MIN_VALUE;

  private final OutagePolicy policy;
  private final long leaseNanos;
  private long answered;
  private long members;
  private volatile long cutOff = CONNECTED;
  private volatile @Nullable OutageCap outageCap;

  /** Creates the contact of an instance that has heard nothing yet. */
  public StoreContact(OutagePolicy policy, long leaseNanos, long now) {
    this.policy = policy;
    this.leaseNanos = leaseNanos;
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
    return answered + leaseNanos;
  }

  /** Updates the state; returns whether limits must behave differently from before. */
  public boolean changes(boolean learning, long now) {
    long before = cutOff;
    if (now >= endsNanos() && cutOff != endsNanos()) {
      cutOff = endsNanos();
      outageCap = policy.cap();
    } else if (now < endsNanos() && !learning) {
      cutOff = CONNECTED;
      outageCap = null;
    }
    return before != cutOff && policy != OutagePolicy.PARK;
  }

  /** Makes a limit behave as all limits do now. */
  public void apply(Limit limit, long now) {
    OutageCap seen;
    do {
      seen = outageCap;
      apply(limit, seen, now);
    } while (!Objects.equals(seen, outageCap));
  }

  private static void apply(Limit limit, @Nullable OutageCap cap, long now) {
    if (cap == null) {
      limit.sharing().rejoin();
    } else {
      limit.sharing().cutOff(cap, now);
    }
  }

  /** Returns since when this instance is cut off, or {@link #CONNECTED}. */
  public long cutOffNanos() {
    return cutOff;
  }
}
