package io.penstock.dispatch;

import io.penstock.quota.Quota;
import io.penstock.quota.QuotaGate;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose prompts have the same new beginning. A provider can read it from its cache only
 * once the first answer has begun: so one of them is sent, and the others are held until its answer
 * begins, it fails, or a bound is over. A request that is held holds up no other requests.
 *
 * <p>Only the owner of the queue adds requests; the end may come from any thread.
 */
public final class WarmupGroup {
  /** The name of what holds its requests, as people see it. */
  static final String NAME = "cache warm-up";

  private final long holdNanos;
  private final QuotaGate gate = new QuotaGate();
  private final Quota quota = Quota.holding(NAME, gate);
  private @Nullable ParkedTicket alone;
  private volatile @Nullable ParkedTicket sent;
  private volatile boolean ended;

  WarmupGroup(ParkedTicket first, long holdNanos) {
    this.alone = first;
    this.holdNanos = holdNanos;
  }

  /** Returns the quota that holds its requests: those with a lane key that has this group. */
  public Quota quota() {
    return quota;
  }

  /**
   * Returns the first request when it does not yet wait for the {@link #quota}, once; then null. A
   * request that stands alone is not held by anything.
   */
  @Nullable ParkedTicket takeAlone() {
    ParkedTicket first = alone;
    alone = null;
    return first;
  }

  /** Notes that one of its requests will be sent; the first one holds the others. */
  void granted(ParkedTicket parkedTicket, long now) {
    if (sent == null && !ended) {
      sent = parkedTicket;
      gate.shutUnlessOpened(now > Ticker.NEVER - holdNanos ? Ticker.NEVER : now + holdNanos);
      quota.waitList().wake();
    }
  }

  /** Releases all requests if it is the one that was sent whose answer began or will not come. */
  void ended(ParkedTicket parkedTicket) {
    if (sent == parkedTicket && !ended) {
      ended = true;
      gate.open();
      quota.waitList().wake();
    }
  }

  /** Returns whether later requests with the same beginning need another group. */
  boolean ended() {
    return ended;
  }
}
