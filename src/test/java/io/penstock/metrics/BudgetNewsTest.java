package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.cost.TokenUsage;
import io.penstock.event.Event;
import io.penstock.fake.RecordedEvents;
import io.penstock.key.ApiCaller;
import io.penstock.key.GroupSpec;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyTerms;
import io.penstock.sharing.LocalLimitSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BudgetNewsTest {
  private static final long DAY = 24 * 3_600_000_000_000L;

  private final RecordedEvents events = new RecordedEvents();
  private final KeyRegistry keys = new KeyRegistry(new LocalLimitSource(), 60_000_000_000L);
  private long now = 1_000_000_000L;
  private final BudgetNews news =
      new BudgetNews(events, keys, () -> now, (key, group, model, used) -> {});

  private static KeySpec key(long budget) {
    return key(budget, null);
  }

  private static KeySpec key(long budget, @Nullable String group) {
    return new KeySpec(
        "alice",
        List.of(new KeySpec.Secret(KeySecrets.sha256("alice"), KeySpec.NEVER)),
        new KeyTerms(
            new KeySpec.Limits(0, 0, 0, 0, budget, 0),
            Map.of(),
            group,
            KeySpec.Scope.ALL,
            KeySpec.Rank.PLAIN,
            KeySpec.NEVER,
            KeySpec.LimitPolicy.PLAIN));
  }

  private void use(long tokens) {
    TokenUsage used = new TokenUsage(tokens, 0, 0);
    ApiCaller caller = Objects.requireNonNull(keys.caller("alice", now));
    caller.account().chargeLate(null, used, now);
    news.add("alice", "team", "m", used);
  }

  private List<Integer> told() {
    return events.of(Event.BudgetUsed.class).stream().map(Event.BudgetUsed::percent).toList();
  }

  @Test
  void eachPercentage_isToldOnceADay() {
    keys.configure(List.of(key(1_000)), List.of(), now);
    use(799);
    assertThat(told()).isEmpty();
    use(1);
    use(1);
    assertThat(told()).containsExactly(80);
    use(300);
    use(1);
    assertThat(told()).containsExactly(80, 100);
    assertThat(events.of(Event.BudgetUsed.class).getFirst())
        .isEqualTo(new Event.BudgetUsed(now, "key alice", "1000 tokens a day", 80, 800, 1_000));
    now += 2 * DAY;
    use(900);
    assertThat(told()).containsExactly(80, 100, 80);
  }

  @Test
  void budgetsOfTheGroup_areToldToo() {
    GroupSpec team = new GroupSpec("team", 0, 0, 0, 500, 1_000);
    keys.configure(List.of(key(0, "team")), List.of(team), now);
    use(450);
    now += 2 * DAY;
    use(400);
    assertThat(events.of(Event.BudgetUsed.class))
        .extracting(Event.BudgetUsed::owner, Event.BudgetUsed::budget, Event.BudgetUsed::percent)
        .containsExactly(
            tuple("group team", "500 tokens a day", 80),
            tuple("group team", "500 tokens a day", 80),
            tuple("group team", "1000 tokens a month", 80));
  }

  @Test
  void oneUsageReachesBoth_onlyTheHigherIsTold() {
    keys.configure(List.of(key(1_000)), List.of(), now);
    use(1_000);
    assertThat(told()).containsExactly(100);
  }

  @Test
  void budgetIsGivenBack_bothAreToldAgain() {
    keys.configure(List.of(key(1_000)), List.of(), now);
    use(1_000);
    keys.resetBudget(Objects.requireNonNull(keys.find("alice")), now);
    use(850);
    use(1);
    use(200);
    assertThat(told()).containsExactly(100, 80, 100);
  }

  @Test
  void keyWithoutABudget_andUsageWithoutAKey_tellNothing() {
    keys.configure(List.of(key(0)), List.of(), now);
    use(1_000);
    news.add(null, null, "m", new TokenUsage(1, 0, 0));
    news.add("gone", null, "m", new TokenUsage(1, 0, 0));
    assertThat(told()).isEmpty();
  }

  @Test
  void manySettleAtOnce_eachPercentageIsToldOnce() {
    keys.configure(List.of(key(1_000)), List.of(), now);
    IntStream.range(0, 1_000).parallel().forEach(each -> use(1));
    assertThat(told()).containsExactly(80, 100);
  }
}
