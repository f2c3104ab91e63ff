package io.penstock.dispatch;

import io.penstock.cost.TokenUsage;
import io.penstock.pool.AttemptFailure;
import org.jspecify.annotations.Nullable;

/**
 * The end of the last call for a request, as far as the cost of the request depends on it.
 *
 * @param failure how the call failed; null when it was answered, in full or in part, and when
 *     nobody knows whether the upstream processed it
 * @param usage the usage that the answer states, or null when it states none; then the input counts
 *     as expected
 * @param outputTokens the output that was counted, ≥ 0
 * @param usesUnseen whether nobody has said how much input the provider has added that the body
 *     does not contain, so that budgets count what it may be
 */
public record CallEnd(
    @Nullable AttemptFailure failure,
    @Nullable TokenUsage usage,
    long outputTokens,
    boolean usesUnseen) {
  /** The end of a call that was never made. */
  public static final CallEnd UNSENT = failed(AttemptFailure.UNSENT);

  /** Returns the end of a call that was answered, in full or in part. */
  public static CallEnd answered(@Nullable TokenUsage usage, long outputTokens) {
    return new CallEnd(null, usage, outputTokens, false);
  }

  /**
   * Returns the end of a call that was answered with that status. An error that states a usage
   * costs that.
   */
  public static CallEnd answered(int status, @Nullable TokenUsage usage, long outputTokens) {
    AttemptFailure failure = AttemptFailure.of(status);
    return usage != null || failure == null || failure == AttemptFailure.BROKEN
        ? answered(usage, outputTokens)
        : failed(failure);
  }

  /** Returns this end as one that leaves the unseen input open. */
  public CallEnd usingUnseen() {
    return new CallEnd(failure, usage, outputTokens, true);
  }

  private static CallEnd failed(AttemptFailure failure) {
    return new CallEnd(failure, null, 0, false);
  }
}
