package io.penstock.cost;

import java.util.Collection;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Computes how much a request takes from the limits of one pool, before and after the call.
 *
 * <p>A weight has two parts: the amount <em>taken</em> when the request is released, and the amount
 * <em>reserved</em> while its answer runs and charged as the answer is produced.
 *
 * @param charge the rule by which the provider counts a request
 * @param settlesUsage whether the usage settles even a charge that otherwise stays, whatever the
 *     answer uses
 * @param burndown how many tokens of a limit one token of output takes under {@link
 *     Charge#BEDROCK}, ≥ 1; unused under others
 */
public record Tariff(Charge charge, boolean settlesUsage, int burndown) {
  /** Result when the amount taken at release stays, whatever the usage. */
  public static final long KEEP = -1;

  private static final int FAST_BURNDOWN = 5;

  /** Claude before 3.7, by its names at Bedrock. */
  private static final Pattern EARLY_CLAUDE =
      Pattern.compile("claude-(v?[12]\\b|instant|3-(haiku|sonnet|opus|5))");

  public Tariff {
    if (burndown < 1) {
      throw new IllegalArgumentException("burndown is " + burndown + ", expected at least 1");
    }
  }

  /** Returns the tariff of a rule as its provider describes it, one token for one. */
  public static Tariff of(Charge charge) {
    return new Tariff(charge, false, 1);
  }

  /**
   * Returns the tariff of a pool that {@code models} share, with the highest burndown of any of
   * them.
   */
  public static Tariff of(Charge charge, boolean settlesUsage, Collection<String> models) {
    int burndown = models.stream().mapToInt(Tariff::burndownOf).max().orElse(1);
    return new Tariff(charge, settlesUsage, burndown);
  }

  /**
   * Returns Bedrock's rate for output of {@code model}: 5 for Claude from 3.7 on, 1 for all others.
   */
  static int burndownOf(String model) {
    boolean fast = model.contains("claude") && !EARLY_CLAUDE.matcher(model).find();
    return fast ? FAST_BURNDOWN : 1;
  }

  /** Returns the weight of {@code cost} in a limit of {@code measure}. */
  public Weight weigh(Measure measure, Cost cost) {
    return switch (measure) {
      case REQUESTS -> Weight.exactly(1);
      case CONCURRENCY -> new Weight(0, 1, 0);
      case TOKENS -> new Weight(takenTokens(cost), heldTokens(cost), cost.inputTokens());
      case INPUT_TOKENS -> Weight.exactly(cost.inputTokens());
      case OUTPUT_TOKENS -> new Weight(0, cost.outputTokens(), 0);
    };
  }

  private long takenTokens(Cost cost) {
    if (charge == Charge.WHOLE) {
      return cost.totalTokens();
    }
    return charge.keeps() ? Dimension.STATED.of(cost) : cost.inputTokens();
  }

  private long heldTokens(Cost cost) {
    return switch (charge) {
      case TOTAL, ANTHROPIC -> cost.outputTokens();
      case WHOLE, OPENAI, AZURE, GEMINI -> 0;
      case BEDROCK -> Dimension.MOST.of(cost) - cost.inputTokens();
    };
  }

  /**
   * Returns the dimension with which {@link Weight#amount} grows for a limit of {@code measure}, or
   * null where all requests have the weight one.
   */
  public @Nullable Dimension dimension(Measure measure) {
    return switch (measure) {
      case REQUESTS, CONCURRENCY -> null;
      case TOKENS -> ofTokens();
      case INPUT_TOKENS -> Dimension.INPUT;
      case OUTPUT_TOKENS -> Dimension.OUTPUT;
    };
  }

  private Dimension ofTokens() {
    return switch (charge) {
      case TOTAL, WHOLE, ANTHROPIC -> Dimension.TOTAL;
      case OPENAI, AZURE -> Dimension.STATED;
      case GEMINI -> Dimension.INPUT;
      case BEDROCK -> Dimension.MOST;
    };
  }

  /**
   * Returns the amount that should have been taken at release, given the usage, or {@link #KEEP}
   * when it stays.
   */
  public long settled(Measure measure, Usage usage) {
    return switch (measure) {
      case REQUESTS, CONCURRENCY, OUTPUT_TOKENS -> KEEP;
      case TOKENS -> settledTokens(usage);
      case INPUT_TOKENS -> settledInput(usage);
    };
  }

  /**
   * Returns {@link #settled} for an answer that does not state its usage: its input is as it was
   * expected.
   *
   * @param outputTokens the tokens of the answer that were seen
   */
  public long settled(Measure measure, long inputTokens, long outputTokens) {
    return charge == Charge.WHOLE && measure == Measure.TOKENS ? inputTokens + outputTokens : KEEP;
  }

  private long settledTokens(Usage usage) {
    if (charge == Charge.WHOLE) {
      return usage.totalTokens();
    }
    return charge.keeps() ? settledKept(usage) : settledInput(usage);
  }

  private long settledKept(Usage usage) {
    return settlesUsage ? usage.totalTokens() : KEEP;
  }

  private long settledInput(Usage usage) {
    return charge.cacheReadsAreFree()
        ? usage.inputTokens() - usage.cacheReadTokens()
        : usage.inputTokens();
  }

  /**
   * Returns the amount that {@code outputTokens} tokens just produced charge to a limit of {@code
   * measure}.
   */
  public long produced(Measure measure, long outputTokens) {
    return switch (measure) {
      case REQUESTS, CONCURRENCY, INPUT_TOKENS -> 0;
      case TOKENS -> producedTokens(outputTokens);
      case OUTPUT_TOKENS -> outputTokens;
    };
  }

  private long producedTokens(long outputTokens) {
    return switch (charge) {
      case TOTAL, ANTHROPIC -> outputTokens;
      case WHOLE, OPENAI, AZURE, GEMINI -> 0;
      case BEDROCK -> outputTokens * burndown;
    };
  }
}
