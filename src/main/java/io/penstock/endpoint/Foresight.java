package io.penstock.endpoint;

import io.penstock.queue.Sizes;
import io.penstock.quota.Account;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Tells which requests of an endpoint are refused whatever their bodies say. Safe from any thread.
 */
final class Foresight {
  private final Tenure tenure;
  private final Quota own;
  private volatile long parkedTickets;

  /**
   * Makes it for one endpoint.
   *
   * @param own its own limits
   */
  Foresight(Tenure tenure, Quota own) {
    this.tenure = tenure;
    this.own = own;
  }

  /** Takes note of how many wait; for the owner of the queue only. */
  void follow(Parked parked) {
    parkedTickets = parked.tickets();
  }

  /**
   * Returns the refusal that a request gets that comes now, or null where that depends on its body.
   *
   * @param account what its caller may spend, or null when that has no bound
   * @param paused whether releases are stopped
   */
  @Nullable Refusal refusal(@Nullable Account account, boolean paused, long now) {
    Refusal all = tenure.refusesAll();
    if (all != null || tenure.spec().shadow()) {
      return all;
    }
    Refusal denied = account == null ? null : account.foreseen(now);
    return denied == null ? fullQueue(paused, now) : denied;
  }

  /** Returns the refusal where the queue is full and nobody at all can go from here now. */
  private @Nullable Refusal fullQueue(boolean paused, long now) {
    EndpointSpec.Waiting waiting = tenure.spec().waiting();
    long most = waiting.bounds().maxTickets();
    if (parkedTickets < most + waiting.maxBlocked()) {
      return null;
    }
    Sizes least = new Sizes();
    least.setAll(0);
    return !paused && own.admits(least, now)
        ? null
        : Admission.queueFull(most + " tickets", own.opens(least, now) - now);
  }
}
