package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.AttemptFailure;
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
    this.limit = metering.limit();
    this.ledger = metering.ledger();
    this.limitMeasure = metering.measure();
    this.chargeRule = chargeRule;
    this.rate = metering.measure() == LimitMeasure.TOKENS ? rate : 1;
    this.ask = demand.ask(limitMeasure, chargeRule).within(limit.capacity());
    this.heldLeft = ask.held();
    this.account = ledger.release(limit.capacity(), ask, now);
    this.cell = limit.take(ask.taken(), ask.held(), now);
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
      cell = limit.move(cell, ask.taken(), now);
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

  /** Settles the charge of an ended answer; {@code usage} may be missing. */
  void settled(@Nullable TokenUsage usage, long counted, long now) {
    ended = true;
    long unsaid = whole() ? ask.least() + counted : ask.taken();
    long used = usage == null ? unsaid : usedInput(usage);
    if (used < ask.taken()) {
      limit.give(cell, ask.taken() - used, 0, now);
    } else if (used > ask.taken()) {
      limit.charge(used - ask.taken(), 0, now);
    }
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
    limit.give(cell, ask.taken(), heldLeft, now);
    heldLeft = 0;
    account.returned();
  }
}
