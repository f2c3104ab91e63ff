package io.penstock.dispatch;

import io.penstock.queue.Ticket;
import io.penstock.quota.Quota;
import io.penstock.quota.QuotaGate;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Requests with the same new beginning of their prompts. A provider can read it from its cache only
 * once the first answer has begun: so one of them is sent, and the others are held until its answer
 * begins, it fails, or a bound is over. A request that is held holds up no other requests.
 *
 * <p>It ends when that answer begins or will not come, when all of its requests were refused,
 * expired or cancelled before one was sent, or when there are too many groups.
 *
 * <p>Only the owner of the queue adds and removes requests; the end may come from any thread.
 */
public final class WarmupGroup {
  /** The name of what holds its requests, as people see it. */
  static final String NAME = "cache warm-up";

  private final long holdNanos;
  private final QuotaGate gate = new QuotaGate();
  private final Quota quota = Quota.holding(NAME, gate);
  private volatile @Nullable Ticket sent;
  private volatile boolean ended;

  @SharedState("warm-up groups")
  private final AtomicBoolean learned = new AtomicBoolean();

  /** How many of its requests were sent, or may still be. */
  private int members;

  WarmupGroup(long holdNanos) {
    this.holdNanos = holdNanos;
  }

  /** Returns the quota that holds its requests: those with a lane key that has this group. */
  public Quota quota() {
    return quota;
  }

  /** Adds a request. */
  void joined() {
    members++;
  }

  /** Notes that a request will not be sent; ends the group if it was the last one. */
  void left() {
    members--;
    if (members == 0 && sent == null) {
      end();
    }
  }

  /** Returns whether its requests are held at {@code now}, because one of them was sent. */
  boolean holds(long now) {
    return gate.opens(now) > now;
  }

  /** Notes that one of its requests will be sent; the first one holds the others. */
  void granted(Ticket ticket, long now) {
    if (sent == null && !ended) {
      sent = ticket;
      gate.shutUnlessOpened(now > Ticker.NEVER - holdNanos ? Ticker.NEVER : now + holdNanos);
      quota.waitList().wake();
    }
  }

  /** Returns whether one of its requests was sent: the next one to go holds no others. */
  boolean sent() {
    return sent != null || ended;
  }

  /**
   * Notes that the answer to a request began or will not come; releases all if it was the first.
   */
  void ended(Ticket ticket) {
    if (ticket.equals(sent) && !ended) {
      end();
    }
  }

  /** Releases all of its requests for good. */
  void end() {
    ended = true;
    gate.open();
    quota.waitList().wake();
  }

  /**
   * Notes that it was learned from an answer what a cache has of its requests; returns whether it
   * was the first such answer.
   */
  boolean learned() {
    return learned.compareAndSet(false, true);
  }

  /** Returns whether later requests with the same beginning need another group. */
  boolean ended() {
    return ended;
  }
}
