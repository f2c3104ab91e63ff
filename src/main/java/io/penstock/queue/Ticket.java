package io.penstock.queue;

import io.penstock.cost.Cost;
import io.penstock.tenant.PromiseHolder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One request in the gateway.
 *
 * <p>Its state is one word, decided once by one compare-and-set, from any thread. All other fields
 * that change belong to the queue in which it waits, and that has one owner.
 */
public class Ticket extends TreapNode {
  /** State of a ticket; all but {@link #PARKED} are final. */
  public enum State {
    /** It waits, or has not been looked at yet. */
    PARKED,
    /** Everything the ticket needs was taken for it. */
    GRANTED,
    /** Its client went away first. */
    CANCELLED,
    /** It waited until its deadline. */
    EXPIRED,
    /** It will not be served. */
    REFUSED
  }

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Ticket.class, "state", State.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  /** Only the part of it that is expected to be read from a cache ever changes. */
  private volatile Cost cost;

  private final long bytes;
  private final long arrivedNanos;
  private final long deadlineNanos;
  private volatile State state = State.PARKED;

  /** The queue this ticket waits in, or null. */
  @Nullable TicketQueue<?> queue;

  /** The flow it belongs to, where shares are fair. */
  @Nullable FairFlow flow;

  /** Returns the client that is told when to come back if the ticket is refused. */
  public PromiseHolder client() {
    return new PromiseHolder(this, "");
  }

  /**
   * Creates a parked ticket.
   *
   * @param order its arrival number: smaller is earlier; unique in the process
   * @param cost the expected usage
   * @param bytes of its body that are stored while it waits, ≥ 0
   * @param arrivedNanos when it arrived
   * @param deadlineNanos when its waiting ends; {@link io.penstock.time.Ticker#NEVER} for never
   */
  public Ticket(long order, Cost cost, long bytes, long arrivedNanos, long deadlineNanos) {
    super(order, cost);
    this.cost = cost;
    this.bytes = bytes;
    this.arrivedNanos = arrivedNanos;
    this.deadlineNanos = deadlineNanos;
  }

  /**
   * Takes over how often the ticket of the request's previous attempt was skipped. Neither ticket
   * may be in a queue.
   */
  protected final void keepSkipsOf(Ticket before) {
    skips(before.skips());
  }

  /** Takes over the place of a ticket in the order, and its skips. In no queue. */
  public final void placeOf(Ticket other, int skips) {
    rank = other.rank;
    skips(skips);
  }

  /**
   * Notes that so much of its input is expected to be read from a cache now. For the owner of its
   * queue only, while it is in none.
   */
  protected final void expectCached(long tokens) {
    cost = cost.withCached(tokens);
    sizesOf(cost);
  }

  /** Returns the arrival number. */
  public final long order() {
    return order;
  }

  /** Returns the expected usage of the request. */
  public final Cost cost() {
    return cost;
  }

  /**
   * Returns the tokens that count as service of its flow when it goes, ≥ 1. Expected reads from a
   * cache are left out: they take nothing from others.
   */
  public final long tokens() {
    return Math.max(1, cost.uncachedTokens() + cost.outputTokens());
  }

  /** Returns the bytes of its body that are stored while it waits. */
  public final long bytes() {
    return bytes;
  }

  /** Returns the instant it arrived. */
  public final long arrivedNanos() {
    return arrivedNanos;
  }

  /** Returns the instant its waiting ends. */
  public final long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns the state. */
  public final State state() {
    return state;
  }

  /** Decides a parked ticket; returns false when something else decided it first. */
  public final boolean decide(State decision) {
    return STATE.compareAndSet(this, State.PARKED, decision);
  }

  /**
   * Returns whether something stays taken for this ticket while it waits. Nothing is reserved at
   * its expense for tickets without that: they may be waiting for what it has.
   */
  public boolean keepsCharges() {
    return false;
  }

  /** Returns whether it waits in a tree. For the owner of its queue only. */
  public final boolean queued() {
    return queue != null;
  }
}
