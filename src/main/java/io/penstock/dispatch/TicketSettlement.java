package io.penstock.dispatch;

import io.penstock.cost.TokenUsage;
import io.penstock.event.Event;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The charges of a granted ticket until they are settled: once, by the first of the closing calls;
 * later calls do nothing. Safe from any thread.
 */
public final class TicketSettlement {
  private final ParkedTicket parkedTicket;
  private final TicketRoute ticketRoute;
  private final TicketCharges ticketCharges;
  private final long releasedNanos;
  private final int depth;
  private final @Nullable WindowRoom window;
  private final @Nullable ShadowTicket shadowTicket;
  private boolean closed;

  TicketSettlement(
      ParkedTicket parkedTicket,
      TicketRoute ticketRoute,
      TicketCharges ticketCharges,
      int depth,
      long now) {
    this(parkedTicket, ticketRoute, ticketCharges, depth, now, null);
  }

  /** Creates the settlement of a request that is granted at once: only its shadow is charged. */
  public TicketSettlement(
      ParkedTicket parkedTicket, TicketRoute ticketRoute, ShadowTicket shadowTicket, long now) {
    this(
        parkedTicket,
        ticketRoute,
        new TicketCharges(List.of()).with(parkedTicket.takenCharges()),
        0,
        now,
        shadowTicket);
  }

  private TicketSettlement(
      ParkedTicket parkedTicket,
      TicketRoute ticketRoute,
      TicketCharges ticketCharges,
      int depth,
      long now,
      @Nullable ShadowTicket shadowTicket) {
    this.shadowTicket = shadowTicket;
    this.depth = depth;
    this.parkedTicket = parkedTicket;
    this.ticketRoute = ticketRoute;
    this.ticketCharges = ticketCharges;
    this.releasedNanos = now;
    // The endpoint's own limit is the last of a route; only for a permit the rest of its window is
    // reported.
    this.window =
        ticketRoute.upstream() != null || ticketRoute.quotas().isEmpty()
            ? null
            : WindowRoom.of(ticketRoute.quotas().getLast(), now);
  }

  /** Returns the upstream the ticket goes to, or null for a permit. */
  public @Nullable Upstream upstream() {
    return ticketRoute.upstream();
  }

  /** Returns whether less was charged because a cache is expected to be read. */
  public boolean reliesOnCache() {
    return parkedTicket.cost().cachedTokens() > 0;
  }

