package io.penstock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.penstock.cost.TokenUsage;
import io.penstock.usage.UsageLedger;
import io.penstock.usage.UsageSink;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counters of input tokens by key, model and use of the provider's cache, which pass all usage on
 * to another sink. Keys and models beyond a maximum are counted together as {@code other}. Safe
 * from any thread.
 */
public final class InputMeters implements UsageSink {
  /** Maximum number of keys with labels of their own. */
  static final int MAX_KEYS = 100;

  private static final String NAME = "penstock.input.tokens";
  private static final int BUDGET = 24 * 1_024;

  /** The use of the cache, as the value of a label. */
  private enum Cache {
    NONE,
    READ,
    WRITE,
    WRITE_1H
  }

  private record Kind(String key, String model, Cache cache) {
    Kind together() {
      return new Kind(BoundedLabels.OTHER, BoundedLabels.OTHER, cache);
    }

    Tags tags() {
      return Tags.of("key", key, "model", model, "cache", cache.name().toLowerCase(Locale.ROOT));
    }
  }

  private final MeterRegistry registry;
  private final UsageSink next;
  private final BoundedLabels keys = new BoundedLabels(MAX_KEYS);
  private final BoundedLabels models = new BoundedLabels(GatewayMeters.MAX_MODELS);
  private final ScrapeBudget scrapeBudget = new ScrapeBudget(BUDGET);
  private final Map<Kind, Counter> counters = new ConcurrentHashMap<>();

  /** Creates an object without meters; they appear as they are needed. */
  public InputMeters(MeterRegistry registry, UsageSink next) {
    this.registry = registry;
    this.next = next;
  }

  @Override
  public void add(
      @Nullable String key, @Nullable String group, @Nullable String model, TokenUsage used) {
    next.add(key, group, model, used);
    String payer = keys.of(key == null ? UsageLedger.ANONYMOUS : key);
    String name = models.of(model);
    long read = used.cacheReadTokens();
    long written = used.cacheWriteTokens();
    long forHour = used.cacheWriteHourTokens();
    count(new Kind(payer, name, Cache.NONE), used.inputTokens() - read - written);
    count(new Kind(payer, name, Cache.READ), read);
    count(new Kind(payer, name, Cache.WRITE), written - forHour);
    count(new Kind(payer, name, Cache.WRITE_1H), forHour);
  }

  private void count(Kind kind, long tokens) {
    if (tokens > 0) {
      Counter known = counters.get(kind);
      Counter counter = known == null ? counters.computeIfAbsent(kind, this::made) : known;
      counter.increment((double) tokens);
    }
  }

  private Counter made(Kind kind) {
    boolean own = scrapeBudget.take(ScrapeBudget.lines(1, NAME, kind.tags()));
    return Counter.builder(NAME)
        .description("Input tokens that were used, by what the provider's cache did with them")
        .tags((own ? kind : kind.together()).tags())
        .register(registry);
  }
}
