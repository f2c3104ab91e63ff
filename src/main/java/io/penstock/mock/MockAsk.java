package io.penstock.mock;

import org.jspecify.annotations.Nullable;

/** The content of a request to the mock provider, or the reason why it is refused. */
sealed interface MockAsk {
  /**
   * A request for text.
   *
   * @param form the format of its answer
   * @param model the name in the request
   * @param input its input
   * @param outputTokens number of tokens of each answer, ≥ 1; 0 if the request wants no output
   * @param said what the answer says
   * @param answers number of answers, ≥ 1
   * @param stream whether the answer consists of events
   * @param usageEvent whether an OpenAI stream states its usage
   */
  record Generate(
      MockForm form,
      String model,
      Input input,
      int outputTokens,
      Said said,
      int answers,
      boolean stream,
      boolean usageEvent)
      implements MockAsk {
    /**
     * Returns the same request, answered with the first content that is not null. A document may be
     * cut short; a call of a tool for which the maximum leaves no room is not made.
     *
     * @param stated the maximum that the request states, or 0
     */
    Generate saying(int stated, @Nullable MockContent call, @Nullable MockContent document) {
      MockContent content = call != null ? call : document;
      boolean cut = content != null && stated > 0 && stated < content.tokens();
      if (content == null || (cut && content.tool() != null)) {
        return this;
      }
      int tokens = cut ? stated : content.tokens();
      return new Generate(
          form, model, input, tokens, new Said(cut, content), answers, stream, usageEvent);
    }

    /** Returns the same request, whose input is read and which is answered with no output. */
    Generate withoutOutput() {
      return new Generate(form, model, input, 0, Said.words(false), answers, stream, usageEvent);
    }
  }

  /**
   * Input of a request for text.
   *
   * @param tokens number of tokens of the request's text
   * @param chargedTokens tokens charged to an OpenAI limit
   * @param blocks the blocks of a request to a provider with a cache, or null
   */
  record Input(long tokens, long chargedTokens, @Nullable MockPrompt blocks) {}

  /**
   * Text and shape that an answer has.
   *
   * @param cutShort whether the request's maximum made it shorter
   * @param content what it says instead of words, or null
   */
  record Said(boolean cutShort, @Nullable MockContent content) {
    static Said words(boolean cutShort) {
      return new Said(cutShort, null);
    }
  }

  /**
   * A request for vectors, one for each of {@code inputs}; with {@code list}, answered by a list
   * even if it is only one.
   */
  record Embed(
      String model, long promptTokens, int inputs, int dimensions, boolean base64, boolean list)
      implements MockAsk {}

  /** A request to count the tokens of a prompt; it is not subject to limits. */
  record Count(long tokens) implements MockAsk {}

  /** The reason why a request gets an error. */
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
   * A request that gets an error.
   *
   * @param param the invalid field, if any
   * @param retryNanos time after which the same request would be admitted; −1 if unknown
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
