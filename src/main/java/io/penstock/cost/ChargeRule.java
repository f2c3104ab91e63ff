package io.penstock.cost;

/**
 * Rule by which a provider counts a request against its limits; {@link PoolTariff} does the sums.
 *
 * <p>Under every rule each request counts one in a limit of requests, taken at release, and
 * separate limits of input and of output count the input at release and the output as it is
 * produced. The rules differ in what a limit of tokens counts, in whether reads from the provider's
 * cache count as input, and in what calls count that the provider refuses.
 */
public enum ChargeRule {
  /**
   * Input at release plus output as it is produced. This is the rule of endpoints, keys and groups,
   * and of providers that count the tokens of both sides.
   */
  TOTAL,

  /**
   * Input and expected output together, at once; nothing more until the usage is known, which then
   * counts. This is how keys and groups are charged for what comes in, before it waits.
   */
  WHOLE,

  /**
   * The larger of the stated maximum and the input, charged at release and kept whatever the answer
   * uses; calls that fail count in full. Source: OpenAI's guide <i>Rate limits</i>
   * (platform.openai.com/docs/guides/rate-limits), which counts a request as the maximum of {@code
   * max_tokens} and an estimate of its prompt, and says that unsuccessful requests contribute to
   * the limit of the minute.
   */
  OPENAI,

  /**
   * As {@link #OPENAI}; the requests of a minute are also limited to their share of one second and
   * of ten. Source: <i>Manage Azure OpenAI quota</i>
   * (learn.microsoft.com/azure/ai-services/openai/how-to/quota): an estimate of prompt, {@code
   * max_tokens} and {@code best_of}, and requests a minute evaluated over 1 or 10 seconds.
   */
  AZURE,

  /**
   * Input without cache reads at release, cache writes included, and output as it is produced; the
   * stated maximum does not matter. Source: Anthropic's page <i>Rate limits</i>
   * (docs.claude.com/en/api/rate-limits): ITPM excludes cache reads, OTPM counts tokens as they are
   * generated, {@code max_tokens} does not factor in. It does not say what a refused call counts: a
   * request that is invalid is taken to count as a request without tokens, and one that is beyond
   * the limits not at all.
   */
  ANTHROPIC,

  /**
   * Input alone, cached or not; output is free. Sources: Gemini's page <i>Rate limits</i>
   * (ai.google.dev/gemini-api/docs/rate-limits): tokens a minute are those of input; requests a day
   * start anew at midnight Pacific time. Its page <i>Billing</i>
   * (ai.google.dev/gemini-api/docs/billing): a request that fails costs no tokens, but still counts
   * against the quota.
   */
  GEMINI,

  /**
   * Input and the stated maximum are reserved from the start. In the end input without cache reads
   * counts, cache writes included, and output times a rate of the model. Source: <i>How tokens are
   * counted in Amazon Bedrock</i>
   * (docs.aws.amazon.com/bedrock/latest/userguide/quotas-token-burndown.html).
   */
  BEDROCK;

  /**
   * Returns whether calls that the provider refuses because of its limits or its load count, at
   * least as requests.
   */
  public boolean countsRejected() {
    return this == GEMINI || countsRefused();
  }

  /**
   * Returns whether calls that the provider refuses for any reason, and that count, count with
   * their tokens too.
   */
  public boolean countsRefused() {
    return this == OPENAI || this == AZURE;
  }

  /**
   * Returns whether requests of a minute are limited to their share of a second and of ten, too.
   */
  public boolean limitsSeconds() {
    return this == AZURE;
  }

  /** Returns whether a day begins at midnight Pacific time, and not with its first request. */
  public boolean daysAreOfPacific() {
    return this == GEMINI;
  }

  /** Returns whether input that will be read from the provider's cache is expected to be free. */
  boolean expectsCacheReads() {
    return this == ANTHROPIC;
  }

  /** Returns whether the amount charged at release stays, whatever the usage. */
  boolean keeps() {
    return this == OPENAI || this == AZURE;
  }

  /** Returns whether input that was read from the provider's cache is free. */
  boolean cacheReadsAreFree() {
    return this == ANTHROPIC || this == BEDROCK;
  }
}