  /**
   * Returns how much output budgets keep free for all answers, ≥ 0; {@link Long#MAX_VALUE} where
   * that need not bound them.
   */
  public long keptOutput() {
    return shadowTicket == null ? ticketCharges.keptOutput(parkedTicket.cost()) : Long.MAX_VALUE;
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

  /** Returns whether only one upstream knows what its request refers to. */
  public boolean isBound() {
    return parkedTicket.isBound();
  }

  /** Returns how long it waited, in nanoseconds. */
  public long waitedNanos() {
    // a step that grants several may have read the clock before it arrived
    return Math.max(0, releasedNanos - parkedTicket.arrivedNanos());
  }

  /** Returns how long ago it was granted, in nanoseconds. */
  public long lastedNanos(long now) {
    return now - releasedNanos;
  }

  /** Notes that the last byte of the request was written. */
  public synchronized void written(long now) {
    if (ticketRoute.upstream() != null) {
      ticketRoute.upstream().written(now - releasedNanos);
      if (!closed) {
        ticketCharges.attempt().forEach(charge -> charge.written(now));
      }
    }
  }

  /** Notes that the answer has begun: from now on a cache has what the request wrote. */
  public void answerBegan() {
    parkedTicket.endWarmup();
  }

  /**
   * Lets waiting tickets be expected anew; to be called when it was learned how much the answer
   * read from a cache, or that the provider refused the request.
   *
   * @param changed whether other things are expected because of it than before of prompts with the
   *     same key, even with other beginnings
   */
  public void cacheLearned(boolean changed) {
    WarmupGroup group = parkedTicket.warmup();
    boolean first = group != null && group.learned();
    if (changed || first) {
      String key = parkedTicket.origin().key();
      parkedTicket.listener().cacheLearned(new CacheNews(first ? group : null, changed, key));
    }
  }

  /** Charges output as it is produced, {@code outputTokens} so far. */
  public void produced(long outputTokens, long now) {
    if (charge(outputTokens, now)) {
      wake();
    }
    if (shadowTicket != null) {
      shadowTicket.produced(outputTokens, now);
    }
  }

  /**
   * Replaces the expected input by the real one as soon as the answer states it; its end settles
   * the output.
   *
   * @param tokenUsage the usage stated so far
   */
  public void inputStated(TokenUsage tokenUsage, long now) {
    if (settleInput(tokenUsage, now)) {
      wake();
    }
    if (shadowTicket != null) {
      shadowTicket.inputStated(tokenUsage, now);
    }
  }

  private synchronized boolean settleInput(TokenUsage tokenUsage, long now) {
    return !closed && ticketCharges.settleInput(tokenUsage, now);
  }

  /**
   * Teaches the upstream's limits what its answer says of them; to be called before the answer
   * ends, or not at all.
   *
   * @param again whether the same upstream has refused an earlier attempt of the request: then
   *     another refusal of it shows nothing new about a limit
   */
  public synchronized void learn(ProviderLesson lesson, boolean again, long now) {
    if (!closed && ticketRoute.pool() != null) {
      ticketRoute.pool().learn(lesson.statuses(), ticketCharges.attempt(), now);
      if (!again && lesson.refusesByUnnamedLimit()) {
        ticketRoute.pool().learnRefusal(ticketCharges.attempt(), now);
      }
    }
  }

  private synchronized boolean charge(long outputTokens, long now) {
    return !closed && ticketCharges.produce(outputTokens, now);
  }

  /** Settles a ticket with an answer that reached its end. */
  public void served(CallEnd callEnd, long now) {
    if (close(callEnd, now)) {
      reportSettled(TicketFate.SERVED, null, now);
    }
  }

  /**
   * Settles a ticket with an answer that reached its end and is no error.
   *
   * @param tokenUsage the usage stated by the answer, or null when it states none
   * @param outputTokens the output that was counted
   */
  public void served(@Nullable TokenUsage tokenUsage, long outputTokens, long now) {
    served(CallEnd.answered(tokenUsage, outputTokens), now);
  }

  /** Settles a permit: its usage is its cost. */
  public void permitted(long now) {
    served(permit(), now);
  }

  private CallEnd permit() {
    TokenUsage cost =
        new TokenUsage(parkedTicket.cost().inputTokens(), 0, parkedTicket.cost().outputTokens());
    return CallEnd.answered(cost, cost.outputTokens()).usingUnseen();
  }

  /** Settles a permit of a {@link DryRun}, without an event. */
  void permittedDry(long now) {
    replaceCharges(permit(), now);
    wakeIfEased();
  }

  /** Settles a ticket with a client that went away after its request was sent. */
  public void cancelled(CallEnd callEnd, long now) {
    if (close(callEnd, now)) {
      if (shadowTicket != null) {
        shadowTicket.cancelled();
      }
      reportSettled(TicketFate.CANCELLED, null, now);
    }
  }

  /**
   * Settles a ticket with an upstream that failed. The input stays charged, because the upstream
   * may have worked on it.
   *
   * @param tokenUsage the usage stated before the failure, or null when none was
   */
  public void failed(
      Refusal refusal, @Nullable TokenUsage tokenUsage, long outputTokens, long now) {
    failed(refusal, CallEnd.answered(tokenUsage, outputTokens), now);
  }

  /** Settles a ticket with an answer in place of which the client gets a refusal. */
  public void failed(Refusal refusal, CallEnd callEnd, long now) {
    if (close(callEnd, now)) {
      reportSettled(TicketFate.REFUSED, refusal, now);
    }
  }

  /** Settles a ticket with an upstream that failed before it stated any usage. */
  public void failed(Refusal refusal, long outputTokens, long now) {
    failed(refusal, null, outputTokens, now);
  }

  /**
   * Ends an attempt that gave the client nothing, and makes the request wait at its old place for
   * another: the charges of key, group, model and endpoint stay, those of the upstream are settled.
   *
   * <p>In shadow mode the request is tried again at once, or not at all.
   *
   * @param toOtherUpstream whether to go to another upstream, if one serves the request
   * @return the ticket of the next attempt; null when this one was settled before, or when no
   *     upstream is open in shadow mode
   */
  public @Nullable ParkedTicket retry(AttemptFailure failure, boolean toOtherUpstream, long now) {
    Upstream upstream = ticketRoute.upstream();
    return retry(
        failure,
        toOtherUpstream && upstream != null ? Set.of(upstream.spec().id()) : Set.of(),
        false,
        now);
  }

  /**
   * Ends an attempt as the other method does.
   *
   * @param avoided the ids of the upstreams not to go to, if another one serves the request
   * @param widened whether fallback models may serve it from now on, if any may at all
   */
  public @Nullable ParkedTicket retry(
      AttemptFailure failure, Set<String> avoided, boolean widened, long now) {
    Function<TicketCharges, ParkedTicket> next =
        left -> parkedTicket.nextAttempt(avoided, widened, left);
    return shadowTicket == null
        ? requeue(failure, next, now)
        : retryAtOnce(failure, next, shadowTicket, now);
  }

  /**
   * Ends an attempt that the upstream refused, and makes the request wait at its old place for
   * another attempt at the same upstream, which counts in the upstream's limits like any other.
   *
   * @return the ticket of the next attempt; null when this one was settled before, and in shadow
   *     mode, where requests wait for nothing
   */
  public @Nullable ParkedTicket repeat(long now) {
    Upstream upstream = ticketRoute.upstream();
    return shadowTicket != null || upstream == null
        ? null
        : requeue(
            AttemptFailure.REFUSED,
            left -> parkedTicket.repeatedAt(upstream.spec().id(), left),
            now);
  }

  private @Nullable ParkedTicket requeue(
      AttemptFailure failure, Function<TicketCharges, ParkedTicket> nextTicket, long now) {
    TicketCharges left;
    synchronized (this) {
      if (closed) {
        return null;
      }
      closed = true;
      left = ticketCharges.settleFailedAttempt(failure, now);
    }
    parkedTicket.endWarmup();
    reportUsage(0);
    ticketRoute.wake();
    reportReturned(now);
    ParkedTicket next = nextTicket.apply(left);
    parkedTicket.listener().requeued(parkedTicket, next);
    return next;
  }

  private @Nullable ParkedTicket retryAtOnce(
      AttemptFailure failure,
      Function<TicketCharges, ParkedTicket> nextTicket,
      ShadowTicket same,
      long now) {
    ShadowGrants grants = same.grants();
    ParkedTicket next;
    TicketRoute route;
    synchronized (this) {
      if (closed) {
        return null; // a route would take the trial of an upstream for nothing
      }
      // nothing was taken, but what the attempts may have used counts in the ledger
      next = nextTicket.apply(ticketCharges.settleFailedAttempt(failure, now));
      route = grants.retryRoute(next, now);
      if (route == null) {
        return null;
      }
      closed = true;
    }
    reportReturned(now);
    grants.release(parkedTicket, next, route, same, now);
    return next;
  }

  /**
   * Returns the name of the model asked: the client's, or that of a fallback model; null when none
   * is asked for.
   */
  public @Nullable String model() {
    return ticketRoute.model();
  }

  /** Gives everything back for a ticket that was never sent, because its client went away. */
  public void abandoned(long now) {
    if (giveBack(now)) {
      reportReturned(now);
      reportSettled(TicketFate.CANCELLED, null, now);
    }
  }

  /** Gives everything back for a ticket that was never sent, because nothing could be sent. */
  public void refused(Refusal refusal, long now) {
    if (giveBack(now)) {
      reportReturned(now);
      reportSettled(TicketFate.REFUSED, refusal, now);
    }
  }

  /**
   * Gives everything back and wakes waiting lanes, without an event; false when it was settled
   * before.
   */
  boolean giveBack(long now) {
    KeptUsage kept;
    synchronized (this) {
      if (closed) {
        return false;
      }
      closed = true;
      kept = ticketCharges.settle(CallEnd.UNSENT, parkedTicket.cost(), now);
    }
    parkedTicket.endWarmup();
    count(kept);
    reportUsage(0);
    wake();
    if (shadowTicket != null) {
      shadowTicket.returned(now);
    }
    return true;
  }

  /** Settles all charges and wakes waiting lanes, without an event. */
  void settle(CallEnd callEnd, long now) {
    KeptUsage kept = replace(callEnd, now);
    if (kept != null) {
      reportUsage(kept.totalTokens() - freeReads(callEnd));
      wakeIfEased();
    }
  }

  private boolean close(CallEnd callEnd, long now) {
    KeptUsage kept = replace(callEnd, now);
    if (kept == null) {
      return false;
    }
    count(kept);
    reportUsage(kept.totalTokens() - freeReads(callEnd));
    publish(
        new Event.Settled(
            now,
            path(),
            parkedTicket.order(),
            goesTo(),
            parkedTicket.model(),
            parkedTicket.cost().totalTokens(),
            kept.totalTokens(),
            kept.overrun()));
    wakeIfEased();
    if (shadowTicket != null) {
      shadowTicket.ended(callEnd, now);
    }
    return true;
  }

  /** Returns the input that was read from a cache and took nothing from the upstream's limits. */
  private long freeReads(CallEnd callEnd) {
    boolean free = ticketRoute.pool() != null && ticketRoute.pool().freesCacheReads();
    return free && callEnd.usage() != null ? callEnd.usage().cacheReadTokens() : 0;
  }

  /** Returns what stays charged; null if it was settled before, and nothing changes. */
  private @Nullable KeptUsage replace(CallEnd callEnd, long now) {
    parkedTicket.endWarmup();
    return replaceCharges(callEnd, now);
  }

  private synchronized @Nullable KeptUsage replaceCharges(CallEnd callEnd, long now) {
    if (closed) {
      return null;
    }
    closed = true;
    return ticketCharges.settle(callEnd, parkedTicket.cost(), now);
  }

  /** Counts what the request used, except for a shadow and for a call that costs nothing. */
  private void count(KeptUsage kept) {
    boolean light = shadowTicket != null && shadowTicket.isLight();
    if (parkedTicket.shadow() == null && !light) {
      parkedTicket.listener().used(parkedTicket, ticketRoute.model(), kept);
    }
  }

  /** Wakes waiting lanes only if less was used than expected; otherwise nothing was freed. */
  private void wakeIfEased() {
    boolean eased;
    synchronized (this) {
      eased = ticketCharges.roomFreed();
    }
    if (eased) {
      wake();
    }
  }

  /**
   * Reports the usage to the order of the queue, in which requests in shadow mode have no place.
   */
  private void reportUsage(long tokens) {
    if (shadowTicket == null) {
      parkedTicket.listener().usageKnown(parkedTicket, tokens);
    }
  }

  private void wake() {
    TicketCharges before = parkedTicket.takenCharges();
    if (before != null) {
      before.wake(); // not all charged quotas are on its route
    }
    ticketRoute.wake();
  }

  private void reportSettled(TicketFate fate, @Nullable Refusal refusal, long now) {
    parkedTicket.listener().settled(parkedTicket, fate, refusal, now);
  }

  private void reportReturned(long now) {
    publish(
        new Event.Returned(
            now,
            path(),
            parkedTicket.order(),
            goesTo(),
            parkedTicket.model(),
            parkedTicket.cost().totalTokens()));
  }

  private @Nullable String goesTo() {
    return ticketRoute.upstream() == null ? null : ticketRoute.upstream().spec().id();
  }

  private String path() {
    return parkedTicket.path();
  }

  private void publish(Event event) {
    parkedTicket.listener().publish(event);
  }
}
