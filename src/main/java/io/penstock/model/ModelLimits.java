package io.penstock.model;

/**
 * Limits of a model; 0 means unlimited.
 *
 * @param rpm requests in any 60 seconds
 * @param tpm tokens, input plus output, in any 60 seconds
 * @param rpd requests in a day, which lasts 24 h from the first request after the previous day
 *     ended
 */
public record ModelLimits(long rpm, long tpm, long rpd) {
  /** No limits. */
  public static final ModelLimits NONE = new ModelLimits(0, 0, 0);

  public ModelLimits {
    if (rpm < 0 || tpm < 0 || rpd < 0) {
      throw new IllegalArgumentException(
          "limits are %d, %d and %d, expected 0 or more".formatted(rpm, tpm, rpd));
    }
  }
}
