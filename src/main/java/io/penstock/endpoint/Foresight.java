package io.penstock.endpoint;

import io.penstock.queue.Sizes;
import io.penstock.quota.Account;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests of an endpoint that are refused whatever their bodies say, so that the body need
 * not be read. Safe from any thread.
 */
final class Foresight {
  private final Tenure tenure;
  private final Quota own;
  private volatile long parkedTickets;

  /**
   * Creates it for one endpoint.
   *
   * @param own the endpoint's own limits
   */
  Foresight(Tenure tenure, Quota own) {
    this.tenure = tenure;
    this.own = own;
  }

  /** Notes how many tickets wait; for the owner of the queue only. */
  void follow(Parked parked) {
    parkedTickets = parked.tickets();
  }

  /**
   * Returns the refusal of a request that arrives now, or null when that depends on its body.
   *
   * @param account the account of its caller, or null when the caller has no limits
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

  /**
   * Returns the refusal if the queue is full and nothing at all can be granted here now, else null.
   */
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
