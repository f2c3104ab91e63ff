package io.penstock.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Current state of an endpoint, as streamed to the console and to {@code top}.
 *
 * @param oldestWaitMs how long the oldest ticket has waited; rounded down to whole seconds from one
 *     second on, so that a stalled queue does not change the row with every snapshot
 * @param waits waiting times of recently released tickets; null if there were none
 * @param ages number of tickets that have waited for less than 1, 5, 15 and 60 s, each without
 *     those before, and for longer; empty if none wait
 * @param heldBy what the next ticket waits for, in a few words; null if none wait
 * @param limit short description of its limit, empty if it has none
 */
record LiveRow(
    String path,
    boolean dynamic,
    long queueDepth,
    long queuedTokens,
    long queuedBytes,
    long oldestWaitMs,
    double utilization,
    boolean paused,
    long served,
    long refused,
    long expired,
    long cancelled,
    @Nullable Waits waits,
    List<Integer> ages,
    @Nullable String heldBy,
    String limit) {

  /** The 50th, 90th and 99th percentile of the waiting times. */
  record Waits(long p50Ms, long p90Ms, long p99Ms) {}

  static LiveRow of(
      EndpointView view,
      @Nullable Waits waits,
      List<Integer> ages,
      @Nullable String heldBy,
      String limit) {
    long oldest = view.oldestWaitMs();
    return new LiveRow(
        view.path(),
        view.dynamic(),
        view.queueDepth(),
        view.queuedTokens(),
        view.queuedBytes(),
        oldest < 1_000 ? oldest : oldest / 1_000 * 1_000,
        view.utilization(),
        view.paused(),
        view.served(),
        view.refused(),
        view.expired(),
        view.cancelled(),
        waits,
        ages,
        heldBy,
        limit);
  }
}
