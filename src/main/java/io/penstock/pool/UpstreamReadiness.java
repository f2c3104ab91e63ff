package io.penstock.pool;

import io.penstock.time.Ticker;

/**
 * The answer to the question whether an upstream could take a request, and when.
 *
 * @param cause what keeps it from taking one as usual; of several causes the one that lasts longest
 * @param fromNanos the instant from which it could take one; {@link Long#MIN_VALUE} when it could
 *     already, and {@link Ticker#NEVER} when only an event can change that, such as a new
 *     configuration or a connection that comes back
 */
public record UpstreamReadiness(Cause cause, long fromNanos) {
  /** A cause that keeps an upstream from taking requests. */
  public enum Cause {
    /** Nothing but limits that have room again within a minute. */
    NONE,
    /** Its provider refused requests because of its limits, and is left alone for a while. */
    PAUSED,
    /** An operator keeps requests from it. */
    TAKEN_OUT,
    /** It failed. From the instant on it takes one request on trial. */
    UNHEALTHY,
    /** Its requests of the day are used up. */
    UPSTREAM_DAY,
    /** The requests of the day of the model are used up, at all upstreams together. */
    MODEL_DAY,
    /** A limit is shared with others, and nothing is heard from them. */
    CUT_OFF,
    /** The configuration lets it take no requests. */
    DISABLED
  }

  /** The answer of an upstream that could take a request, as far as its limits have room. */
  public static final UpstreamReadiness READY = new UpstreamReadiness(Cause.NONE, Long.MIN_VALUE);

  /** The answer of an upstream that is disabled. */
  public static final UpstreamReadiness DISABLED =
      new UpstreamReadiness(Cause.DISABLED, Ticker.NEVER);

  /** The answer of an upstream that an operator has paused. */
  public static final UpstreamReadiness TAKEN_OUT =
      new UpstreamReadiness(Cause.TAKEN_OUT, Ticker.NEVER);

  /** The answer where a limit is cut off from its other sharers. */
  public static final UpstreamReadiness CUT_OFF =
      new UpstreamReadiness(Cause.CUT_OFF, Ticker.NEVER);

  /**
   * The longest pause, in nanoseconds, for which a request waits although other upstreams serve its
   * model.
   */
  private static final long SHORT_PAUSE_NANOS = 1_000_000_000L;

  /** Returns whether it could take a request now, be it one on trial. */
  public boolean now(long now) {
    return fromNanos <= now;
  }

  /**
   * Returns whether it can be relied on to take a request soon: it is not paused for longer than a
   * second, and nothing else keeps it from taking one. A limit per minute that is used up does not
   * matter, because it soon has room again.
   */
  public boolean soon(long now) {
    return switch (cause) {
      case NONE -> true;
      case PAUSED -> fromNanos - now <= SHORT_PAUSE_NANOS;
      case TAKEN_OUT, UNHEALTHY, UPSTREAM_DAY, MODEL_DAY, CUT_OFF, DISABLED -> false;
    };
  }

  /**
   * Returns whether a request that may go elsewhere does not wait for it: neither can it take one
   * now, nor does it merely pause.
   */
  public boolean away(long now) {
    return cause != Cause.PAUSED && !now(now);
  }

  /** Returns whether it takes no request before a day ends or an event comes. */
  public boolean hopeless() {
    return switch (cause) {
      case NONE, PAUSED, TAKEN_OUT, UNHEALTHY -> false;
      case UPSTREAM_DAY, MODEL_DAY, CUT_OFF, DISABLED -> true;
    };
  }

  /** Returns the answer that includes another cause, if that one lasts longer. */
  public UpstreamReadiness or(Cause other, long untilNanos, long now) {
    return untilNanos > now && untilNanos > fromNanos
        ? new UpstreamReadiness(other, untilNanos)
        : this;
  }
}
