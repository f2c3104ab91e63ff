package io.penstock.quota;

import io.penstock.limit.LimitRemainder;
import io.penstock.time.Ticker;

/**
 * Use of one limit by all that spend it, as far as it is known here. It is shown and decides
 * nothing.
 *
 * @param owner the name of the quota, such as {@code key alice} or {@code group team}
 * @param metered the limit
 * @param left what is left, 0 to {@link #size}; what running requests keep is not left
 * @param wholeAtNanos the instant from which all of it is left if nothing more is spent; {@link
 *     Ticker#NEVER} when nothing is used, and when that is unknown
 */
public record LimitUse(String owner, MeteredLimit metered, long left, long wholeAtNanos) {
  static LimitUse of(Quota quota, MeteredLimit metered, long now) {
    LimitRemainder remainder = metered.limit().remainder(now);
    long left = Math.clamp(remainder.amount(), 0, metered.limit().capacity());
    long wholeAt = remainder.fullNanos();
    return new LimitUse(quota.name(), metered, left, wholeAt > now ? wholeAt : Ticker.NEVER);
  }

  /** Returns how much the limit admits in its window. */
  public long size() {
    return metered.limit().capacity();
  }

  /** Returns how much of it is used or kept by running requests. */
  public long used() {
    return size() - left;
  }
}
