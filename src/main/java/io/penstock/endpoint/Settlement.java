package io.penstock.endpoint;

import io.penstock.cost.Usage;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Upstream;
import io.penstock.refusal.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The charges of a granted ticket until they are settled: once, by the first of the closing calls;
 * later calls do nothing. Safe from any thread.
 */
public final class Settlement {
  private static final long CLOSED = -1;

  private final Pending pending;
  private final Route route;
  private final Spends spends;
  private final long releasedNanos;
  private final int depth;
  private final @Nullable WindowRoom window;
  private final @Nullable Shadow shadow;
  private boolean closed;

  Settlement(Pending pending, Route route, Spends spends, int depth, long now) {
    this(pending, route, spends, depth, now, null);
  }

  /** Creates the settlement of a request in shadow mode: only its shadow may have been charged. */
  Settlement(Pending pending, Route route, Shadow shadow, long now) {
    this(pending, route, new Spends(List.of()), 0, now, shadow);
  }

  private Settlement(
      Pending pending, Route route, Spends spends, int depth, long now, @Nullable Shadow shadow) {
    this.shadow = shadow;
    this.depth = depth;
    this.pending = pending;
    this.route = route;
    this.spends = spends;
    this.releasedNanos = now;
    // The endpoint's own limit is the last of a route; only for a permit the rest of its window is
    // reported.
    this.window =
        route.upstream() != null || route.quotas().isEmpty()
            ? null
            : WindowRoom.of(route.quotas().getLast(), now);
  }

  /** Returns the upstream the ticket goes to, or null for a permit. */
  public @Nullable Upstream upstream() {
    return route.upstream();
  }

  /** Returns how many tickets waited behind it when it was granted. */
  public int queueDepth() {
    return depth;
  }

  /**
   * Returns the room left in the endpoint's token window after this grant; null except for a permit
   * of such an endpoint.
   */
  public @Nullable WindowRoom window() {
    return window;
  }

  /** Returns how long it waited, in nanoseconds. */
  public long waitedNanos() {
    // a step that grants several may have read the clock before it arrived
    return Math.max(0, releasedNanos - pending.arrivedNanos());
  }

  /** Returns how long ago it was granted, in nanoseconds. */
  public long lastedNanos(long now) {
    return now - releasedNanos;
  }

  /** Notes that the last byte of the request was written. */
  public void written(long now) {
    if (route.upstream() != null) {
      route.upstream().written(now - releasedNanos);
    }
  }

  /** Charges output as it is produced, {@code outputTokens} so far. */
  public void produced(long outputTokens, long now) {
    if (charge(outputTokens, now)) {
      wake();
    }
    if (shadow != null) {
      shadow.produced(outputTokens, now);
    }
  }

  /**
   * Teaches the upstream's limits what its answer says of them; to be called before the answer
   * ends, or not at all.
   */
  public synchronized void learn(Lesson lesson, long now) {
    if (!closed && route.pool() != null) {
      route.pool().learn(lesson.standings(), spends.attempt(), now);
    }
  }

  private synchronized boolean charge(long outputTokens, long now) {
    return !closed && spends.produce(outputTokens, now);
  }

  /**
   * Settles a ticket with an answer that reached its end.
   *
   * @param usage the usage stated by the answer, or null when it states none
   * @param outputTokens the output that was counted
   */
  public void served(@Nullable Usage usage, long outputTokens, long now) {
    if (close(usage, outputTokens, now)) {
      pending.endpoint().ended(pending, Fate.SERVED);
      publish(new Event.Served(now, path(), pending.order()));
    }
  }

  /** Settles a permit: its usage is its cost. */
  public void permitted(long now) {
    Usage cost = new Usage(pending.cost().inputTokens(), 0, pending.cost().outputTokens());
    served(cost, cost.outputTokens(), now);
  }

  /**
   * Settles a ticket with a client that went away while the answer ran, by the output counted so
   * far.
   */
  public void cancelled(@Nullable Usage usage, long outputTokens, long now) {
    if (close(usage, outputTokens, now)) {
      if (shadow != null) {
        shadow.withdraw();
      }
      pending.endpoint().ended(pending, Fate.CANCELLED);
      publish(new Event.Cancelled(now, path(), pending.order()));
    }
  }

  /**
   * Settles a ticket with an upstream that failed. The input stays charged, because the upstream
   * may have worked on it.
   */
  public void failed(Refusal refusal, long outputTokens, long now) {
    if (close(null, outputTokens, now)) {
      pending.endpoint().failed(pending, refusal, now);
    }
  }

