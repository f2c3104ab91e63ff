package io.penstock.queue;

import io.penstock.cost.Cost;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One request in the gateway.
 *
 * <p>Its state is one word, decided once by one compare-and-set, from any thread. Everything else
 * that changes here belongs to the queue it waits in and its one owner.
 */
public class Ticket extends Node {
  /** Where a ticket stands; all but {@link #PARKED} are final. */
  public enum State {
    /** Waiting, or not yet looked at. */
    PARKED,
    /** Everything it needs was taken for it. */
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

  private final Cost cost;
  private final long bytes;
  private final long arrivedNanos;
  private final long deadlineNanos;
  private volatile State state = State.PARKED;

  /** The queue this ticket waits in, or null. */
  @Nullable TicketQueue<?> queue;

  /** Whose it is, where shares are fair. */
  @Nullable Flow flow;

  /**
   * Makes a ticket that is parked.
   *
   * @param order its arrival number: smaller is earlier; unique in the process
   * @param cost what it is expected to use
   * @param bytes of body it holds while it waits, ≥ 0
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

  /** Returns the arrival number. */
  public final long order() {
    return order;
  }

  /** Returns what the request is expected to use. */
  public final Cost cost() {
    return cost;
  }

  /** Returns the bytes of body it holds while it waits. */
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
   * Returns whether something stays taken for it while it waits. Nothing is kept from it for those
   * of whom that is not so: they may wait for what it has.
   */
  public boolean holds() {
    return false;
  }

  /** Returns whether it waits in a tree. For the owner of its queue only. */
  public final boolean queued() {
    return queue != null;
  }
}
