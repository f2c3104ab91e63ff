package io.penstock.endpoint;

import io.penstock.cost.Measure;
import io.penstock.quota.LimitId;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a ticket from going: of all that does, what does so for longest.
 *
 * @param what it is
 * @param kind whose it is; null when it is no limit or upstream
 * @param name the path, key, group, model or upstream; null when there is none
 * @param measure what the limit counts; null when it is none
 * @param untilNanos the instant at which it ends if nothing else happens; {@link
 *     io.penstock.time.Ticker#NEVER} when only what somebody does ends it
 */
public record Binding(
    What what,
    LimitId.@Nullable Kind kind,
    @Nullable String name,
    @Nullable Measure measure,
    long untilNanos) {
  /** What can keep a ticket from going. */
  public enum What {
    /** An operator paused the endpoint. */
    ENDPOINT_PAUSED,
    /** The queue is full, and it waits for a place there. */
    QUEUE_FULL,
    /** A limit has too little room. */
    LIMIT,
    /** This instance has used up its part of a shared limit; the next round tells of more. */
    SLICE,
    /** A limit is shared with others of whom nothing is heard. */
    LIMIT_UNAVAILABLE,
    /** Redis has lost data: an instance that is gone may have used a limit up. */
    LIMIT_RECOVERING,
    /** The provider said that it has had enough. */
    UPSTREAM_PAUSED,
    /** The upstream failed, and is tried again later. */
    UPSTREAM_UNHEALTHY,
    /** What frees is kept for a ticket that was passed too often. */
    KEPT_FOR_ANOTHER,
    /** Only those that come before it. */
    OTHERS_FIRST
  }

  static Binding of(What what, long untilNanos) {
    return new Binding(what, null, null, null, untilNanos);
  }
}
