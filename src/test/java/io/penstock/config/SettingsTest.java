package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.shape.RouteSetting;
import io.penstock.cost.AllowedCalls;
import io.penstock.cost.ChargeRule;
import io.penstock.cost.ExcessOutput;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Affinity;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Default and configured values of every setting. */
class SettingsTest {
  private static final long SECOND = 1_000_000_000L;

  /** Marks settings that another test checks in their shown form. */
  private static final Object ELSEWHERE = "elsewhere";

  @TempDir Path directory;

  /**
   * One setting's two cases.
   *
   * @param with lines besides the setting that make it visible
   * @param text the value that is set
   * @param otherwise the value in the spec if it is not set
   * @param becomes the value in the spec if it is set
   * @param shown the value that an operator then sees
   */
  record Case(
      String name,
      List<String> with,
      String text,
      Function<EndpointSpec, Object> read,
      Object otherwise,
      Object becomes,
      Object shown) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Case of(
      String name,
      String text,
      Function<EndpointSpec, Object> read,
      Object otherwise,
      Object becomes,
      Object shown) {
    return new Case(name, List.of(), text, read, otherwise, becomes, shown);
  }

  private static Case with(
      List<String> with,
      String name,
      String text,
      Function<EndpointSpec, Object> read,
      Object otherwise,
      Object becomes,
      Object shown) {
    return new Case(name, with, text, read, otherwise, becomes, shown);
  }

  static Stream<Case> endpointCases() {
    return Stream.of(limitCases(), orderCases(), waitingCases(), otherCases()).flatMap(c -> c);
  }

  private static Stream<Case> limitCases() {
    List<String> window =
        List.of("algorithm: token_window", "tokens_per_window: 100", "window_seconds: 60");
    return Stream.of(
        of(
            "dialect",
            "openai",
            e -> e.reading().dialect(),
            DialectTable.NONE,
            DialectTable.OPENAI,
            "openai"),
        of(
            "algorithm",
            "none",
            e -> e.algorithm(),
            LimitAlgorithm.STRICT,
            LimitAlgorithm.NONE,
            "none"),
        of("rate", "2.5", e -> e.limit(), strict(1, 1), strict(5, 2), new BigDecimal("2.5")),
        of("unit", "rpm", e -> e.limit(), strict(1, 1), strict(1, 60), "rpm"),
        with(
            window.subList(0, 2),
            "window_seconds",
            "0.0015",
            e -> e.limit(),
            "fault",
            new LimitSpec.FixedWindow(100, 1_500_000),
            new BigDecimal("0.0015")),
        with(
            List.of(window.get(0), window.get(2)),
            "tokens_per_window",
            "1_000",
            e -> e.limit(),
            "fault",
            new LimitSpec.FixedWindow(1000, 60 * SECOND),
            1000L),
        with(window, "default_tokens", "100", e -> e.reading().defaultTokens(), 1L, 100L, 100L),
        with(
            List.of("algorithm: token_bucket", "rate: 2"),
            "burst_size",
            "20",
            e -> e.limit(),
            new LimitSpec.TokenBucket(new ExactRate(2, 1), 1),
            new LimitSpec.TokenBucket(new ExactRate(2, 1), 20),
            20L),
        of(
            "latency_compensation",
            "1.5",
            e -> e.limit(),
            strict(1, 1),
            new LimitSpec.Strict(new ExactRate(1, 1), 1_500_000),
            new BigDecimal("1.5")));
  }

  private static Stream<Case> orderCases() {
    return Stream.of(
        of(
            "scheduler",
            "fair",
            e -> e.scheduling().order(),
            QueueOrder.FIFO,
            QueueOrder.FAIR,
            "fair"),
        of(
            "priority_aging_seconds",
            "0.5",
            e -> e.scheduling().agingNanos(),
            30 * SECOND,
            SECOND / 2,
            new BigDecimal("0.5")),
        of(
            "fair_by",
            "header:X-Team",
            e -> e.scheduling().fairBy(),
            new FairBy.Key(),
            new FairBy.Header("X-Team"),
            "header:X-Team"),
        of("max_skips", "0", e -> e.scheduling().maxSkips(), 64, 0, 0L));
  }

