package io.penstock.endpoint;

import io.penstock.cost.Charge;
import io.penstock.quota.LimitSource;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * As what an endpoint is configured, and whether it takes tickets. Its own limit is forgotten when
 * it is closed, and may be another endpoint's after that. Safe from any thread.
 */
final class Tenure {
  private final LimitSource limits;
  private final Quota own;
  private volatile EndpointSpec spec;
  private volatile @Nullable Refusal closed;
  private volatile @Nullable Refusal stopping;

  Tenure(EndpointSpec spec, LimitSource limits, Quota own) {
    this.spec = spec;
    this.limits = limits;
    this.own = own;
  }

  EndpointSpec spec() {
    return spec;
  }

  /** Configures it anew; false once it is closed. */
  synchronized boolean become(EndpointSpec next, long now) {
    if (closed != null) {
      return false;
    }
    own.change(Charge.TOTAL, OwnLimit.of(limits, next, spec, now));
    spec = next;
    return true;
  }

  synchronized void close(Refusal refusal) {
    closed = refusal;
    OwnLimit.forget(limits, spec);
  }

  boolean closed() {
    return closed != null;
  }

  /** Has it take nobody any more, and be what it is otherwise. */
  void stop(Refusal refusal) {
    stopping = refusal;
  }

  /** Returns why all who come are refused, or null. */
  @Nullable Refusal refusesAll() {
    return closed != null ? closed : stopping;
  }
}
