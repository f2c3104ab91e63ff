package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.UpstreamSpec;
import io.penstock.simulator.OracleLimit.Ask;
import org.jspecify.annotations.Nullable;

/**
 * A charge of one ticket to one limit, as the oracle counts it, together with the provider's view.
 */
final class OracleSpend {
  private final OracleLimit limit;
  private final ProviderLedger ledger;
  private final LimitMeasure limitMeasure;
  private final ChargeRule chargeRule;

  /** Tokens of the limit for one token of output. */
  private final long rate;

  private final Ask ask;
  private final ProviderLedger.Account account;

  /** The part of what was taken that is merely expected. */
  private final long expected;

  /** The certain part, as it was expected or has been stated. */
  private long least;

  /** The rest of the first take, the rest of the last addition to it, and all earlier additions. */
  private long takenLeft;

  private long addedLeft;
  private long addedCell;
  private long addedBefore;

  /** The open discount for a read that is expected; 0 once the answer has stated its input. */
  private long discount;

  /** Whether the next statement of its input tells whether caches are read as expected. */
  private boolean expectsReads;

  private final int doubtsBefore;

  private final long takenAt;
  private long cell;
  private boolean ended;
  private long heldLeft;
  private long charged;
  private long seen;
  private long lastSubCell = Long.MIN_VALUE;
  private long lastCell;
  private long lastAmount;

  OracleSpend(Metering metering, ChargeRule chargeRule, long rate, SimDemand demand, long now) {
    this(metering, chargeRule, rate, demand.ask(metering.measure(), chargeRule), 0, 0, now);
  }

  /** Creates the charge of an upstream. */
  OracleSpend(
      Metering metering, UpstreamSpec.Budget budget, long rate, SimDemand demand, long now) {
    this(
        metering,
        budget.charge(),
        rate,
        demand.ask(metering, budget),
        demand.ask(metering.measure(), budget.charge()).taken()
            - demand.ask(metering, budget).taken(),
        metering.limit().bound(budget.cacheTrust()),
        now);
    this.expectsReads = budget.expectsReads();
  }

  private OracleSpend(
      Metering metering,
      ChargeRule chargeRule,
      long rate,
      Ask demand,
      long discount,
      long bound,
      long now) {
    this.limit = metering.limit();
    this.doubtsBefore = limit.doubts();
    this.ledger = metering.ledger();
    this.limitMeasure = metering.measure();
    this.chargeRule = chargeRule;
    this.rate = metering.measure() == LimitMeasure.TOKENS ? rate : 1;
    this.ask = demand.within(limit.capacity());
    this.heldLeft = ask.held();
    this.takenLeft = ask.taken();
    this.least = ask.least();
    this.expected = Math.max(0, ask.taken() - ask.least());
    this.discount = discount;
    this.account = ledger.release(limit.capacity(), ask, discount, bound, now);
    this.cell = limit.take(ask.taken(), ask.held(), now);
    limit.discounted(discount);
    this.takenAt = now;
  }

  /** A limit with its measure and the provider's view of it. */
  record Metering(LimitMeasure measure, OracleLimit limit, ProviderLedger ledger) {}

  private boolean countsOutput() {
    return limitMeasure == LimitMeasure.OUTPUT_TOKENS
        || (limitMeasure == LimitMeasure.TOKENS
            && !keeps()
            && !whole()
            && chargeRule != ChargeRule.GEMINI);
  }

  /** Returns whether output was taken with the input, and is settled with it. */
  private boolean whole() {
    return limitMeasure == LimitMeasure.TOKENS && chargeRule == ChargeRule.WHOLE;
  }