  private static Stream<Case> waitingCases() {
    return Stream.of(
        of("max_queue_size", "7", e -> e.waiting().bounds().maxTickets(), 1000L, 7L, 7L),
        of(
            "max_queued_tokens",
            "9",
            e -> e.waiting().bounds().maxTokens(),
            QueueBounds.UNLIMITED,
            9L,
            9L),
        of("max_queued_bytes", "5", e -> e.waiting().bounds().maxBytes(), 268_435_456L, 5L, 5L),
        of("overflow", "block", e -> e.waiting().maxBlocked(), 0, 1000, "block"),
        with(
            List.of("overflow: block"),
            "max_blocked",
            "6",
            e -> e.waiting().maxBlocked(),
            1000,
            6,
            6L),
        of("queue_timeout", "2", e -> e.waiting().queueTimeoutNanos(), 0L, 2 * SECOND, 2L),
        of("max_wait", "3", e -> e.waiting().maxWaitNanos(), 0L, 3 * SECOND, 3L),
        of("place_grace", "5", e -> e.waiting().placeGraceNanos(), 0L, 5 * SECOND, 5L),
        of("retry_after_max", "60", e -> e.waiting().retryAfterMaxSeconds(), 0L, 60L, 60L),
        of("light_rpm", "7", e -> e.waiting().lightRpm(), 600L, 7L, 7L),
        of(
            "heartbeat_seconds",
            "20",
            e -> e.waiting().heartbeats().everyNanos(),
            15 * SECOND,
            20 * SECOND,
            20L),
        with(
            List.of("heartbeat_seconds: 5"),
            "heartbeat_after",
            "7",
            e -> e.waiting().heartbeats().afterNanos(),
            5 * SECOND,
            7 * SECOND,
            7L));
  }

  private static Stream<Case> otherCases() {
    return Stream.of(
        with(
            List.of("dialect: anthropic"),
            "cost_from",
            "max",
            e -> e.reading().costFrom(),
            CostSource.BODY,
            CostSource.MAX,
            "max"),
        of(
            "short_parameters",
            "false",
            e -> e.reading().parameters().shortNames(),
            true,
            false,
            false),
        of("default_output_tokens", "8", e -> e.reading().defaultOutputTokens(), 256L, 8L, 8L),
        of(
            "max_output",
            "cap",
            e -> e.reading().excessOutput(),
            ExcessOutput.REFUSE,
            ExcessOutput.CAP,
            "cap"),
        of("max_body_bytes", "4", e -> e.reading().maxBodyBytes(), 33_554_432L, 4L, 4L),
        of("max_upload_bytes", "6", e -> e.reading().maxUploadBytes(), 536_870_912L, 6L, 6L),
        of(
            "calls",
            "[weighed, /v1/files]",
            e -> e.forwarding().calls(),
            AllowedCalls.ALL,
            new AllowedCalls(false, true, List.of("/v1/files")),
            List.of("weighed", "/v1/files")),
        of(
            "order",
            "first_fit",
            e -> e.forwarding().order(),
            EndpointSpec.UpstreamOrder.LEAST_USED,
            EndpointSpec.UpstreamOrder.FIRST_FIT,
            "first_fit"),
        of(
            "affinity",
            "header:X-Session",
            e -> e.forwarding().affinity(),
            new Affinity.None(),
            new Affinity.Header("X-Session"),
            "header:X-Session"),
        of(
            "expose_upstream_limits",
            "true",
            e -> e.forwarding().headers().limits(),
            false,
            true,
            true),
        of(
            "forward_headers",
            "[Cookie, x-forwarded-*]",
            e -> e.forwarding().headers().ofRequests(),
            Set.of(),
            Set.of("cookie", "x-forwarded-*"),
            List.of("cookie", "x-forwarded-*")),
        of(
            "answer_headers",
            "[set-cookie, Access-Control-Allow-Origin]",
            e -> e.forwarding().headers().ofAnswers(),
            Set.of(),
            Set.of("access-control-allow-origin", "set-cookie"),
            List.of("access-control-allow-origin", "set-cookie")),
        of(
            "cache_warmup",
            "2.5",
            e -> e.forwarding().warmup().holdNanos(),
            5 * SECOND,
            5 * SECOND / 2,
            new BigDecimal("2.5")),
        of(
            "cache_warmup_scope",
            "upstream",
            e -> e.forwarding().warmup().perKey(),
            true,
            false,
            "upstream"),
        of("upgrade", "refuse", e -> e.forwarding().upgrades(), true, false, "refuse"),
        of(
            "note",
            "asks team X before a change",
            e -> e.entry().shown().getOrDefault("note", ""),
            "",
            "asks team X before a change",
            "asks team X before a change"),
        of("shadow", "true", e -> e.shadow(), false, true, true),
        of("dynamic", "false", e -> e.entry().descendants().dynamic(), true, false, false),
        of("strip_prefix", "false", e -> e.forwarding().stripPrefix(), true, false, false),
        of("upstreams", "[{id: u, url: 'http://u'}]", e -> e.upstreams().size(), 0, 1, ELSEWHERE));
  }

  private static LimitSpec strict(long releases, long seconds) {
    return new LimitSpec.Strict(new ExactRate(releases, seconds), 0);
  }

  @ParameterizedTest
  @MethodSource("endpointCases")
  void endpointSetting_unsetAndSet_hasItsDefaultAndItsValue(Case c) {
    Routes routes = new Routes(directory);
    String[] without = c.with().toArray(String[]::new);
    String[] set = Stream.concat(c.with().stream(), Stream.of(line(c))).toArray(String[]::new);

    if (c.otherwise().equals("fault")) {
      assertThat(routes.write("a.yaml", Routes.endpointFile(without)).faults(Map.of())).hasSize(1);
    } else {
      assertThat(c.read().apply(routes.endpoint(without))).isEqualTo(c.otherwise());
    }
    EndpointSpec endpoint = routes.endpoint(set);
    assertThat(c.read().apply(endpoint)).isEqualTo(c.becomes());
    if (!c.shown().equals(ELSEWHERE)) {
      assertThat(endpoint.entry().shown()).containsEntry(c.name(), c.shown());
    }
  }

