package io.penstock.operator;

import org.jspecify.annotations.Nullable;

/**
 * What is going on at an endpoint, for those who look on.
 *
 * @param oldestWaitMs how long the ticket that waits longest has waited, in whole seconds from one
 *     second on, so that a queue that stands still is not news every time
 * @param waits of those let go lately; null when nobody was
 */
record LiveRow(
    String path,
    boolean dynamic,
    long queueDepth,
    long queuedTokens,
    long oldestWaitMs,
    double utilization,
    boolean paused,
    long served,
    long refused,
    long expired,
    long cancelled,
    @Nullable Waits waits) {

  /** Of all that waited, the time that half, nine in ten and 99 in a hundred did not exceed. */
  record Waits(long p50Ms, long p90Ms, long p99Ms) {}

  static LiveRow of(EndpointView view, @Nullable Waits waits) {
    long oldest = view.oldestWaitMs();
    return new LiveRow(
        view.path(),
        view.dynamic(),
        view.queueDepth(),
        view.queuedTokens(),
        oldest < 1_000 ? oldest : oldest / 1_000 * 1_000,
        view.utilization(),
        view.paused(),
        view.served(),
        view.refused(),
        view.expired(),
        view.cancelled(),
        waits);
  }
}
