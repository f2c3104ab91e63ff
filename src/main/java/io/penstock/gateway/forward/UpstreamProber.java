package io.penstock.gateway.forward;

import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.time.Ticker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Probes unhealthy upstreams, so that no client's request has to find out whether they work again.
 * A verdict that makes an upstream unhealthy sets a timer to the instant at which its probe is due,
 * and each probe that fails sets the next one. There is at most one timer or probe for each
 * upstream, and none for those that are healthy, disabled or no longer configured. Safe from any
 * thread.
 */
public final class UpstreamProber implements SmartLifecycle {
  private final UpstreamProbe upstreamProbe;
  private final UpstreamRegistry upstreamRegistry;
  private final Ticker ticker;
  private final int phase;
  private final Scheduler scheduler = Schedulers.newSingle("penstock-probe", true);
  private final Sinks.Empty<Void> stopped = Sinks.empty();

  /** The upstreams with a timer or a probe. */
  private final Set<Upstream> watched = ConcurrentHashMap.newKeySet();

  private volatile boolean running = true;

  /**
   * Creates a prober that runs.
   *
   * @param phase the phase of the lifecycle in which it stops: before the connections do
   */
  public UpstreamProber(
      UpstreamProbe upstreamProbe, UpstreamRegistry upstreamRegistry, Ticker ticker, int phase) {
    this.upstreamProbe = upstreamProbe;
    this.upstreamRegistry = upstreamRegistry;
    this.ticker = ticker;
    this.phase = phase;
  }

  /** Begins the probes of an upstream, if any are due after an attempt. */
  public void watch(Upstream upstream) {
    if (isDue(upstream) && watched.add(upstream)) {
      setTimer(upstream);
    }
  }

  /** Returns whether a probe is due now or later. */
  private boolean isDue(Upstream upstream) {
    return running
        && upstream.probeAt() != Ticker.NEVER
        && upstream.enabled()
        && upstreamRegistry.find(upstream.spec().id()) == upstream;
  }

  private void setTimer(Upstream upstream) {
    long due = upstream.probeAt();
    if (!isDue(upstream) || due == Ticker.NEVER) {
      watched.remove(upstream);
      watch(upstream); // it may have become unhealthy again just before
      return;
    }
    long delay = Math.max(0, due - ticker.nanos());
    schedule(upstream, delay);
  }

  private synchronized void schedule(Upstream upstream, long delayNanos) {
    if (running) {
      scheduler.schedule(() -> probe(upstream), delayNanos, TimeUnit.NANOSECONDS);
    }
  }

  private void probe(Upstream upstream) {
    if (!isDue(upstream) || upstream.probeAt() > ticker.nanos()) {
      setTimer(upstream); // it was answered meanwhile, or a trial failed
      return;
    }
    upstreamProbe
        .ask(upstream.spec())
        .takeUntilOther(stopped.asMono())
        .subscribe(
            outcome -> {
              upstream.probed(outcome.result(), outcome.cause(), ticker.nanos());
              setTimer(upstream);
            });
  }

  @Override
  public void start() {
    // attempts start everything
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public synchronized void stop() {
    running = false;
    stopped.tryEmitEmpty();
    scheduler.dispose();
  }

  @Override
  public int getPhase() {
    return phase;
  }
}
