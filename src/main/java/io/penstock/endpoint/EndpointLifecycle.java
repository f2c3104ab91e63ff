package io.penstock.endpoint;

import io.penstock.cost.ChargeRule;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.sharing.LimitSource;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an endpoint, and whether it accepts tickets. When it is closed its own limit
 * is forgotten; another endpoint may have that limit then. Safe from any thread.
 */
final class EndpointLifecycle {
  private final LimitSource limits;
  private final Quota own;
  private volatile EndpointSpec spec;
  private volatile @Nullable Refusal closed;
  private volatile @Nullable Refusal stopping;

  EndpointLifecycle(EndpointSpec spec, LimitSource limits, Quota own) {
    this.spec = spec;
    this.limits = limits;
    this.own = own;
  }

  EndpointSpec spec() {
    return spec;
  }

  /** Changes the configuration; returns false if it is closed. */
  synchronized boolean become(EndpointSpec next, long now) {
    if (closed != null) {
      return false;
    }
    own.change(ChargeRule.TOTAL, EndpointLimit.of(limits, next, spec, now));
    spec = next;
    return true;
  }

  synchronized void close(Refusal refusal) {
    closed = refusal;
    EndpointLimit.forget(limits, spec);
  }

  boolean closed() {
    return closed != null;
  }

  /** Makes it refuse all new tickets; everything else stays as it is. */
  void stop(Refusal refusal) {
    stopping = refusal;
  }

  /** Returns the refusal of all new tickets, or null. */
  @Nullable Refusal refusesAll() {
    return closed != null ? closed : stopping;
  }
}
