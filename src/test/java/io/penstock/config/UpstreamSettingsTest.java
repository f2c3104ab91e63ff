package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.SettingsTest.Case;
import io.penstock.cost.ChargeRule;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.Day;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.SharedPool;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Default and configured values of every setting of an upstream. */
class UpstreamSettingsTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path directory;

  static Stream<Case> upstreamCases() {
    return Stream.concat(plainUpstreamCases(), budgetCases());
  }

  private static Stream<Case> budgetCases() {
    SharedPool pool = new SharedPool("m", Set.of("m"), new Limits(3, 0, 0, 0, 0, 0));
    return Stream.of(
        up("rpm", "2", u -> u.budget().limits().rpm(), 0L, 2L, 2L),
        up("tpm", "3", u -> u.budget().limits().tpm(), 0L, 3L, 3L),
        up("itpm", "4", u -> u.budget().limits().itpm(), 0L, 4L, 4L),
        up("otpm", "5", u -> u.budget().limits().otpm(), 0L, 5L, 5L),
        up("rpd", "6", u -> u.budget().limits().rpd(), 0L, 6L, 6L),
        up("concurrency", "7", u -> u.budget().limits().concurrency(), 0L, 7L, 7L),
        up(
            "limits",
            "[{models: [m], rpm: 3}]",
            u -> u.budget().pools(),
            List.of(),
            List.of(pool),
            List.of(
                Map.of(
                    "name",
                    "m",
                    "models",
                    List.of("m"),
                    "rpm",
                    3L,
                    "tpm",
                    0L,
                    "itpm",
                    0L,
                    "otpm",
                    0L,
                    "rpd",
                    0L,
                    "concurrency",
                    0L))),
        up("day", "utc", u -> u.budget().day(), Day.FIRST_USE, Day.UTC, "utc"),
        up(
            "charge",
            "openai",
            u -> u.budget().charge(),
            ChargeRule.TOTAL,
            ChargeRule.OPENAI,
            "openai"),
        up("settle", "usage", u -> u.budget().settlesUsage(), false, true, "usage"),
        up("inject_usage", "false", u -> u.injectsUsage(), true, false, false));
  }

  private static Stream<Case> plainUpstreamCases() {
    return Stream.of(
        up("api_key", "sk-1", u -> String.valueOf(u.access().apiKey()), "null", "sk-1", "***"),
        up(
            "headers",
            "{X-Team: a}",
            u -> u.access().headers(),
            Map.of(),
            Map.of("X-Team", "a"),
            Map.of("X-Team", "a")),
        up("models", "[m]", u -> u.models(), Map.of(), Map.of("m", "m"), List.of("m")),
        up("weight", "2", u -> u.weight(), 1, 2, 2L),
        up(
            "proxy",
            "'HTTP://u:p%40@Proxy:3128/'",
            u -> String.valueOf(u.link().proxy()),
            "null",
            "http://u:p%40@Proxy:3128",
            "http://***@Proxy:3128"),
        up(
            "guard",
            "1.5",
            u -> u.budget().guardNanos(),
            50_000_000L,
            1_500_000L,
            new BigDecimal("1.5")),
        up("burst_seconds", "2.5", u -> u.budget().burstSeconds(), 5.0, 2.5, new BigDecimal("2.5")),
        up("cache_trust", "35", u -> u.budget().cacheTrust(), 10, 35, 35L),
        up("connect_timeout", "1", u -> u.link().timeouts().connectNanos(), 5 * SECOND, SECOND, 1L),
        up(
            "first_byte_timeout",
            "1",
            u -> u.link().timeouts().firstByteNanos(),
            600 * SECOND,
            SECOND,
            1L),
        up("stall_timeout", "1", u -> u.link().timeouts().stallNanos(), 120 * SECOND, SECOND, 1L),
        up(
            "max_connection_age",
            "1",
            u -> u.link().timeouts().ageNanos(),
            300 * SECOND,
            SECOND,
            1L));
  }

  private static Case up(
      String name,
      String text,
      Function<UpstreamSpec, Object> read,
      Object otherwise,
      Object becomes,
      Object shown) {
    return SettingsTest.of(
        name, text, e -> read.apply(e.upstreams().getFirst()), otherwise, becomes, shown);
  }

  @ParameterizedTest
  @MethodSource("upstreamCases")
  void upstreamSetting_unsetAndSet_hasItsDefaultAndItsValue(Case c) {
    Routes routes = new Routes(directory);
    EndpointSpec unset =
        routes.write("a.yaml", Routes.upstreamFile()).good(Map.of()).endpoints().getFirst();
    assertThat(c.read().apply(unset)).isEqualTo(c.otherwise());

    EndpointSpec set =
        routes
            .write("a.yaml", Routes.upstreamFile(SettingsTest.line(c)))
            .good(Map.of())
            .endpoints()
            .getFirst();
    assertThat(c.read().apply(set)).isEqualTo(c.becomes());
    assertThat(shownUpstream(set)).containsEntry(c.name(), c.shown());
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> shownUpstream(EndpointSpec endpoint) {
    Object upstreams = Objects.requireNonNull(endpoint.entry().shown().get("upstreams"));
    return ((List<Map<String, Object>>) upstreams).getFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "openai, OPENAI, FIRST_USE, auto",
    "azure, AZURE, FIRST_USE, auto",
    "anthropic, ANTHROPIC, FIRST_USE, none",
    "gemini, GEMINI, PACIFIC, none",
    "none, TOTAL, FIRST_USE, none",
  })
  void derivedDefaults_ofADialect_areThoseOfItsProvider(
      String dialect, ChargeRule chargeRule, Day day, String affinity) {
    EndpointSpec endpoint =
        new Routes(directory)
            .endpoint("dialect: " + dialect, "upstreams: [{id: u, url: 'http://u'}]");
    UpstreamSpec.Budget budget = endpoint.upstreams().getFirst().budget();
    assertThat(budget.charge()).isEqualTo(chargeRule);
    assertThat(budget.day()).isEqualTo(day);
    assertThat(endpoint.entry().shown()).containsEntry("affinity", affinity);
  }

  @Test
  void dayOfAnUpstream_followsTheChargeThatIsSet() {
    EndpointSpec endpoint =
        new Routes(directory)
            .endpoint(
                "dialect: openai",
                "upstreams: [{id: u, url: 'http://u', charge: gemini},"
                    + " {id: v, url: 'http://v', charge: bedrock}]");
    assertThat(endpoint.upstreams())
        .extracting(upstream -> upstream.budget().day())
        .containsExactly(Day.PACIFIC, Day.FIRST_USE);
  }

  @Test
  void apiKeyPassthrough_isNoCredentialOfTheGateways() {
    EndpointSpec endpoint =
        new Routes(directory)
            .endpoint("upstreams: [{id: u, url: 'http://u', api_key: passthrough}]");
    UpstreamSpec.Access access = endpoint.upstreams().getFirst().access();
    assertThat(access.passthrough()).isTrue();
    assertThat(access.apiKey()).isNull();
    assertThat(access.disabledBecause()).isNull();
    assertThat(shownUpstream(endpoint)).containsEntry("api_key", "passthrough");
  }

  @Test
  void modelsMapping_aliases_areTheClientsNames() {
    EndpointSpec endpoint =
        new Routes(directory)
            .endpoint("upstreams: [{id: u, url: 'http://u', models: {fast: gpt-4o-mini, m: m}}]");
    UpstreamSpec upstream = endpoint.upstreams().getFirst();
    assertThat(upstream.ownName("fast")).isEqualTo("gpt-4o-mini");
    assertThat(upstream.serves("gpt-4o-mini")).isFalse();
    assertThat(shownUpstream(endpoint))
        .containsEntry("models", Map.of("fast", "gpt-4o-mini", "m", "m"));
  }
}
