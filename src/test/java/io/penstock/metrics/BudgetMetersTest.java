package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.cost.TokenUsage;
import io.penstock.fake.MetricsScrape;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyTerms;
import io.penstock.sharing.LocalLimitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BudgetMetersTest {
  private static final String SIZE = "penstock_key_budget_tokens";
  private static final String USED = "penstock_key_budget_used_tokens";
  private static final long NOW = 1_000_000_000L;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final KeyRegistry keys = new KeyRegistry(new LocalLimitSource(), 60_000_000_000L);
  private final List<TokenUsage> passedOn = new ArrayList<>();
  private final BudgetMeters meters =
      new BudgetMeters(registry, keys, () -> NOW, (key, group, model, used) -> passedOn.add(used));

  private static KeySpec key(String name, long budget) {
    return new KeySpec(
        name,
        List.of(new KeySpec.Secret(KeySecrets.sha256(name), KeySpec.NEVER)),
        new KeyTerms(
            new KeySpec.Limits(0, 0, 0, 0, budget, 0),
            Map.of(),
            null,
            KeySpec.Scope.ALL,
            KeySpec.Rank.PLAIN,
            KeySpec.NEVER,
            KeySpec.LimitPolicy.PLAIN));
  }

  /** Uses tokens of a key, as the end of a request does. */
  private void use(String name, long tokens) {
    TokenUsage used = new TokenUsage(tokens, 0, 0);
    ApiCaller caller = Objects.requireNonNull(keys.caller(name, NOW));
    caller.account().chargeLate(null, used, NOW);
    meters.add(name, null, "m", used);
  }

  private double value(String metric, String key) {
    return MetricsScrape.parse(registry.scrape()).sum(metric, Map.of("key", key));
  }

  @Test
  void budget_showsItsSizeAndWhatIsUsed_andUsageIsPassedOn() {
    keys.configure(List.of(key("alice", 1_000), key("free", 0)), List.of(), NOW);
    use("alice", 300);
    use("free", 50);
    assertThat(value(SIZE, "alice")).isEqualTo(1_000);
    assertThat(value(USED, "alice")).isEqualTo(300);
    use("alice", 100);
    assertThat(value(USED, "alice")).isEqualTo(400);
    assertThat(MetricsScrape.parse(registry.scrape()).values(SIZE, "key")).containsExactly("alice");
    assertThat(passedOn).hasSize(3);
    keys.configure(List.of(key("alice", 0)), List.of(), NOW);
    assertThat(value(SIZE, "alice")).isZero();
  }

  @Test
  void keysBeyondTheMaximum_areAddedUpAsOther() {
    int all = BudgetMeters.MAX_KEYS + 3;
    List<String> names = IntStream.range(0, all).mapToObj(i -> "k" + i).toList();
    keys.configure(names.stream().map(name -> key(name, 10)).toList(), List.of(), NOW);
    names.forEach(name -> use(name, 4));
    MetricsScrape scrape = MetricsScrape.parse(registry.scrape());
    assertThat(scrape.values(SIZE, "key")).hasSize(BudgetMeters.MAX_KEYS + 1).contains("other");
    assertThat(value(SIZE, "other")).isEqualTo(30);
    assertThat(value(USED, "other")).isEqualTo(12);
    assertThat(scrape.sum(USED, Map.of())).isEqualTo(4.0 * all);
  }
}