  /**
   * Ends an attempt that gave the client nothing, and makes the request wait at its old place for
   * another: the charges of key, group, model and endpoint stay, those of the upstream are settled.
   *
   * <p>In shadow mode the request is tried again at once, or not at all.
   *
   * @param elsewhere whether to go to another upstream, if one serves the request
   * @return the ticket of the next attempt; null when this one was settled before, or when no
   *     upstream is open in shadow mode
   */
  public @Nullable Pending again(Failure failure, boolean elsewhere, long now) {
    Upstream upstream = route.upstream();
    String avoided = elsewhere && upstream != null ? upstream.spec().id() : null;
    if (shadow != null) {
      return againAtOnce(avoided, shadow, now);
    }
    Spends left;
    synchronized (this) {
      if (closed) {
        return null;
      }
      closed = true;
      left = spends.again(failure, now);
    }
    used(0);
    route.wake();
    tellReturned(now);
    return pending.endpoint().again(pending, pending.again(avoided, left));
  }

  private @Nullable Pending againAtOnce(@Nullable String avoided, Shadow same, long now) {
    ShadowReleases releases = pending.endpoint().shadows();
    Pending next = pending.again(avoided, new Spends(List.of())); // nothing was taken
    Route way = releases.again(next, now);
    synchronized (this) {
      if (closed || way == null) {
        return null;
      }
      closed = true;
    }
    tellReturned(now);
    releases.release(pending, next, way, same, now);
    return next;
  }

  /**
   * Returns the name of the model asked: the client's, or that of a fallback model; null when none
   * is asked for.
   */
  public @Nullable String model() {
    return route.model();
  }

  /** Gives everything back for a ticket that was never sent, because its client went away. */
  public void abandoned(long now) {
    if (giveBack(now)) {
      tellReturned(now);
      pending.endpoint().ended(pending, Fate.CANCELLED);
      publish(new Event.Cancelled(now, path(), pending.order()));
    }
  }

  /** Gives everything back for a ticket that was never sent, because nothing could be sent. */
  public void refused(Refusal refusal, long now) {
    if (giveBack(now)) {
      tellReturned(now);
      pending.endpoint().failed(pending, refusal, now);
    }
  }

  /**
   * Gives everything back and wakes waiting lanes, without an event; false when it was settled
   * before.
   */
  boolean giveBack(long now) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      closed = true;
      spends.giveBack(now);
    }
    used(0);
    wake();
    if (shadow != null) {
      shadow.returned(now);
    }
    return true;
  }

  /** Replaces the expected cost by the real usage and wakes waiting lanes, without an event. */
  void settle(@Nullable Usage usage, long outputTokens, long now) {
    if (replace(usage, outputTokens, now) != CLOSED) {
      used(total(usage, outputTokens));
      wakeIfEased();
    }
  }

  private boolean close(@Nullable Usage usage, long outputTokens, long now) {
    long reserved = pending.cost().totalTokens();
    long overrun = replace(usage, outputTokens, now);
    if (overrun == CLOSED) {
      return false;
    }
    long total = total(usage, outputTokens);
    used(total);
    publish(
        new Event.Settled(
            now, path(), pending.order(), goesTo(), pending.model(), reserved, total, overrun));
    wakeIfEased();
    if (shadow != null) {
      shadow.ended(usage, outputTokens, now);
    }
    return true;
  }

  /**
   * Returns by how much the usage exceeds what was taken; CLOSED if it was settled before, and
   * nothing changes.
   */
  private synchronized long replace(@Nullable Usage usage, long outputTokens, long now) {
    if (closed) {
      return CLOSED;
    }
    closed = true;
    long output = usage == null ? outputTokens : usage.outputTokens();
    return spends.settle(usage, output, now);
  }

  /** Wakes waiting lanes only if less was used than expected; otherwise nothing was freed. */
  private void wakeIfEased() {
    boolean eased;
    synchronized (this) {
      eased = spends.eased();
    }
    if (eased) {
      wake();
    }
  }

  private long total(@Nullable Usage usage, long outputTokens) {
    return usage == null
        ? pending.cost().inputTokens() + outputTokens
        : usage.inputTokens() + usage.outputTokens();
  }

  /**
   * Reports the usage to the order of the queue, in which requests in shadow mode have no place.
   */
  private void used(long tokens) {
    if (shadow == null) {
      pending.endpoint().used(pending, tokens);
    }
  }

  private void wake() {
    Spends before = pending.taken();
    if (before != null) {
      before.wake(); // not all charged quotas are on its route
    }
    route.wake();
  }

  private void tellReturned(long now) {
    publish(
        new Event.Returned(
            now, path(), pending.order(), goesTo(), pending.model(), pending.cost().totalTokens()));
  }

  private @Nullable String goesTo() {
    return route.upstream() == null ? null : route.upstream().spec().id();
  }

  private String path() {
    return pending.endpoint().path();
  }

  private void publish(Event event) {
    pending.endpoint().publish(event);
  }
}
