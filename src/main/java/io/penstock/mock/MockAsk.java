package io.penstock.mock;

import org.jspecify.annotations.Nullable;

/** The content of a request to the mock provider, or the reason why it is refused. */
sealed interface MockAsk {
  /**
   * A request for text.
   *
   * @param form the format of its answer
   * @param model the name in the request
   * @param promptTokens number of tokens of the request's text
   * @param chargedTokens tokens charged to an OpenAI limit
   * @param outputTokens number of tokens of each answer, ≥ 1
   * @param cutShort whether the request's maximum made the answer shorter
   * @param answers number of answers, ≥ 1
   * @param stream whether the answer consists of events
   * @param usageEvent whether an OpenAI stream states its usage
   * @param content what the answer says instead of words, or null
   * @param prompt the blocks of a request to a provider with a cache, or null
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
      boolean usageEvent,
      @Nullable MockContent content,
      @Nullable MockPrompt prompt)
      implements MockAsk {
    /** Creates a request that is answered with words. */
    Generate(
        MockForm form,
        String model,
        long promptTokens,
        long chargedTokens,
        int outputTokens,
        boolean cutShort,
        int answers,
        boolean stream,
        boolean usageEvent) {
      this(
          form,
          model,
          promptTokens,
          chargedTokens,
          outputTokens,
          cutShort,
          answers,
          stream,
          usageEvent,
          null,
          null);
    }

    /**
     * Returns the same request, answered with the first content that is not null. A document may be
     * cut short; a call of a tool for which the maximum leaves no room is not made.
     *
     * @param stated the maximum that the request states, or 0
     */
    Generate saying(int stated, @Nullable MockContent call, @Nullable MockContent document) {
      MockContent said = call != null ? call : document;
      boolean cut = said != null && stated > 0 && stated < said.tokens();
      if (said == null || (cut && said.tool() != null)) {
        return this;
      }
      return new Generate(
          form,
          model,
          promptTokens,
          chargedTokens,
          cut ? stated : said.tokens(),
          cut,
          answers,
          stream,
          usageEvent,
          said,
          prompt);
    }

    /** Returns the same request with the blocks of its prompt. */
    Generate with(MockPrompt blocks) {
      return new Generate(
          form,
          model,
          promptTokens,
          chargedTokens,
          outputTokens,
          cutShort,
          answers,
          stream,
          usageEvent,
          content,
          blocks);
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