  /** Returns whether the amount taken is kept at settlement. */
  private boolean keeps() {
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY, OUTPUT_TOKENS -> true;
      case TOKENS -> chargeRule == ChargeRule.OPENAI || chargeRule == ChargeRule.AZURE;
      case INPUT_TOKENS -> false;
    };
  }

  /**
   * Notes that the request was written; if that took longer than the guard, it counts from then.
   */
  void written(long now) {
    boolean late =
        limit.spec() instanceof LimitSpec.TrailingWindow window
            && now - takenAt > window.guardNanos();
    if (late && !ended) {
      cell = limit.move(cell, takenLeft, now);
    }
  }

  /** Charges the output produced so far. */
  void produced(long tokens, long now) {
    seen = Math.max(seen, tokens);
    if (!countsOutput()) {
      return;
    }
    // Output of a running attempt counts until the attempt turns out to be in vain.
    account.produced(seen * rate, now);
    long output = tokens * rate;
    long subCell = now / limit.subCell();
    if (subCell != lastSubCell && output > charged) {
      chargeOutput(output, now);
      lastSubCell = subCell;
    }
  }

  private void chargeOutput(long output, long now) {
    long more = output - charged;
    long released = Math.min(more, heldLeft);
    lastCell = limit.charge(cell, more, released, now);
    lastAmount = more;
    heldLeft -= released;
    charged += more;
  }

  /** Returns what counts now as taken at release. */
  private long taken() {
    return takenLeft + addedBefore + addedLeft;
  }

  /** Replaces the expected input by the real one, while the answer still runs. */
  void stated(TokenUsage usage, long now) {
    boolean input =
        limitMeasure == LimitMeasure.TOKENS || limitMeasure == LimitMeasure.INPUT_TOKENS;
    boolean atOnce =
        switch (chargeRule) {
          case TOTAL, WHOLE, ANTHROPIC, GEMINI -> true;
          case OPENAI, AZURE, BEDROCK -> false;
        };
    if (ended || !input || !atOnce) {
      return;
    }
    long used = whole() ? usage.inputTokens() + expected : usedInput(usage);
    if (expectsReads && expected + discount > 0) {
      expectsReads = false; // each answer says it once
      limit.readMissing(
          Math.clamp(used - least, 0, expected + discount), expected + discount, doubtsBefore);
    }
    least = Math.max(0, used - expected);
    adjust(used, now);
    closeDiscount();
    account.stated(used);
  }

  private void closeDiscount() {
    limit.discounted(-discount);
    discount = 0;
  }

  /** Makes an amount count as taken at release: what is missing counts from now on. */
  private void adjust(long used, long now) {
    if (used > taken()) {
      long more = used - taken();
      addedBefore += addedLeft;
      addedLeft = more;
      addedCell = limit.charge(addedLeft, 0, now);
    } else if (used < taken()) {
      long back = taken() - used;
      long ofAdded = Math.min(back, addedLeft);
      if (ofAdded > 0) {
        limit.give(addedCell, ofAdded, 0, now);
        addedLeft -= ofAdded;
      }
      long ofFirst = Math.min(back - ofAdded, takenLeft);
      if (ofFirst > 0) {
        limit.give(cell, ofFirst, 0, now);
        takenLeft -= ofFirst;
      }
    }
  }

  /** Settles the charge of an ended answer; {@code usage} may be missing. */
  void settled(@Nullable TokenUsage usage, long counted, long now) {
    ended = true;
    long unsaid = whole() ? least + counted : taken() + discount;
    long used = usage == null ? unsaid : usedInput(usage);
    adjust(used, now);
    closeDiscount();
    if (countsOutput()) {
      long output = (usage == null ? counted : usage.outputTokens()) * rate;
      if (output > charged) {
        chargeOutput(output, now);
      } else if (output < charged) {
        limit.give(lastCell, Math.min(lastAmount, charged - output), 0, now);
      }
      account.produced(output, now);
    }
    letGo(now);
    account.settled(used);
  }

  private long usedInput(TokenUsage usage) {
    if (keeps()) {
      return ask.taken();
    }
    if (whole()) {
      return usage.totalTokens();
    }
    return chargeRule == ChargeRule.ANTHROPIC || chargeRule == ChargeRule.BEDROCK
        ? usage.inputTokens() - usage.cacheReadTokens()
        : usage.inputTokens();
  }

  private void letGo(long now) {
    if (heldLeft > 0) {
      limit.give(cell, 0, heldLeft, now);
      heldLeft = 0;
    }
  }

  /** Settles the charge of a failed attempt. */
  void failed(AttemptFailure failure, long now) {
    switch (failure) {
      case UNSENT -> returned(now);
      case REJECTED -> {
        if (limit.discounts() > 0) {
          limit.doubt();
        }
        switch (chargeRule) {
          case OPENAI, AZURE -> settled(null, 0, now);
          case GEMINI -> settled(TokenUsage.NONE, 0, now);
          default -> returned(now);
        }
      }
      case REFUSED -> {
        boolean inFull = chargeRule == ChargeRule.OPENAI || chargeRule == ChargeRule.AZURE;
        settled(inFull ? null : TokenUsage.NONE, 0, now);
      }
      case BROKEN -> settled(null, seen, now);
    }
  }

  /** Gives everything back, because it never ran. */
  void returned(long now) {
    ended = true;
    limit.give(cell, takenLeft, heldLeft, now);
    heldLeft = 0;
    closeDiscount();
    account.returned();
  }
}
