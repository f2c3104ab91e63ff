package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.pool.UpstreamSpec;
import io.penstock.simulator.OracleLimit.Ask;

/** The demand of one request in each measure. */
final class SimDemand {
  private final Ask request;
  private final Ask running;
  private final Ask input;
  private final Ask output;
  private final Ask tokens;
  private final Ask whole;
  private final Ask stated;
  private final Ask most;
  private final long read;

  SimDemand(Cost cost) {
    this.read = cost.cachedTokens();
    this.request = ask(LimitMeasure.REQUESTS, ChargeRule.TOTAL, cost);
    this.running = ask(LimitMeasure.CONCURRENCY, ChargeRule.TOTAL, cost);
    this.input = ask(LimitMeasure.INPUT_TOKENS, ChargeRule.TOTAL, cost);
    this.output = ask(LimitMeasure.OUTPUT_TOKENS, ChargeRule.TOTAL, cost);
    this.tokens = ask(LimitMeasure.TOKENS, ChargeRule.TOTAL, cost);
    this.whole = ask(LimitMeasure.TOKENS, ChargeRule.WHOLE, cost);
    this.stated = ask(LimitMeasure.TOKENS, ChargeRule.OPENAI, cost);
    this.most = ask(LimitMeasure.TOKENS, ChargeRule.BEDROCK, cost);
  }

  /**
   * Returns the demand on a limit of an upstream now: what a cache is expected to have is left out
   * as far as the limit may be left uncharged.
   */
  Ask ask(OracleSpend.Metering metering, UpstreamSpec.Budget budget) {
    Ask whole = ask(metering.measure(), budget.charge());
    boolean input =
        metering.measure() == LimitMeasure.TOKENS
            || metering.measure() == LimitMeasure.INPUT_TOKENS;
    boolean expects = budget.charge() == ChargeRule.ANTHROPIC && budget.cacheTrust() > 0;
    if (read == 0 || !input || !expects) {
      return whole;
    }
    long less = metering.limit().discount(read, budget.cacheTrust());
    return new Ask(whole.taken() - less, whole.held(), whole.least() - read);
  }

  /** Returns the demand of a cost in a measure: contract 4.3 and 4.4. */
  private static Ask ask(LimitMeasure limitMeasure, ChargeRule chargeRule, Cost cost) {
    long input = cost.inputTokens();
    long output = cost.outputTokens();
    return switch (limitMeasure) {
      case REQUESTS -> new Ask(1, 0, 1);
      case CONCURRENCY -> new Ask(0, 1, 0);
      case INPUT_TOKENS -> new Ask(input, 0, input);
      case OUTPUT_TOKENS -> new Ask(0, output, 0);
      case TOKENS ->
          switch (chargeRule) {
            case TOTAL, ANTHROPIC -> new Ask(input, output, input);
            case WHOLE -> new Ask(input + output, 0, input);
            case OPENAI, AZURE -> {
              long most = Math.max(input, cost.statedOutputTokens());
              yield new Ask(most, 0, input, most);
            }
            case GEMINI -> new Ask(input, 0, input);
            case BEDROCK -> {
              long stated = cost.statedOutputTokens();
              yield new Ask(input, Math.max(output, stated), input, input + stated);
            }
          };
    };
  }

  /** Returns the demand in a measure; charge rules count tokens differently. */
  Ask ask(LimitMeasure limitMeasure, ChargeRule chargeRule) {
    return switch (limitMeasure) {
      case REQUESTS -> request;
      case CONCURRENCY -> running;
      case INPUT_TOKENS -> input;
      case OUTPUT_TOKENS -> output;
      case TOKENS ->
          switch (chargeRule) {
            case TOTAL, ANTHROPIC -> tokens;
            case WHOLE -> whole;
            case OPENAI, AZURE -> stated;
            case GEMINI -> input;
            case BEDROCK -> most;
          };
    };
  }
}
