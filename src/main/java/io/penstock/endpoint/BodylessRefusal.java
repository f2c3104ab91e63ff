package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.dispatch.AdmissionCheck;
import io.penstock.dispatch.WaitingRoom;
import io.penstock.queue.DimensionSizes;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.tenant.PromiseHolder;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests of an endpoint that are refused whatever their bodies say, so that the body need
 * not be read. Safe from any thread.
 */
final class BodylessRefusal {
  private final EndpointLifecycle endpointLifecycle;
  private final Quota own;
  private volatile long parkedTickets;

  /**
   * Creates it for one endpoint.
   *
   * @param own the endpoint's own limits
   */
  BodylessRefusal(EndpointLifecycle endpointLifecycle, Quota own) {
    this.endpointLifecycle = endpointLifecycle;
    this.own = own;
  }

  /** Notes how many tickets wait; for the owner of the queue only. */
  void follow(WaitingRoom waitingRoom) {
    parkedTickets = waitingRoom.tickets();
  }

  /**
   * Returns the refusal of a request that arrives now, or null when that depends on its body.
   *
   * @param callerAccount the account of its caller, or null when the caller has no limits
   * @param paused whether releases are stopped
   */
  @Nullable Refusal refusal(
      PromiseHolder client, @Nullable CallerAccount callerAccount, boolean paused, long now) {
    Refusal all = endpointLifecycle.refusesAll();
    if (all != null || endpointLifecycle.spec().shadow()) {
      return all;
    }
    Refusal denied = callerAccount == null ? null : callerAccount.certainRefusal(client, now);
    return denied == null ? fullQueue(client, paused, now) : denied;
  }

  /**
   * Returns the refusal if the queue is full and nothing at all can be granted here now, else null.
   */
  private @Nullable Refusal fullQueue(PromiseHolder client, boolean paused, long now) {
    EndpointSpec.Waiting waiting = endpointLifecycle.spec().waiting();
    long most = waiting.bounds().maxTickets();
    if (parkedTickets < most + waiting.maxBlocked()) {
      return null;
    }
    DimensionSizes least = new DimensionSizes();
    least.setAll(0);
    if (!paused && own.admits(least, now)) {
      return null;
    }
    long free = Math.max(own.roomFreeAt(least, now), own.promiseRoom(client, Cost.NO_TOKENS, now));
    return AdmissionCheck.queueFull(most + " tickets", free - now);
  }
}