  @ParameterizedTest
  @MethodSource("endpointCases")
  void endpointSetting_inDefaults_isInherited(Case c) {
    String defaults = "defaults:\n  " + line(c) + "\n";
    String file = defaults + Routes.endpointFile(c.with().toArray(String[]::new));
    EndpointSpec endpoint =
        new Routes(directory).write("a.yaml", file).good(Map.of()).endpoints().getFirst();
    assertThat(c.read().apply(endpoint)).isEqualTo(c.becomes());
  }

  static String line(Case c) {
    return c.name() + ": " + c.text();
  }

  @Test
  void tablesOfSettings_comparedWithTheseTests_haveNoSettingWithoutATest() {
    assertThat(EndpointSettings.TABLE.stream().map(s -> s.name()))
        .containsExactlyInAnyOrderElementsOf(names(endpointCases(), "path", "sharing"));
    assertThat(UpstreamSettings.TABLE.stream().map(s -> s.name()))
        .containsExactlyInAnyOrderElementsOf(
            names(UpstreamSettingsTest.upstreamCases(), "id", "url", "tls", "sharing"));
  }

  @Test
  void namesOfSettings_inBothTables_differUnlessEachIsItsOwn() {
    assertThat(EndpointSettings.TABLE.stream().map(s -> s.name()))
        .contains("sharing")
        .filteredOn(name -> !name.equals("sharing"))
        .doesNotContainAnyElementsOf(
            UpstreamSettings.TABLE.stream().<String>map(RouteSetting::name).toList());
  }

  private static List<String> names(Stream<Case> cases, String... required) {
    return Stream.concat(Stream.of(required), cases.map(Case::name)).toList();
  }

  @Test
  void requiredSettings_set_areTaken() {
    EndpointSpec endpoint =
        new Routes(directory).endpoint("upstreams: [{id: u, url: 'HTTP://U/v1/'}]");
    assertThat(endpoint.path()).isEqualTo("/a");
    assertThat(endpoint.upstreams().getFirst().id()).isEqualTo("u");
    assertThat(endpoint.upstreams().getFirst().url()).isEqualTo(URI.create("http://u/v1"));
  }

  @Test
  void derivedDefaults_withUpstreams_followThem() {
    EndpointSpec endpoint =
        new Routes(directory)
            .endpoint("dialect: anthropic", "upstreams: [{id: u, url: 'http://u'}]");
    assertThat(endpoint.algorithm()).isEqualTo(LimitAlgorithm.NONE);
    assertThat(endpoint.limit()).isEqualTo(new LimitSpec.Unlimited());
    assertThat(endpoint.waiting().maxWaitNanos()).isEqualTo(290 * SECOND);
    assertThat(endpoint.reading().costFrom()).isEqualTo(CostSource.BODY);
    assertThat(endpoint.upstreams().getFirst().budget().charge()).isEqualTo(ChargeRule.ANTHROPIC);
    assertThat(endpoint.entry().shown())
        .containsEntry("algorithm", "none")
        .containsEntry("max_wait", 290L)
        .containsEntry("cost_from", "body");
  }

  @Test
  void affinity_eachForm_isWhatItSays() {
    Routes routes = new Routes(directory);
    assertThat(routes.endpoint("affinity: none", "dialect: openai").forwarding().affinity())
        .isEqualTo(new Affinity.None());
    assertThat(routes.endpoint("affinity: key").forwarding().affinity())
        .isEqualTo(new Affinity.Key());
    assertThat(routes.endpoint("affinity: auto", "dialect: gemini").forwarding().affinity())
        .isEqualTo(new Affinity.Auto());
    assertThat(routes.endpoint("affinity: prefix", "dialect: anthropic").forwarding().affinity())
        .isEqualTo(new Affinity.Prefix());
  }

  @Test
  void settingOfAnotherAlgorithm_inheritedByStrict_isAcceptedAndShown() {
    String file = "defaults: {tokens_per_window: 5, window_seconds: 9}\n" + Routes.endpointFile();
    EndpointSpec endpoint =
        new Routes(directory).write("a.yaml", file).good(Map.of()).endpoints().getFirst();
    assertThat(endpoint.algorithm()).isEqualTo(LimitAlgorithm.STRICT);
    assertThat(endpoint.entry().shown())
        .containsEntry("tokens_per_window", 5L)
        .containsEntry("window_seconds", 9L);
  }

  @Test
  void shownKeys_ofEveryEndpoint_comeInTheOrderOfTheTable() {
    List<String> table = EndpointSettings.TABLE.stream().<String>map(RouteSetting::name).toList();
    List<String> shown = List.copyOf(new Routes(directory).endpoint().entry().shown().keySet());
    assertThat(shown).isEqualTo(table.stream().filter(shown::contains).toList());
  }
}
