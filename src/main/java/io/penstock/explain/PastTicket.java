package io.penstock.explain;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketRequest;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Record of a ticket that was refused recently, or waited for long, and why. Safe from any thread.
 *
 * <p>Everything but the end is as it was known when the ticket was decided.
 */
public final class PastTicket implements TicketRecord {
  /** Its outcome. */
  private record End(TicketFate fate, @Nullable Refusal refusal) {}

  private final long number;
  private final TicketRequest.Origin origin;
  private final String endpoint;
  private final @Nullable String model;
  private final Cost cost;
  private final long arrivedNanos;
  private final long decidedNanos;
  private final @Nullable String upstream;
  private final WaitExplanation waitExplanation;
  private volatile End end;

  private PastTicket(
      long number,
      TicketRequest.Origin origin,
      String endpoint,
      @Nullable String model,
      Cost cost,
      long arrivedNanos,
      long decidedNanos,
      @Nullable String upstream,
      WaitExplanation waitExplanation,
      End end) {
    this.number = number;
    this.origin = origin;
    this.endpoint = endpoint;
    this.model = model;
    this.cost = cost;
    this.arrivedNanos = arrivedNanos;
    this.decidedNanos = decidedNanos;
    this.upstream = upstream;
    this.waitExplanation = waitExplanation;
    this.end = end;
  }

  /** Returns the record of a ticket that was not granted. */
  public static PastTicket of(
      ParkedTicket parkedTicket, TicketFate fate, @Nullable Refusal refusal, long now) {
    return of(parkedTicket, null, new End(fate, refusal), now);
  }

  /** Returns the record of a ticket that was granted, to an upstream or as a permit. */
  public static PastTicket released(
      ParkedTicket parkedTicket, @Nullable String upstream, long now) {
    return of(parkedTicket, upstream, new End(TicketFate.RUNNING, null), now);
  }

  private static PastTicket of(
      ParkedTicket parkedTicket, @Nullable String upstream, End end, long now) {
    WaitExplanation why = WaitNote.explanation(parkedTicket);
    return new PastTicket(
        parkedTicket.order(),
        parkedTicket.origin(),
        parkedTicket.path(),
        parkedTicket.model(),
        parkedTicket.cost(),
        parkedTicket.arrivedNanos(),
        now,
        upstream,
        why == null ? WaitExplanation.NONE : why,
        end);
  }

  /** Returns the record of a request that was refused before it became a ticket. */
  public static PastTicket turnedAway(
      long number,
      TicketRequest.Origin origin,
      String endpoint,
      Cost cost,
      Refusal refusal,
      long now) {
    End end = new End(TicketFate.REFUSED, refusal);
    return new PastTicket(
        number, origin, endpoint, null, cost, now, now, null, WaitExplanation.NONE, end);
  }

  /** Sets the outcome after the grant. */
  public void ended(TicketFate fate, @Nullable Refusal refusal) {
    end = new End(fate, refusal);
  }

  /** Returns the arrival number. */
  public long number() {
    return number;
  }

  /** Returns the sender. */
  public TicketRequest.Origin origin() {
    return origin;
  }

  /** Returns the path of the endpoint. */
  public String endpoint() {
    return endpoint;
  }

  /** Returns the model it asked for, or null. */
  public @Nullable String model() {
    return model;
  }

  /** Returns its expected usage. */
  public Cost cost() {
    return cost;
  }

  /** Returns the instant it arrived. */
  public long arrivedNanos() {
    return arrivedNanos;
  }

  /** Returns how long it waited until it was decided, in nanoseconds. */
  public long waitedNanos() {
    return decidedNanos - arrivedNanos;
  }

  /** Returns the instant it was decided. */
  public long decidedNanos() {
    return decidedNanos;
  }

  /** Returns the id of the upstream it went to, or null. */
  public @Nullable String upstream() {
    return upstream;
  }

  /** Returns its outcome; {@link TicketFate#RUNNING} while it is not settled. */
  public TicketFate fate() {
    return end.fate();
  }

  /** Returns the refusal, or null. */
  public @Nullable Refusal refusal() {
    return end.refusal();
  }

  /** Returns the limits as they were when it was decided, and what blocked it until then. */
  public WaitExplanation explanation() {
    return waitExplanation;
  }
}
