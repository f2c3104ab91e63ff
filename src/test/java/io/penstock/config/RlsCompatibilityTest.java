package io.penstock.config;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.shape.RouteSetting;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Typical configurations of rls. */
class RlsCompatibilityTest {
  private static final long SECOND = 1_000_000_000L;
  private static final LimitSpec ONE_A_SECOND = new LimitSpec.Strict(new ExactRate(1, 1), 0);

  /** Contains every setting that rls reads. */
  private static final String WHOLE =
      """
      # One gate in front of several services.
      server:
        host: "0.0.0.0"
        port: 9090

      defaults:
        scheduler: lifo          # fifo | lifo | priority | random
        algorithm: token_bucket  # strict | token_bucket | sliding_window | token_window
        unit: rpm                # rps | rpm
        max_queue_size: 150
        overflow: block          # reject (429) | block (wait)
        queue_timeout: 2.5
        latency_compensation: 20
        max_dynamic_endpoints: 12
        tokens_per_window: 400
        default_tokens: 3

      endpoints:
        - path: "/issues"
          rate: 20
        - path: "/mail"
          rate: 0.5
          unit: rps
          scheduler: random
          algorithm: strict
          max_queue_size: 5
          overflow: reject
          queue_timeout: 9
          latency_compensation: 15
        - path: "/maps"
          rate: 60
          scheduler: priority
          burst_size: 20
        - path: "/chat"
          rate: 4
          unit: rps
          scheduler: fifo
          algorithm: sliding_window
          window_seconds: 2
        - path: "/words"
          algorithm: token_window
          scheduler: fifo
          tokens_per_window: 100
          window_seconds: 5
          default_tokens: 1
        - path: "/words/long"
          algorithm: token_window
          window_seconds: 60
      """;

  @TempDir Path directory;

  private ConfigurationSnapshot load(String text) {
    return new Routes(directory).write("rls.yml", text).good(Map.of());
  }

  private static EndpointSpec at(ConfigurationSnapshot snapshot, String path) {
    return snapshot.endpoints().stream()
        .filter(endpoint -> endpoint.path().equals(path))
        .findFirst()
        .orElseThrow();
  }

  private EndpointSpec endpoint(String... lines) {
    return at(load(Routes.endpointFile(lines)), "/a");
  }

  private List<String> warnings(String text) {
    return new Routes(directory).write("rls.yml", text).warnings(Map.of());
  }

  @Test
  void wholeFile_everyLimit_isWhatItSays() {
    ConfigurationSnapshot snapshot = load(WHOLE);
    assertThat(snapshot.warnings()).isEmpty();
    assertThat(snapshot.server()).isEqualTo(new ConfigurationSnapshot.Server("0.0.0.0", 9090));
    assertThat(snapshot.endpoints().stream().map(e -> Map.entry(e.path(), e.limit())))
        .containsExactlyInAnyOrder(
            entry("/", new LimitSpec.TokenBucket(new ExactRate(1, 60), 1)),
            entry("/issues", new LimitSpec.TokenBucket(new ExactRate(1, 3), 1)),
            entry("/mail", new LimitSpec.Strict(new ExactRate(1, 2), 15_000_000)),
            entry("/maps", new LimitSpec.TokenBucket(new ExactRate(1, 1), 20)),
            entry("/chat", new LimitSpec.SlidingWindow(8, 2 * SECOND)),
            entry("/words", new LimitSpec.FixedWindow(100, 5 * SECOND)),
            entry("/words/long", new LimitSpec.FixedWindow(400, 60 * SECOND)));
  }

  @Test
  void wholeFile_ordersAndQueues_areTheirOwnOrThoseOfTheDefaults() {
    ConfigurationSnapshot snapshot = load(WHOLE);
    EndpointSpec issues = at(snapshot, "/issues");
    assertThat(issues.scheduling().order()).isEqualTo(QueueOrder.LIFO);
    assertThat(issues.waiting().bounds().maxTickets()).isEqualTo(150);
    assertThat(issues.waiting().maxBlocked()).isEqualTo(1000);
    assertThat(issues.waiting().queueTimeoutNanos()).isEqualTo(2_500_000_000L);
    assertThat(issues.waiting().maxWaitNanos()).isZero();
    assertThat(issues.reading().defaultTokens()).isEqualTo(3);
    EndpointSpec mail = at(snapshot, "/mail");
    assertThat(mail.scheduling().order()).isEqualTo(QueueOrder.RANDOM);
    assertThat(mail.waiting().bounds().maxTickets()).isEqualTo(5);
    assertThat(mail.waiting().maxBlocked()).isZero();
    assertThat(mail.waiting().queueTimeoutNanos()).isEqualTo(9 * SECOND);
    assertThat(at(snapshot, "/words").reading().defaultTokens()).isEqualTo(1);
    assertThat(snapshot.endpoints())
        .allSatisfy(
            endpoint -> {
              assertThat(endpoint.waiting().estimateOnly()).isTrue();
              assertThat(endpoint.reading().parameters().lenient()).isTrue();
              assertThat(endpoint.reading().parameters().shortNames()).isTrue();
              assertThat(endpoint.permit()).isTrue();
              assertThat(endpoint.entry().descendants())
                  .isEqualTo(new EndpointSpec.Descendants(true, 12));
            });
  }

