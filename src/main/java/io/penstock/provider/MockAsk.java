package io.penstock.provider;

import org.jspecify.annotations.Nullable;

/** What a request to the mock provider asks for, or why it is refused. */
sealed interface MockAsk {
  /**
   * Text.
   *
   * @param model the name the request gave
   * @param promptTokens what the request's text counts
   * @param chargedTokens what an OpenAI limit is charged for it
   * @param outputTokens how many tokens each answer has, ≥ 1
   * @param cutShort whether the request's maximum made it shorter than it would have been
   * @param answers how many answers, ≥ 1
   * @param stream whether as events
   * @param usageEvent whether an OpenAI stream tells its usage
   */
  record Generate(
      String model,
      long promptTokens,
      long chargedTokens,
      int outputTokens,
      boolean cutShort,
      int answers,
      boolean stream,
      boolean usageEvent)
      implements MockAsk {}

  /** Vectors, one for each of {@code inputs}. */
  record Embed(String model, long promptTokens, int inputs, int dimensions, boolean base64)
      implements MockAsk {}

  /** Why a request gets an error. */
  enum Fault {
    BAD_REQUEST(400),
    NOT_FOUND(404),
    BAD_METHOD(405),
    TOO_LARGE(413),
    OVER_REQUESTS(429),
    OVER_TOKENS(429),
    BROKEN(500);

    final int status;

    Fault(int status) {
      this.status = status;
    }
  }

  /** An error; {@code param} names the field at fault, if one is. */
  record Refused(Fault fault, @Nullable String param, String message) implements MockAsk {
    static Refused bad(String param, String message) {
      return new Refused(Fault.BAD_REQUEST, param, message);
    }
  }
}
