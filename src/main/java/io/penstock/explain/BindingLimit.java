package io.penstock.explain;

import io.penstock.cost.LimitMeasure;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The cause that keeps a ticket from going; among several, the one that does so for longest.
 *
 * @param cause the cause
 * @param kind the kind of its owner; null when it is no limit or upstream
 * @param name the path, key, group, model or upstream; null when there is none
 * @param measure the unit the limit counts; null when it is no limit
 * @param untilNanos the instant at which it ends if nothing else happens; {@link Ticker#NEVER} when
 *     only an action can end it
 */
public record BindingLimit(
    Cause cause,
    LimitId.@Nullable Kind kind,
    @Nullable String name,
    @Nullable LimitMeasure measure,
    long untilNanos) {
  /** A kind of cause. */
  public enum Cause {
    /** An operator paused the endpoint. */
    ENDPOINT_PAUSED,
    /** The queue is full, and the ticket waits for a place there. */
    QUEUE_FULL,
    /** A limit has too little room. */
    LIMIT,
    /** This instance has used up its share of a limit; others may leave it more. */
    SHARE,
    /** Redis may have lost data: shares grow again when all instances have stated theirs. */
    SETTLING,
    /** This instance has just come: it is given shares when all instances know it. */
    LISTING,
    /** A limit is shared with others, and nothing is heard from them. */
    LIMIT_UNAVAILABLE,
    /** The provider refused requests because of its limits, and is left alone for a while. */
    UPSTREAM_PAUSED,
    /** An operator paused the upstream. */
    UPSTREAM_TAKEN_OUT,
    /** The upstream failed, and is tried again later. */
    UPSTREAM_UNHEALTHY,
    /** Another ticket with the same beginning is to warm the provider's cache for it. */
    CACHE_WARMUP,
    /** No upstream of the ticket's own model is enabled. */
    NO_UPSTREAM_ENABLED,
    /** A quota is claimed for a ticket that was skipped too often. */
    KEPT_FOR_ANOTHER,
    /** Only tickets that come before it in order. */
    OTHERS_FIRST,
    /** A limit has room, and spreads over its window what it admits. */
    PACE,
    /** The client has not sent the whole body yet. */
    BODY,
    /** Other bodies take the memory that the body needs. */
    BODY_MEMORY,
    /** The provider is asked how many tokens the input has. */
    INPUT_COUNT,
    /** The counts of other instances are read first: its key was refused, or not used here. */
    DENIAL_RECHECK,
    /** An earlier call of its WebSocket has not ended. */
    SOCKET_TURN,
    /** It was released, and a connection to its upstream is being made. */
    CONNECTION
  }

  /** Returns that a connection to an upstream is being made. */
  public static BindingLimit connecting(String upstream) {
    return new BindingLimit(Cause.CONNECTION, LimitId.Kind.UPSTREAM, upstream, null, Ticker.NEVER);
  }

  public static BindingLimit of(Cause cause, long untilNanos) {
    return new BindingLimit(cause, null, null, null, untilNanos);
  }
}
