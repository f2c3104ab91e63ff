package io.penstock.provider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a refused request that a provider's error texts mention.
 *
 * @param requestId its id
 * @param retryAt the instant from which a retry would be served, or null when it is not known
 * @param model the model that it asks for, or null
 * @param maskedKey the key that came with it, {@linkplain #masked masked}, or null when none came
 */
public record RefusedCall(
    String requestId,
    @Nullable Instant retryAt,
    @Nullable String model,
    @Nullable String maskedKey) {
  /** The text in place of a key that may not be shown, or is not kept. */
  public static final String MASKED = "********";

  /** The length from which some characters of a secret are shown. */
  private static final int SHOWN_FROM = 20;

  private static final int LONGEST_MODEL = 200;

  public RefusedCall {
    model =
        model == null || model.length() <= LONGEST_MODEL
            ? model
            : model.substring(0, LONGEST_MODEL);
  }

  /** Returns the facts about a request of which only the id is known. */
  public static RefusedCall of(String requestId) {
    return new RefusedCall(requestId, null, null, null);
  }

  /**
   * Returns what OpenAI shows of a key that it does not know: the beginning and the end of a long
   * one, so that its owner recognises it, and nothing of a short one.
   */
  public static String masked(String secret) {
    if (secret.length() < SHOWN_FROM || !secret.matches("[!-~]+")) {
      return MASKED;
    }
    return secret.substring(0, 3) + MASKED + secret.substring(secret.length() - 4);
  }
}
