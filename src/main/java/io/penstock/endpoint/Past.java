package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Record of a ticket that was refused recently, or waited for long, and why. Safe from any thread.
 *
 * <p>Everything but the end is as it was known when the ticket was decided.
 */
public final class Past implements Known {
  /** Its outcome. */
  private record End(Fate fate, @Nullable Refusal refusal) {}

  private final long number;
  private final Ask.Origin origin;
  private final String endpoint;
  private final @Nullable String model;
  private final Cost cost;
  private final long arrivedNanos;
  private final long decidedNanos;
  private final @Nullable String upstream;
  private final Explanation explanation;
  private volatile End end;

  private Past(
      long number,
      Ask.Origin origin,
      String endpoint,
      @Nullable String model,
      Cost cost,
      long arrivedNanos,
      long decidedNanos,
      @Nullable String upstream,
      Explanation explanation,
      End end) {
    this.number = number;
    this.origin = origin;
    this.endpoint = endpoint;
    this.model = model;
    this.cost = cost;
    this.arrivedNanos = arrivedNanos;
    this.decidedNanos = decidedNanos;
    this.upstream = upstream;
    this.explanation = explanation;
    this.end = end;
  }

  /** Returns the record of a ticket that was not granted. */
  static Past of(Pending pending, Fate fate, @Nullable Refusal refusal, long now) {
    return of(pending, null, new End(fate, refusal), now);
  }

  /** Returns the record of a ticket that was granted, to an upstream or as a permit. */
  static Past released(Pending pending, @Nullable String upstream, long now) {
    return of(pending, upstream, new End(Fate.RUNNING, null), now);
  }

  private static Past of(Pending pending, @Nullable String upstream, End end, long now) {
    Explanation why = pending.why;
    return new Past(
        pending.order(),
        pending.origin(),
        pending.endpoint().path(),
        pending.model(),
        pending.cost(),
        pending.arrivedNanos(),
        now,
        upstream,
        why == null ? Explanation.NONE : why,
        end);
  }

  /** Returns the record of a request that was refused before it became a ticket. */
  static Past turnedAway(
      long number, Ask.Origin origin, String endpoint, Cost cost, Refusal refusal, long now) {
    End end = new End(Fate.REFUSED, refusal);
    return new Past(number, origin, endpoint, null, cost, now, now, null, Explanation.NONE, end);
  }

  /** Sets the outcome after the grant. */
  void ended(Fate fate, @Nullable Refusal refusal) {
    end = new End(fate, refusal);
  }

  /** Returns the arrival number. */
  public long number() {
    return number;
  }

  /** Returns the sender. */
  public Ask.Origin origin() {
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

  /** Returns its outcome; {@link Fate#RUNNING} while it is not settled. */
  public Fate fate() {
    return end.fate();
  }

  /** Returns the refusal, or null. */
  public @Nullable Refusal refusal() {
    return end.refusal();
  }

  /** Returns the limits as they were when it was decided, and what blocked it until then. */
  public Explanation explanation() {
    return explanation;
  }
}
