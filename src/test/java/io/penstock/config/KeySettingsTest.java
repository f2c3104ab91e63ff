package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.AllowedCalls;
import io.penstock.cost.ExcessOutput;
import io.penstock.key.GroupSpec;
import io.penstock.key.KeySpec;
import io.penstock.key.KeySpec.Limits;
import io.penstock.key.KeySpec.ModelLimits;
import io.penstock.key.KeySpec.Rank;
import io.penstock.key.KeySpec.Scope;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Default and configured values of keys, groups and quotas of models. */
class KeySettingsTest {
  static final String HASH = "0123456789abcdef".repeat(4);
  private static final String ENDPOINT = "endpoints: [{path: /a}]\n";

  @TempDir Path directory;

  /** One setting: its value if unset and if set, and its shown form; null means absent. */
  record Case(
      String name,
      String text,
      Function<KeySpec, @Nullable Object> read,
      @Nullable Object otherwise,
      Object becomes,
      Object shown) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Case of(
      String name,
      String text,
      Function<KeySpec, @Nullable Object> read,
      @Nullable Object otherwise,
      Object becomes,
      Object shown) {
    return new Case(name, text, read, otherwise, becomes, shown);
  }

  static Stream<Case> cases() {
    return Stream.of(
        of("rpm", "60", k -> k.terms().limits().rpm(), 0L, 60L, 60L),
        of("tpm", "1_000", k -> k.terms().limits().tpm(), 0L, 1000L, 1000L),
        of("rpd", "7", k -> k.terms().limits().rpd(), 0L, 7L, 7L),
        of("concurrency", "3", k -> k.terms().limits().concurrency(), 0L, 3L, 3L),
        of("budget_tokens_per_day", "9", k -> k.terms().limits().budgetTokensPerDay(), 0L, 9L, 9L),
        of("max_output_tokens", "8", k -> k.terms().limits().maxOutputTokens(), 0L, 8L, 8L),
        of("light_rpm", "0", k -> k.terms().limits().lightRpm(), 600L, 0L, 0L),
        of(
            "models",
            "{m: {rpm: 5}, n: {tpm: 6}}",
            k -> k.terms().models(),
            Map.of(),
            Map.of("m", new ModelLimits(5, 0), "n", new ModelLimits(0, 6)),
            Map.of("m", Map.of("rpm", 5L, "tpm", 0L), "n", Map.of("rpm", 0L, "tpm", 6L))),
        of("group", "team", k -> k.terms().group(), null, "team", "team"),
        of(
            "allowed_models",
            "[n, m]",
            k -> k.terms().scope().models(),
            null,
            Set.of("m", "n"),
            List.of("m", "n")),
        of(
            "allowed_endpoints",
            "[/a/, //b]",
            k -> k.terms().scope().endpoints(),
            null,
            Set.of("/a", "/b"),
            List.of("/a", "/b")),
        of(
            "calls",
            "weighed",
            k -> k.terms().scope().calls(),
            AllowedCalls.ALL,
            AllowedCalls.WEIGHED,
            "weighed"),
        of("priority", "-2", k -> k.terms().rank().priority(), 0, -2, -2L),
        of("max_priority", "9", k -> k.terms().rank().maxPriority(), 0, 9, 9L),
        of("weight", "5", k -> k.terms().rank().weight(), 1, 5, 5L),
        of(
            "expires_at",
            "2027-01-31T12:00:00+01:00",
            k -> k.terms().expiresAtMillis(),
            KeySpec.NEVER,
            Instant.parse("2027-01-31T11:00:00Z").toEpochMilli(),
            "2027-01-31T11:00:00Z"),
        of("on_limit", "wait", k -> k.terms().policy().waits(), null, true, "wait"),
        of("max_waiting", "7", k -> k.terms().policy().maxWaiting(), 100L, 7L, 7L),
        of(
            "max_output",
            "refuse",
            k -> k.terms().policy().excessOutput(),
            null,
            ExcessOutput.REFUSE,
            "refuse"),
        of(
            "strict_after_denial",
            "true",
            k -> k.terms().policy().strictAfterDenial(),
            false,
            true,
            true));
  }

