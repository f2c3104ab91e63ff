package io.penstock.quota;

/**
 * What a model may be asked; 0 is unlimited.
 *
 * @param rpm requests in any 60 seconds
 * @param tpm tokens, input plus output, in any 60 seconds
 * @param rpd requests in 24 h from the first after the last day ended
 */
public record ModelLimits(long rpm, long tpm, long rpd) {
  /** No limit at all. */
  public static final ModelLimits NONE = new ModelLimits(0, 0, 0);

  public ModelLimits {
    if (rpm < 0 || tpm < 0 || rpd < 0) {
      throw new IllegalArgumentException(
          "limits are %d, %d and %d, expected 0 or more".formatted(rpm, tpm, rpd));
    }
  }
}
