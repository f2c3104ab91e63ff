package io.penstock.model;

import io.penstock.cost.Cost;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelDecision.Code;
import io.penstock.model.ModelDecision.Stats;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether programs that call a provider themselves may send a request to a model, and
 * records what they used. It uses the same quotas as proxied requests. Safe from any thread.
 */
public final class DecisionService {
  /**
   * A known model with its usage.
   *
   * @param source {@code profile}, {@code routes} or {@code override}: where the limits in force
   *     come from
   * @param traffic whether proxied requests face its limits
   */
  public record Overview(
      String model, String source, boolean traffic, double utilization, Stats stats) {}

  private final ModelQuotas models;

  /** Creates a service that decides about the same models as traffic. */
  public DecisionService(ModelQuotas models) {
    this.models = models;
  }

  /**
   * Returns the known models, sorted by name: all, or only the one that {@code model} counts as.
   */
  public List<Overview> list(@Nullable String model, long now) {
    ModelNames.Known asked = model == null ? null : models.known(model);
    return models.known().stream()
        .filter(known -> model == null || known.equals(asked))
        .sorted(Comparator.comparing(ModelNames.Known::name))
        .map(known -> overview(known, now))
        .toList();
  }

  private Overview overview(ModelNames.Known known, long now) {
    // Listing creates no quotas: there may be very many models without requests.
    Quota quota = models.used(known, now);
    return new Overview(
        known.name(),
        known.source().text(),
        known.traffic() && !known.limits().equals(ModelLimits.NONE),
        quota == null ? 0 : quota.utilization(now),
        stats(known, quota, now));
  }

  /** Decides whether a request of {@code tokens} tokens may go to a model now. Records nothing. */
  public ModelDecision decide(String model, long tokens, long now) {
    ModelNames.Known known = models.known(model);
    if (known == null) {
      Stats none = Stats.none(now - models.windowNanos());
      return tokens < 0 || tokens > Cost.MAX_TOKENS
          ? invalid(tokens, 0, none)
          : allowed(Code.UNKNOWN_MODEL, "nothing is known of this model", 0, none, now);
    }
    Quota quota = models.quota(known, now);
    Stats stats = stats(known, quota, now);
    double utilization = quota.utilization(now);
    if (tokens < 0 || tokens > Cost.MAX_TOKENS) {
      return invalid(tokens, utilization, stats);
    }
    if (known.limits().equals(ModelLimits.NONE)) {
      return allowed(Code.UNLIMITED, "this model has no limit", utilization, stats, now);
    }
    ModelDecision denied = denied(quota, tokens, utilization, stats, now);
    return denied == null ? allowed(Code.OK, "there is room", utilization, stats, now) : denied;
  }

  private static ModelDecision invalid(long tokens, double utilization, Stats stats) {
    return new ModelDecision(
        Code.INVALID_TOKENS,
        "tokens is %d, expected 0 to %d".formatted(tokens, Cost.MAX_TOKENS),
        false,
        Ticker.NEVER,
        utilization,
        stats);
  }

  private static ModelDecision allowed(
      Code code, String reason, double utilization, Stats stats, long now) {
    return new ModelDecision(code, reason, true, now, utilization, stats);
  }

  /**
   * Returns a denial with the first limit that denies the request and the instant from which none
   * does, or null when none does now.
   */
  private static @Nullable ModelDecision denied(
      Quota quota, long tokens, double utilization, Stats stats, long now) {
    List<MeteredLimit> limits = quota.limits();
    Code code = null;
    boolean possible = true;
    long opens = now;
    for (int each = 0; each < limits.size(); each++) {
      Code exceeded = ModelQuotas.EXCEEDED.get(each);
      long amount = exceeded == Code.TPM_EXCEEDED ? tokens : 1;
      Limit limit = limits.get(each).limit();
      switch (limit.decide(Weight.exactly(amount), now)) {
        case LimitAnswer.Receipt receipt -> {
          continue;
        }
        case LimitAnswer.Wait(long until) -> {
          limit.recordDemand(amount, now);
          if (limit.sharing().isAwaitingShare(amount, now)
              && amount <= limit.remainder(now).amount()) {
            continue; // it is left, but this instance does not have it yet
          }
          opens = Math.max(opens, until);
        }
        case LimitAnswer.Refuse refuse -> {
          possible = false;
          opens = Ticker.NEVER;
        }
      }
      code = code == null ? exceeded : code;
    }
    if (code == null && quota.waitList().isClaimed()) {
      code = stats.limits().tpm() > 0 ? Code.TPM_EXCEEDED : Code.RPM_EXCEEDED;
      return new ModelDecision(
          code, "what is left is kept for one who waits", true, Ticker.NEVER, utilization, stats);
    }
    return code == null
        ? null
        : new ModelDecision(code, reason(code, tokens, stats), possible, opens, utilization, stats);
  }

  private static String reason(Code code, long tokens, Stats stats) {
    ModelLimits most = stats.limits();
    return switch (code) {
      case RPD_EXCEEDED ->
          "%d of %d requests of the day are used".formatted(stats.rpd(), most.rpd());
      case RPM_EXCEEDED ->
          "%d of %d requests of the minute are used".formatted(stats.rpm(), most.rpm());
      case TPM_EXCEEDED ->
          tokens > most.tpm()
              ? "%d tokens are more than the %d of a minute".formatted(tokens, most.tpm())
              : "%d of %d tokens of the minute are used, %d more do not fit"
                  .formatted(stats.tpm(), most.tpm(), tokens);
      case OK, UNKNOWN_MODEL, UNLIMITED, INVALID_TOKENS -> code.text();
    };
  }

  private Stats stats(ModelNames.Known known, @Nullable Quota quota, long now) {
    List<MeteredLimit> limits = quota == null ? List.of() : quota.limits();
    long windowStart = now - models.windowNanos();
    if (limits.size() < ModelQuotas.EXCEEDED.size()) {
      return new Stats(known.limits(), 0, 0, 0, windowStart, Ticker.NEVER);
    }
    Limit day = limits.get(0).limit();
    long rpd = day.used(now);
    return new Stats(
        known.limits(),
        limits.get(1).limit().used(now),
        limits.get(2).limit().used(now),
        rpd,
        windowStart,
        rpd == 0 ? Ticker.NEVER : day.fullyFreeAt(now) - LimitSpec.Day.NANOS);
  }

  /**
   * Records a request that was sent, whether it was allowed or not. Returns false and records
   * nothing when the model is unknown.
   *
   * @param tokens input and output together, 0 to 2 × {@link Cost#MAX_TOKENS}
   */
  public boolean record(String model, long tokens, long now) {
    ModelNames.Known known = models.known(model);
    if (known == null) {
      return false;
    }
    List<MeteredLimit> limits = models.quota(known, now).limits();
    for (int each = 0; each < limits.size(); each++) {
      long amount = ModelQuotas.EXCEEDED.get(each) == Code.TPM_EXCEEDED ? tokens : 1;
      limits.get(each).limit().charge(amount, 0, now);
    }
    return true;
  }
}
