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
 * What was taken for a ticket that was let go, until it is settled: once, by whichever of the
 * closing calls comes first; later ones do nothing. Safe from any thread.
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

  /** Makes that of a ticket for which nothing was taken but, maybe, by its shadow. */
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
    // The endpoint's own limit is the last of a route; only a permit tells what is left of it.
    this.window =
        route.upstream() != null || route.quotas().isEmpty()
            ? null
            : WindowRoom.of(route.quotas().getLast(), now);
  }

  /** Returns where the ticket goes, or null for a permit. */
  public @Nullable Upstream upstream() {
    return route.upstream();
  }

  /** Returns how many tickets waited behind it when it was let go. */
  public int queueDepth() {
    return depth;
  }

  /** Returns what its going left of the endpoint's token window; null but for permits of one. */
  public @Nullable WindowRoom window() {
    return window;
  }

  /** Returns how long it waited, in nanoseconds. */
  public long waitedNanos() {
    // who let it go with others may have read the clock before it came
    return Math.max(0, releasedNanos - pending.arrivedNanos());
  }

  /** Returns how long ago it was let go, in nanoseconds. */
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
   * Has the upstream's limits learn what its answer says of them; before the answer ends, or not at
   * all.
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
   * The answer reached its end.
   *
   * @param usage what it says, or null when it says nothing
   * @param outputTokens the output that was counted
   */
  public void served(@Nullable Usage usage, long outputTokens, long now) {
    if (close(usage, outputTokens, now)) {
      pending.endpoint().ended(pending, Fate.SERVED);
      publish(new Event.Served(now, path(), pending.order()));
    }
  }

  /** A permit was given: its usage is its cost. */
  public void permitted(long now) {
    Usage cost = new Usage(pending.cost().inputTokens(), 0, pending.cost().outputTokens());
    served(cost, cost.outputTokens(), now);
  }

  /** The client went away while the answer ran; what was counted is what was used. */
  public void cancelled(@Nullable Usage usage, long outputTokens, long now) {
    if (close(usage, outputTokens, now)) {
      if (shadow != null) {
        shadow.withdraw();
      }
      pending.endpoint().ended(pending, Fate.CANCELLED);
      publish(new Event.Cancelled(now, path(), pending.order()));
    }
  }

  /** The upstream failed; what it was sent stays charged, because it may have worked on it. */
  public void failed(Refusal refusal, long outputTokens, long now) {
    if (close(null, outputTokens, now)) {
      pending.endpoint().failed(pending, refusal, now);
    }
  }

  /**
   * Ends an attempt of which the client has had nothing, and has the request wait at its old place
   * for another: what key, group, model and endpoint gave stays taken, what the upstream gave is
   * settled.
   *
   * <p>Where nothing is held, the request goes again at once, or not at all.
   *
   * @param elsewhere whether it is to go to another upstream, if there is one that serves it
   * @return the ticket that waits now, or null when this was settled before, or nothing is held and
   *     no upstream is open
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
   * Returns the name under which a model is asked for: the client's, or that of one that serves in
   * its place; null when none is.
   */
  public @Nullable String model() {
    return route.model();
  }

  /** The ticket was never sent, because its client went away: all is returned. */
  public void abandoned(long now) {
    if (giveBack(now)) {
      tellReturned(now);
      pending.endpoint().ended(pending, Fate.CANCELLED);
      publish(new Event.Cancelled(now, path(), pending.order()));
    }
  }

  /** The ticket was never sent, because nothing could be: all is returned. */
  public void refused(Refusal refusal, long now) {
    if (giveBack(now)) {
      tellReturned(now);
      pending.endpoint().failed(pending, refusal, now);
    }
  }

  /** Returns all that was taken; false when it was settled before. Tells nobody but who waits. */
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

  /** Replaces the cost by what was used. Tells nobody but who waits. */
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

  /** Returns how much the usage was above what had been taken, or CLOSED: then nothing changed. */
  private synchronized long replace(@Nullable Usage usage, long outputTokens, long now) {
    if (closed) {
      return CLOSED;
    }
    closed = true;
    long output = usage == null ? outputTokens : usage.outputTokens();
    return spends.settle(usage, output, now);
  }

  /** Usage that is as expected, or more, lets nobody go sooner. */
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

  /** The order of a queue is told of whoever took a place there. */
  private void used(long tokens) {
    if (shadow == null) {
      pending.endpoint().used(pending, tokens);
    }
  }

  private void wake() {
    Spends before = pending.taken();
    if (before != null) {
      before.wake(); // not all who gave are on its way
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