  @Test
  void dynamicEndpointsFile_threeLevels_isRead() {
    String file =
        """
        defaults:
          max_dynamic_endpoints: 1000
        endpoints:
          - path: "/"
            rate: 1
          - path: "/api"
            rate: 10
          - path: "/api/v2"
            rate: 50
        """;
    assertThat(load(file).endpoints().stream().map(EndpointSpec::limit))
        .containsExactly(
            ONE_A_SECOND,
            new LimitSpec.Strict(new ExactRate(10, 1), 0),
            new LimitSpec.Strict(new ExactRate(50, 1), 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rls.yml", "rls.yaml"})
  void fileOfThatName_withoutServer_isRls(String name) {
    ConfigurationSnapshot snapshot =
        new Routes(directory).write(name, "endpoints: []").good(Map.of());
    assertThat(snapshot.server()).isEqualTo(new ConfigurationSnapshot.Server(null, null));
    assertThat(snapshot.endpoints()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"server: {port: 1}", "server: {}", "server:", "\"server\": ~"})
  void fileOfAnotherName_withAServerBlock_isRls(String server) {
    ConfigurationSnapshot snapshot =
        new Routes(directory).write("gate.yaml", server).good(Map.of());
    assertThat(snapshot.endpoints()).extracting(EndpointSpec::path).containsExactly("/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"my-rls.yml", "rls.yml.yaml", "RLS.yml"})
  void fileOfAnotherName_withoutServer_isNotRls(String name) {
    Routes routes = new Routes(directory).write(name, "endpoints: [{path: /a, foo: 1}]");
    assertThat(routes.faults(Map.of())).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# nothing yet", "{}", "endpoints:", "defaults:\nendpoints: []"})
  void fileThatSaysNothing_hasTheRootAtOneASecond(String text) {
    EndpointSpec root = load(text).endpoints().getFirst();
    assertThat(root.path()).isEqualTo("/");
    assertThat(root.limit()).isEqualTo(ONE_A_SECOND);
    assertThat(root.algorithm()).isEqualTo(LimitAlgorithm.STRICT);
    assertThat(root.entry().shown())
        .contains(
            entry("rate", 1L),
            entry("unit", "rps"),
            entry("scheduler", "fifo"),
            entry("max_queue_size", 1000L),
            entry("overflow", "reject"));
  }

  @Test
  void root_configuredInAnyFile_isNotMadeUp() {
    Routes routes =
        new Routes(directory)
            .write("rls.yml", "endpoints: [{path: /a}]")
            .write("server.yaml", "server: {port: 80}")
            .write("zoo.yaml", "endpoints: [{path: /, rate: 7}]");
    assertThat(routes.good(Map.of()).endpoints().stream().map(EndpointSpec::limit))
        .containsExactly(new LimitSpec.Strict(new ExactRate(7, 1), 0), ONE_A_SECOND);
  }

  @Test
  void root_madeUp_takesNeitherUpstreamsNorATokenWindowFromTheDefaults() {
    String file =
        """
        defaults:
          algorithm: token_window
          tokens_per_window: 5
          upstreams: [{id: u, url: 'http://u'}]
        """;
    EndpointSpec root = load(file).endpoints().getFirst();
    assertThat(root.limit()).isEqualTo(ONE_A_SECOND);
    assertThat(root.permit()).isTrue();
  }

  @Test
  void shortParameters_areReadInFilesOfRls_alsoWithUpstreams_unlessTheyAreSwitchedOff() {
    String file =
        """
        server: {port: 1}
        endpoints:
          - {path: /a, upstreams: [{id: u, url: 'http://u'}]}
          - {path: /b, short_parameters: false}
        """;
    ConfigurationSnapshot snapshot = load(file);
    assertThat(at(snapshot, "/a").reading().parameters().shortNames()).isTrue();
    assertThat(at(snapshot, "/a").entry().shown()).containsEntry("short_parameters", true);
    assertThat(at(snapshot, "/b").reading().parameters().shortNames()).isFalse();
    assertThat(at(snapshot, "/b").entry().shown()).containsEntry("short_parameters", false);
    String defaults = "defaults: {short_parameters: false}\n" + file;
    assertThat(at(load(defaults), "/a").reading().parameters().shortNames()).isFalse();
    String usual = file.replace("server: {port: 1}\n", "");
    Routes both = new Routes(directory).write("rls.yml", "").write("a.yaml", usual);
    assertThat(at(both.good(Map.of()), "/a"))
        .extracting(endpoint -> endpoint.reading().parameters().shortNames())
        .isEqualTo(false);
  }

  @Test
  void otherFiles_besideRls_areReadByTheirOwnRules() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "endpoints: [{path: /a, queue_timeout: 1}]")
            .write("rls.yml", "endpoints: [{path: /b, queue_timeout: 1, foo: 1}]");
    ConfigurationSnapshot snapshot = routes.good(Map.of());
    assertThat(snapshot.endpoints())
        .extracting(EndpointSpec::path)
        .containsExactly("/", "/a", "/b");
    assertThat(at(snapshot, "/a").waiting().estimateOnly()).isFalse();
    assertThat(at(snapshot, "/a").reading().parameters().lenient()).isFalse();
    assertThat(at(snapshot, "/b").waiting().estimateOnly()).isTrue();

    routes.write("a.yaml", "endpoints: [{path: /a, foo: 1}]");
    assertThat(routes.faults(Map.of())).singleElement().asString().startsWith("a.yaml:1:24: ");
  }

  @ParameterizedTest
  @CsvSource({"0", "0.0", "-0", "0e5", "~", "''"})
  void zeroOrNothing_everyNumberOfRls_isUnset(String zero) {
    String value = zero.isEmpty() ? "" : zero;
    EndpointSpec endpoint =
        endpoint(
            "rate: " + value,
            "burst_size: " + value,
            "window_seconds: " + value,
            "tokens_per_window: " + value,
            "default_tokens: " + value,
            "max_queue_size: " + value,
            "queue_timeout: " + value,
            "latency_compensation: " + value);
    assertThat(endpoint).isEqualTo(endpoint());
  }

  @Test
  void zero_atAnEndpoint_takesTheDefaultsOfTheFile() {
    String file =
        """
        defaults: {max_queue_size: 9, queue_timeout: 3, default_tokens: 4, max_dynamic_endpoints: 0}
        endpoints: [{path: /a, max_queue_size: 0, queue_timeout: 0, default_tokens: 0}]
        """;
    EndpointSpec endpoint = at(load(file), "/a");
    assertThat(endpoint.waiting().bounds().maxTickets()).isEqualTo(9);
    assertThat(endpoint.waiting().queueTimeoutNanos()).isEqualTo(3 * SECOND);
    assertThat(endpoint.reading().defaultTokens()).isEqualTo(4);
    assertThat(endpoint.entry().descendants().most()).isEqualTo(1000);
  }

  @Test
  void emptyText_ofAWord_isUnset() {
    assertThat(endpoint("unit: ''", "scheduler: ''", "algorithm: ''", "overflow: ''"))
        .isEqualTo(endpoint());
  }

  @Test
  void zeroFromTheEnvironment_isUnsetToo() {
    Routes routes =
        new Routes(directory).write("rls.yml", Routes.endpointFile("burst_size: ${BURST}"));
    assertThat(at(routes.good(Map.of("BURST", "0")), "/a").entry().shown())
        .doesNotContainKey("burst_size");
    assertThat(at(routes.good(Map.of("BURST", "4")), "/a").entry().shown())
        .containsEntry("burst_size", 4L);
  }

  @Test
  void unknownKeys_everywhere_areWarningsAtTheirPlace() {
    String file =
        """
        server: {port: 80, tls: true}
        log: {level: debug}
        defaults:
          verbose: true
        endpoints:
          - path: /a
            retries: 3
        """;
    assertThat(warnings(file))
        .containsExactly(
            "rls.yml:1:20: ignored: unknown key 'tls' here, expected it in one of upstreams",
            "rls.yml:2:1: ignored: unknown key 'log', expected defaults, endpoints,"
                + " models, providers, keys or groups",
            warning("4:3", "verbose", RlsCompatibility.DEFAULTS),
            warning("7:5", "retries", EndpointSettings.TABLE));
  }

  private static String warning(String place, String key, List<RouteSetting<?>> table) {
    String names = table.stream().<String>map(RouteSetting::name).collect(Collectors.joining(", "));
    return "rls.yml:%s: ignored: unknown key '%s', expected one of %s".formatted(place, key, names);
  }

  @Test
  void keysThatRlsHasElsewhere_areIgnoredWithAWarning() {
    String file =
        """
        defaults: {rate: 9, burst_size: 9, window_seconds: 9}
        endpoints: [{path: /a, max_dynamic_endpoints: 9}]
        """;
    assertThat(warnings(file))
        .containsExactly(
            "rls.yml:1:12: ignored: unknown key 'rate' here, expected it in one of endpoints",
            "rls.yml:1:21: ignored: unknown key 'burst_size' here, expected it in one of endpoints",
            "rls.yml:1:36: ignored: unknown key 'window_seconds' here, expected it in one of"
                + " endpoints",
            "rls.yml:2:24: ignored: unknown key 'max_dynamic_endpoints' here, expected it in"
                + " defaults");
    assertThat(at(load(file), "/a").limit()).isEqualTo(ONE_A_SECOND);
  }

  @Test
  void mergeKeys_nestedAndListed_areFollowed() {
    String file =
        """
        x-slow: &slow {rate: 2, unit: rpm, max_queue_size: 3}
        x-wide: &wide {<<: *slow, max_queue_size: 4, overflow: block}
        endpoints:
          - {<<: *slow, path: /a, rate: 6}
          - {path: /b, <<: [*wide, *slow]}
        """;
    ConfigurationSnapshot snapshot = load(file);
    assertThat(at(snapshot, "/a").limit()).isEqualTo(new LimitSpec.Strict(new ExactRate(1, 10), 0));
    assertThat(at(snapshot, "/a").waiting().bounds().maxTickets()).isEqualTo(3);
    assertThat(at(snapshot, "/b").limit()).isEqualTo(new LimitSpec.Strict(new ExactRate(1, 30), 0));
    assertThat(at(snapshot, "/b").waiting().bounds().maxTickets()).isEqualTo(4);
    assertThat(at(snapshot, "/b").waiting().maxBlocked()).isEqualTo(1000);
  }

  @ParameterizedTest
  @CsvSource({
    "0.3333333333333333, rps, 333333333, 1000000000",
    "16.66666666666667, rps, 166666667, 10000000",
    "0.016666666666666666, rpm, 166667, 600000000",
    "3600, rpm, 60, 1"
  })
  void rate_withAsManyDigitsAsAFloat_isKeptToNine(
      String rate, String unit, long releases, long seconds) {
    assertThat(endpoint("rate: " + rate, "unit: " + unit).limit())
        .isEqualTo(new LimitSpec.Strict(new ExactRate(releases, seconds), 0));
  }

  @Test
  void ownSettings_inAnRlsFile_areReadToo() {
    EndpointSpec endpoint = endpoint("shadow: true", "max_wait: 5", "scheduler: deadline");
    assertThat(endpoint.shadow()).isTrue();
    assertThat(endpoint.waiting().maxWaitNanos()).isEqualTo(5 * SECOND);
    assertThat(endpoint.scheduling().order()).isEqualTo(QueueOrder.DEADLINE);
  }

  @Test
  void serverBlocks_thatComplementEachOther_areOne() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "server: {host: localhost, port: 0}")
            .write("b.yaml", "server: {host: '', port: 81}")
            .write("c.yaml", "server: {host: localhost, port: 81}");
    assertThat(routes.good(Map.of()).server())
        .isEqualTo(new ConfigurationSnapshot.Server("localhost", 81));
  }

  @Test
  void noRls_amongTheFiles_saysNothingOfTheServer() {
    assertThat(new Routes(directory).write("a.yaml", Routes.endpointFile()).good(Map.of()).server())
        .isNull();
  }

  @Test
  void printedConfiguration_loadedAgain_isTheSame() {
    ConfigurationSnapshot first = load(WHOLE);
    String printed = RouteText.yaml(first);
    assertThat(printed).contains("server:\n  host: 0.0.0.0\n  port: 9090\n");
    Routes.assertSame(load(printed), first);
  }
}
