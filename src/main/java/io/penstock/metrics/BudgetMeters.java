package io.penstock.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.penstock.cost.TokenUsage;
import io.penstock.key.KeyRegistry;
import io.penstock.quota.LimitUse;
import io.penstock.time.Ticker;
import io.penstock.usage.UsageSink;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the budgets of keys: their size, and what is used of them. All usage is passed on to
 * another sink. A key gets its gauges with its first usage; keys beyond a maximum are added up as
 * {@code other}. A budget of which nothing counts is 0 in both. Safe from any thread.
 */
public final class BudgetMeters implements UsageSink {
  /** Maximum number of keys with labels of their own. */
  static final int MAX_KEYS = 200;

  private final MeterRegistry meters;
  private final KeyRegistry keys;
  private final Ticker ticker;
  private final UsageSink next;
  private final BoundedLabels labels = new BoundedLabels(MAX_KEYS);

  /** Creates an object without meters; they appear as they are needed. */
  public BudgetMeters(MeterRegistry meters, KeyRegistry keys, Ticker ticker, UsageSink next) {
    this.meters = meters;
    this.keys = keys;
    this.ticker = ticker;
    this.next = next;
  }

  @Override
  public void add(
      @Nullable String key, @Nullable String group, @Nullable String model, TokenUsage used) {
    next.add(key, group, model, used);
    if (key == null || labels.has(key) || !keys.hasBudget(key)) {
      return;
    }
    if (labels.of(key).equals(key)) {
      gauges(key, () -> keys.budgetUses(key, ticker.nanos()));
    } else {
      gauges(BoundedLabels.OTHER, () -> keys.budgetUses(name -> !labels.has(name), ticker.nanos()));
    }
  }

  /** Creates the gauges of a label, unless they exist. */
  private void gauges(String label, Supplier<List<LimitUse>> budgets) {
    Tags tags = Tags.of("key", label);
    Gauge.builder("penstock.key.budget.tokens", () -> sum(budgets, LimitUse::size))
        .description("Tokens that the daily budget of a key admits")
        .tags(tags)
        .register(meters);
    Gauge.builder("penstock.key.budget.used.tokens", () -> sum(budgets, LimitUse::used))
        .description("Tokens that are used of the daily budget of a key")
        .tags(tags)
        .register(meters);
  }

  private static long sum(Supplier<List<LimitUse>> budgets, ToLongFunction<LimitUse> amount) {
    return budgets.get().stream().mapToLong(amount).sum();
  }
}
