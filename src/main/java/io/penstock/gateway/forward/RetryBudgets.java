package io.penstock.gateway.forward;

import io.penstock.pool.RetryBudget;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** One retry budget for each configured upstream. Safe from any thread. */
public final class RetryBudgets {
  private final Ticker ticker;

  @SharedState("retry budgets")
  private final ConcurrentMap<String, RetryBudget> byUpstream = new ConcurrentHashMap<>();

  public RetryBudgets(Ticker ticker) {
    this.ticker = ticker;
  }

  public RetryBudget of(String upstream) {
    RetryBudget known = byUpstream.get(upstream);
    return known != null
        ? known
        : byUpstream.computeIfAbsent(upstream, id -> new RetryBudget(ticker.nanos()));
  }
}