  private KeySpec key(String more) {
    String file =
        ENDPOINT + "groups: [{name: team}]\nkeys: [{name: k, sha256: '" + HASH + "'" + more + "}]";
    return new Routes(directory).write("a.yaml", file).good(Map.of()).keys().getFirst();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void setting_unsetAndSet_hasItsDefaultAndItsValue(Case c) {
    assertThat(c.read().apply(key(""))).isEqualTo(c.otherwise());
    KeySpec key = key(", " + c.name() + ": " + c.text());
    assertThat(c.read().apply(key)).isEqualTo(c.becomes());
    assertThat(KeyBuilder.shown(key)).containsEntry(c.name(), c.shown());
  }

  @Test
  void table_comparedWithTheseTests_hasNoSettingWithoutATest() {
    assertThat(KeySettings.TABLE.stream().map(s -> s.name()))
        .containsExactlyElementsOf(
            Stream.of(Stream.of("name", "sha256"), cases().map(Case::name), Stream.of("sharing"))
                .flatMap(names -> names)
                .toList());
  }

  @Test
  void maxPriority_unsaid_isThePriority() {
    assertThat(key(", priority: 4").terms().rank()).isEqualTo(new Rank(4, 4, 1));
  }

  @Test
  void keyWithNothingElse_hasNoLimitsAndMayUseAll() {
    KeySpec key = key("");
    assertThat(key.name()).isEqualTo("k");
    assertThat(key.secrets()).containsExactly(new KeySpec.Secret(HASH, KeySpec.NEVER));
    assertThat(key.terms().limits()).isEqualTo(Limits.NONE);
    assertThat(key.terms().scope()).isEqualTo(Scope.ALL);
    assertThat(key.terms().rank()).isEqualTo(Rank.PLAIN);
  }

  @Test
  void hash_ofCapitalsOrOfDigitsAlone_isTakenAsWritten() {
    String upper = ENDPOINT + "keys: [{name: k, sha256: %s}]".formatted("AB".repeat(32));
    assertThat(secret(upper)).isEqualTo("ab".repeat(32));
    assertThat(secret(upper.replace("AB".repeat(32), "12".repeat(32)))).isEqualTo("12".repeat(32));
  }

  private String secret(String file) {
    KeySpec key = new Routes(directory).write("a.yaml", file).good(Map.of()).keys().getFirst();
    return key.secrets().getFirst().sha256();
  }

  @Test
  void secretInThePlaceOfItsHash_isNotShown() {
    for (String keys :
        new String[] {
          "keys: [{name: k, sha256: hunter2}]",
          "keys: [{name: k, sha256: '${S}'}]",
          "keys: [hunter2]",
          "keys: hunter2"
        }) {
      assertThat(
              new Routes(directory)
                  .write("a.yaml", ENDPOINT + keys)
                  .faults(Map.of("S", "hunter2hunter2")))
          .hasSize(1)
          .allMatch(fault -> fault.startsWith("a.yaml:2:") && fault.contains("expected"))
          .noneMatch(fault -> fault.contains("hunter2"));
    }
  }

  @Test
  void expiry_thatIsADate_isItsFirstInstantInUtc() {
    assertThat(key(", expires_at: 2027-01-31").terms().expiresAtMillis())
        .isEqualTo(Instant.parse("2027-01-31T00:00:00Z").toEpochMilli());
  }

  @Test
  void filesTogether_haveAllKeysAndGroupsByName() {
    ConfigurationSnapshot snapshot =
        new Routes(directory)
            .write("a.yaml", ENDPOINT + "keys: [{name: z, sha256: " + "ab".repeat(32) + "}]")
            .write("b.yaml", "keys: [{name: b, sha256: " + HASH + ", group: g}]")
            .write("c.yaml", "groups: [{name: z}, {name: g, rpm: 1, tpm: 2, rpd: 3}]")
            .write("d.yaml", "providers: [openai]")
            .write("e.yaml", "providers: [local, openai]")
            .good(Map.of());
    assertThat(snapshot.keys()).extracting(KeySpec::name).containsExactly("b", "z");
    assertThat(snapshot.groups())
        .containsExactly(new GroupSpec("g", 1, 2, 3, 0, 0), new GroupSpec("z", 0, 0, 0, 0, 0));
    assertThat(snapshot.providers()).containsExactly("local", "openai");
  }

  @Test
  void groupWithBudgets_hasThem() {
    String file =
        ENDPOINT
            + "groups: [{name: g, budget_tokens_per_day: 5, budget_tokens_per_month: '${M:6}'}]";
    assertThat(new Routes(directory).write("a.yaml", file).good(Map.of()).groups())
        .containsExactly(new GroupSpec("g", 0, 0, 0, 5, 6));
  }

  @Test
  void group_saysWhatHappensAtLimitsOfItsKeys() {
    String file = ENDPOINT + "groups: [{name: g, on_limit: reject}, {name: z, on_limit: wait}]";
    assertThat(new Routes(directory).write("a.yaml", file).good(Map.of()).groups())
        .extracting(GroupSpec::waits)
        .containsExactly(false, true);
  }

  @Test
  void model_withQuotaAndPrice_hasThem_andWhatIsUnsaidOfItsQuotaIsUnlimited() {
    String file =
        ENDPOINT
            + """
            models:
              a: {rpm: 5, price_per_mtok: {input: 2.5}}
              b: {tpm: 0}
              c: {price_per_mtok: {input: 1, output: 10}}
              d: {fallback: [a]}
              e: {context_tokens: 32000}
            """;
    Map<String, ConfigurationSnapshot.Model> models =
        new Routes(directory).write("a.yaml", file).good(Map.of()).models();
    assertThat(models).containsOnlyKeys("a", "b", "c", "e");
    assertThat(models.get("a"))
        .isEqualTo(
            new ConfigurationSnapshot.Model(
                new io.penstock.model.ModelLimits(5, 0, 0),
                new ConfigurationSnapshot.Price(
                    new BigDecimal("2.5"), BigDecimal.ZERO, null, null, null),
                null));
    assertThat(models.get("b"))
        .isEqualTo(new ConfigurationSnapshot.Model(io.penstock.model.ModelLimits.NONE, null, null));
    assertThat(models.get("c"))
        .isEqualTo(
            new ConfigurationSnapshot.Model(
                null,
                new ConfigurationSnapshot.Price(BigDecimal.ONE, BigDecimal.TEN, null, null, null),
                null));
    assertThat(models.get("e")).isEqualTo(new ConfigurationSnapshot.Model(null, null, 32_000L));
  }

  @Test
  void printed_allButTheSecretIsThere_andModelsAndGroupsLoadAgain() {
    String clients =
        """
        providers: [gemini]
        models:
          m: {rpd: 4, price_per_mtok: {input: 0.5, cache_read: 0.05, cache_write_1h: 1}}
          n: {fallback: [m], context_tokens: 32000}
        groups: [{name: team, tpm: 5}]
        """;
    String keys =
        "keys: [{name: k, sha256: "
            + HASH
            + ", group: team, models: {m: {rpm: 1}}, expires_at: 2027-01-31}]\n";
    ConfigurationSnapshot first =
        new Routes(directory).write("a.yaml", ENDPOINT + clients + keys).good(Map.of());
    String printed = RouteText.yaml(first);
    assertThat(printed)
        .doesNotContain(HASH)
        .contains("sha256: '***'")
        .contains("expires_at: '2027-01-31T00:00:00Z'")
        .contains("group: team");
    String again = printed.replace("'***'", HASH);
    Routes.assertSame(new Routes(directory).write("a.yaml", again).good(Map.of()), first);
  }
}
