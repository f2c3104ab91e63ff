package io.penstock.usage;

import io.penstock.cost.TokenUsage;

/**
 * Parts of an input for which the provider used its cache. Immutable.
 *
 * @param read tokens read from the cache, ≥ 0
 * @param written tokens written to it, ≥ 0
 * @param writtenForHour the part of {@code written} that the cache keeps for an hour
 */
public record CachedInput(long read, long written, long writtenForHour) {
  /** No cache was used. */
  public static final CachedInput NONE = new CachedInput(0, 0, 0);

  public CachedInput {
    if (read < 0 || writtenForHour < 0 || written < writtenForHour) {
      throw new IllegalArgumentException(
          "cached input is %d read, %d written, %d of it for an hour, expected none below 0"
              .formatted(read, written, writtenForHour));
    }
  }

  /** Returns the cached parts of a request's usage. */
  static CachedInput of(TokenUsage used) {
    return used.cacheReadTokens() == 0 && used.cacheWriteTokens() == 0
        ? NONE
        : new CachedInput(
            used.cacheReadTokens(), used.cacheWriteTokens(), used.cacheWriteHourTokens());
  }

  /** Returns whether all parts are 0. */
  public boolean isNone() {
    return read == 0 && written == 0;
  }

  /** Returns the same parts, cut so that together they are no more than {@code input}, ≥ 0. */
  CachedInput within(long input) {
    long fitRead = Math.min(read, input);
    long fitWritten = Math.min(written, input - fitRead);
    return fitRead == read && fitWritten == written
        ? this
        : new CachedInput(fitRead, fitWritten, Math.min(writtenForHour, fitWritten));
  }
}
