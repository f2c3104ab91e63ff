package io.penstock.dispatch;

import io.penstock.pool.UpstreamHold;
import io.penstock.quota.CallerAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that decides which routes a ticket has. Tickets with equal values wait in one lane.
 *
 * @param model the model it asks for, or null
 * @param alreadyCharged whether all quotas but the upstream's are charged already: the ticket was
 *     granted before and came back
 * @param onlyUpstream the id of the only upstream it may go to, or null. If that upstream is gone,
 *     it may go to any
 * @param byAffinity whether affinity alone chose that upstream, so that another may replace it
 * @param avoidedUpstreams the ids of the upstreams it avoids, mostly none. It stops avoiding them
 *     as soon as no other upstream that serves it is {@linkplain
 *     io.penstock.pool.UpstreamReadiness#soon available soon}, and then goes to any
 * @param withFallbacks whether fallback models may serve it too
 * @param account the account with whose quotas it waits in the queue, or null when that was charged
 *     at arrival, or there is none
 * @param warmup the group with which it waits until one of them has warmed a cache, or null
 * @param holds the pauses of upstreams that held it so far, and that do not hold all others
 */
public record LaneKey(
    @Nullable String model,
    boolean alreadyCharged,
    @Nullable String onlyUpstream,
    boolean byAffinity,
    Set<String> avoidedUpstreams,
    boolean withFallbacks,
    @Nullable CallerAccount account,
    @Nullable WarmupGroup warmup,
    List<UpstreamHold> holds) {
  public LaneKey {
    avoidedUpstreams = Set.copyOf(avoidedUpstreams);
    holds = List.copyOf(holds);
  }

  /**
   * Returns the value of a ticket that has just arrived and may go to any upstream.
   *
   * @param callerAccount the account of its caller, or null
   */
  static LaneKey of(@Nullable String model, @Nullable CallerAccount callerAccount) {
    boolean waits = callerAccount != null && callerAccount.waits();
    return new LaneKey(
        model, false, null, false, Set.of(), false, waits ? callerAccount : null, null, List.of());
  }

  /** Returns the value for a ticket that may only go to that upstream; null is any. */
  public LaneKey onlyTo(@Nullable String upstream) {
    return to(upstream, false);
  }

  /**
   * Returns the value for a ticket that affinity keeps to that upstream while it takes requests;
   * null is any.
   */
  public LaneKey keptTo(@Nullable String upstream) {
    return to(upstream, upstream != null);
  }

  private LaneKey to(@Nullable String upstream, boolean affinity) {
    return new LaneKey(
        model,
        alreadyCharged,
        upstream,
        affinity,
        avoidedUpstreams,
        withFallbacks,
        account,
        warmup,
        holds);
  }

  /**
   * Returns the value for a ticket that comes back, and avoids some upstreams or may only go to
   * one, which may be null.
   *
   * @param affinity whether affinity alone chose the only upstream
   */
  LaneKey forRetry(Set<String> avoided, @Nullable String only, boolean affinity) {
    return new LaneKey(model, true, only, affinity, avoided, withFallbacks, null, null, holds);
  }

  /** Returns the value for a ticket that no longer avoids upstreams. */
  public LaneKey avoidingNone() {
    return with(Set.of(), withFallbacks, account, warmup);
  }

  /** Returns the value for a ticket that does not wait with an account of its caller. */
  LaneKey withoutAccount() {
    return with(avoidedUpstreams, withFallbacks, null, warmup);
  }

  /** Returns the value for a ticket that waits with a group until a cache is warm. */
  LaneKey behind(WarmupGroup group) {
    return with(avoidedUpstreams, withFallbacks, account, group);
  }

  /** Returns the value for a ticket that fallback models may serve too. */
  LaneKey widened() {
    return with(avoidedUpstreams, true, account, warmup);
  }

  private LaneKey with(
      Set<String> avoided,
      boolean fallbacks,
      @Nullable CallerAccount waitsWith,
      @Nullable WarmupGroup group) {
    return new LaneKey(
        model,
        alreadyCharged,
        onlyUpstream,
        byAffinity,
        avoided,
        fallbacks,
        waitsWith,
        group,
        holds);
  }

  /** Returns the value for a ticket that further pauses of upstreams hold. */
  LaneKey heldBy(List<UpstreamHold> further) {
    List<UpstreamHold> all = new ArrayList<>(holds);
    all.addAll(further);
    return new LaneKey(
        model,
        alreadyCharged,
        onlyUpstream,
        byAffinity,
        avoidedUpstreams,
        withFallbacks,
        account,
        warmup,
        all);
  }
}
