package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.event.Event;
import io.penstock.limit.LimitSpec;
import io.penstock.park.SchedulerAlarms;
import io.penstock.queue.QueueOrder;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The releases of one saturated endpoint on the real clock, with the gateway's drivers.
 *
 * @param decided the release events, with instants in nanoseconds and costs, in order
 * @param heard when the callers were notified, in nanoseconds, in order
 */
record SaturatedReleases(List<Event.Released> decided, List<Long> heard) {
  /**
   * Parks all of {@code costs} at once and waits until {@code releases} of them were released. Each
   * is settled with its cost upon release.
   */
  static SaturatedReleases of(
      LimitAlgorithm algorithm, LimitSpec limit, List<Cost> costs, int releases)
      throws InterruptedException {
    Queue<Event.Released> decided = new ConcurrentLinkedQueue<>();
    Queue<Long> heard = new ConcurrentLinkedQueue<>();
    CountDownLatch left = new CountDownLatch(releases);
    Ticker ticker = Ticker.system();
    EndpointSpec spec = BenchCore.permit(limit, QueueOrder.FIFO);
    try (SchedulerAlarms drivers = new SchedulerAlarms(ticker)) {
      Endpoint endpoint =
          BenchCore.open(
              spec,
              new LocalLimitSource(),
              ticker,
              drivers,
              event -> {
                if (event instanceof Event.Released released) {
                  decided.add(released);
                }
              });
      for (Cost cost : costs) {
        endpoint
            .submit(RequestFixture.request(null, cost))
            .whenDecided(
                outcome -> {
                  if (outcome instanceof TicketOutcome.Granted(var settlement)) {
                    long now = ticker.nanos();
                    settlement.permitted(now);
                    heard.add(now);
                    left.countDown();
                  }
                });
      }
      if (!left.await(90, TimeUnit.SECONDS)) {
        throw new AssertionError(left.getCount() + " of " + releases + " never went");
      }
    }
    return new SaturatedReleases(
        decided.stream().limit(releases).toList(), heard.stream().limit(releases).toList());
  }

  /** Returns the releases per second between the first and the last. */
  double perSecond() {
    return (heard.size() - 1) * 1e9 / (heard.getLast() - heard.getFirst());
  }

  /** Returns the first percentile of the gaps between releases, in nanoseconds. */
  long shortGapNanos() {
    long[] gaps = new long[heard.size() - 1];
    for (int at = 0; at < gaps.length; at++) {
      gaps[at] = heard.get(at + 1) - heard.get(at);
    }
    java.util.Arrays.sort(gaps);
    return gaps[gaps.length / 100];
  }

  /** Returns the largest number of releases in any trailing window. */
  int mostIn(long windowNanos) {
    int most = 0;
    int oldest = 0;
    for (int at = 0; at < decided.size(); at++) {
      while (decided.get(oldest).atNanos() <= decided.get(at).atNanos() - windowNanos) {
        oldest++;
      }
      most = Math.max(most, at - oldest + 1);
    }
    return most;
  }

  /**
   * Returns the tokens in each complete window, counted from the first release, without the last
   * one.
   */
  long[] tokensByWindow(long windowNanos) {
    long start = decided.getFirst().atNanos();
    int windows = (int) ((decided.getLast().atNanos() - start) / windowNanos);
    long[] tokens = new long[windows];
    for (Event.Released released : decided) {
      int window = (int) ((released.atNanos() - start) / windowNanos);
      if (window < windows) {
        tokens[window] += released.cost().totalTokens();
      }
    }
    return tokens;
  }
}
