package io.penstock.explain;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketRequest;
import io.penstock.refusal.Refusal;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Record of a ticket that was refused recently, or waited for long, and why. Safe from any thread.
 *
 * <p>Everything but the end is as it was known when the ticket was decided.
 *
 * @param number the arrival number
 * @param origin the sender
 * @param asked what it asked for
 * @param arrivedNanos the instant it arrived
 * @param decidedNanos the instant it was decided
 * @param upstream the id of the upstream it went to, followed by the fallback model if one serves
 *     it ({@code id/model}); or null
 * @param explanation the limits as they were when it was decided, and what blocked it until then
 * @param end its outcome so far
 */
public record PastTicket(
    long number,
    TicketRequest.Origin origin,
    Asked asked,
    long arrivedNanos,
    long decidedNanos,
    @Nullable String upstream,
    WaitExplanation explanation,
    AtomicReference<End> end)
    implements TicketRecord {
  /**
   * The request of a ticket.
   *
   * @param endpoint the path of the endpoint
   * @param model the model, or null
   * @param cost its expected usage
   */
  public record Asked(String endpoint, @Nullable String model, Cost cost) {}

  /**
   * Outcome of a ticket.
   *
   * @param fate the outcome; {@link TicketFate#RUNNING} while it is not settled
   * @param refusal the refusal, or null
   */
  public record End(TicketFate fate, @Nullable Refusal refusal) {}

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
    WaitExplanation explanation = WaitNote.explanation(parkedTicket);
    return new PastTicket(
        parkedTicket.order(),
        parkedTicket.origin(),
        new Asked(parkedTicket.path(), parkedTicket.model(), parkedTicket.cost()),
        parkedTicket.arrivedNanos(),
        now,
        upstream,
        explanation == null ? WaitExplanation.NONE : explanation,
        new AtomicReference<>(end));
  }

  /** Returns the record of a request that was refused before it became a ticket. */
  public static PastTicket turnedAway(
      long number,
      TicketRequest.Origin origin,
      String endpoint,
      Cost cost,
      Refusal refusal,
      long now) {
    return new PastTicket(
        number,
        origin,
        new Asked(endpoint, null, cost),
        now,
        now,
        null,
        WaitExplanation.NONE,
        new AtomicReference<>(new End(TicketFate.REFUSED, refusal)));
  }

  /** Sets the outcome after the grant. */
  public void ended(TicketFate fate, @Nullable Refusal refusal) {
    end.set(new End(fate, refusal));
  }

  /** Returns how long it waited until it was decided, in nanoseconds. */
  public long waitedNanos() {
    return decidedNanos - arrivedNanos;
  }

  /** Returns its outcome; {@link TicketFate#RUNNING} while it is not settled. */
  public TicketFate fate() {
    return end.get().fate();
  }

  /** Returns the refusal, or null. */
  public @Nullable Refusal refusal() {
    return end.get().refusal();
  }
}
