package io.penstock.mock;

import org.jspecify.annotations.Nullable;

/** What a request to the mock provider asks for, or why it is refused. */
sealed interface MockAsk {
  /**
   * Text.
   *
   * @param form how its answer is written
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
      MockForm form,
      String model,
      long promptTokens,
      long chargedTokens,
      int outputTokens,
      boolean cutShort,
      int answers,
      boolean stream,
      boolean usageEvent)
      implements MockAsk {}

  /** Vectors, one for each of {@code inputs}; a list of them even of one, if {@code list}. */
  record Embed(
      String model, long promptTokens, int inputs, int dimensions, boolean base64, boolean list)
      implements MockAsk {}

  /** How many tokens a prompt has; it counts against no limit. */
  record Count(long tokens) implements MockAsk {}

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

  /**
   * An error.
   *
   * @param param the field at fault, if one is
   * @param retryNanos after which time the same would be admitted; −1 when that is not known
   */
  record Refused(Fault fault, @Nullable String param, String message, long retryNanos)
      implements MockAsk {
    Refused(Fault fault, @Nullable String param, String message) {
      this(fault, param, message, -1);
    }

    static Refused bad(String param, String message) {
      return new Refused(Fault.BAD_REQUEST, param, message);
    }
  }
}
