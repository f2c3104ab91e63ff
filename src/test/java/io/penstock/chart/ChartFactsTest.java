package io.penstock.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.fake.RedisServer;
import io.penstock.mock.MockAddress;
import io.penstock.suite.DocumentPages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the chart's statements about the application are true. */
class ChartFactsTest {
  @TempDir static Path directory;

  private static HelmChart helmChart;

  @BeforeAll
  static void copy() {
    helmChart = new HelmChart(directory, "{}");
  }

  private static JsonNode gateway(String values) throws Exception {
    return KubernetesObject.only(helmChart.render(values), "Deployment", "penstock").pod();
  }

  @Test
  void settings_thatAreVariables_areOnesTheApplicationReads() throws Exception {
    Set<String> read =
        settings().stream()
            .map(each -> each.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_"))
            .collect(Collectors.toSet());
    Set<String> given = new TreeSet<>();
    for (String one : ChartSwitches.names()) {
      List<KubernetesObject> all = helmChart.render(ChartSwitches.values("none", one));
      all.stream()
          .filter(KubernetesObject::makesPods)
          .flatMap(each -> KubernetesObject.each(each.container().path("env")).stream())
          .map(each -> each.path("name").asText())
          .filter(each -> each.startsWith("PENSTOCK_"))
          .forEach(given::add);
    }
    assertThat(given).contains("PENSTOCK_DRAIN_TIMEOUT", "PENSTOCK_DATABASE_URL").isSubsetOf(read);
  }

  /** Returns the names of the settings, from the description that the compiler makes of them. */
  private static Set<String> settings() throws IOException {
    Path file = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");
    Set<String> found = new TreeSet<>();
    for (JsonNode each : new ObjectMapper().readTree(Files.readString(file)).path("properties")) {
      found.add(each.path("name").asText());
    }
    return found;
  }

  @Test
  void ports_areThoseTheApplicationHasByDefault() throws Exception {
    JsonNode application =
        HelmChart.yaml(Files.readString(Path.of("src/main/resources/application.yml")));
    JsonNode container = gateway("").at("/spec/containers/0");
    assertThat(container.at("/ports/0/containerPort")).isEqualTo(application.at("/server/port"));
    assertThat(container.at("/ports/1/containerPort"))
        .isEqualTo(application.at("/management/server/port"));
    assertThat(KubernetesObject.each(container.path("args")).stream().map(JsonNode::asText))
        .contains("--port=" + application.at("/server/port"))
        .contains("--operator-port=" + application.at("/management/server/port"));
    assertThat(application.at("/management/endpoint/health/probes/enabled").asBoolean()).isTrue();
  }

  @Test
  void bothPorts_listenForTheClusterWhoseProbesAskTheSecond() throws Exception {
    JsonNode container = gateway("").at("/spec/containers/0");
    assertThat(KubernetesObject.each(container.path("args")).stream().map(JsonNode::asText))
        .contains("--host=0.0.0.0", "--management.server.address=0.0.0.0");
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      assertThat(container.path(probe).at("/httpGet/port").asText()).isEqualTo("operator");
    }
  }

  @Test
  void image_unlessSaid_isOfTheProgramsVersion() throws Exception {
    String pom = Files.readString(Path.of("pom.xml"));
    String image = gateway("").at("/spec/containers/0/image").asText();
    assertThat(pom)
        .containsPattern(
            "<artifactId>penstock</artifactId>\\s*<version>"
                + Pattern.quote(image.substring(image.indexOf(':') + 1))
                + "</version>");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 620",
    "'drain: {preStopSeconds: 0}', 610",
    "'drain: {preStopSeconds: 5, parkedSeconds: 900}', 915",
    "'drain: {parkedSeconds: 30, streamsSeconds: 60}', 80"
  })
  void gracePeriod_isThePauseAndTheLongerDrainAndTenSeconds(String values, int seconds)
      throws Exception {
    assertThat(gateway(values).at("/spec/terminationGracePeriodSeconds").asInt())
        .isEqualTo(seconds);
  }

  @Test
  void routes_thatChange_startNothingAnew_andSecretsThatChange_do() throws Exception {
    JsonNode before = gateway("routes: {a.yaml: '# one'}");
    assertThat(gateway("routes: {a.yaml: '# two'}")).isEqualTo(before);
    assertThat(
            gateway("{routes: {a.yaml: '# one'}, providerKeys: {values: {A: b}}}").at("/metadata"))
        .isNotEqualTo(before.at("/metadata"));
    JsonNode mount = before.at("/spec/containers/0/volumeMounts/0");
    assertThat(mount.path("mountPath").asText()).isEqualTo("/etc/penstock/routes");
    assertThat(mount.has("subPath")).as("a file, which would never change").isFalse();
  }

  @Test
  void routes_unlessGiven_areThoseOfTheRepository() throws Exception {
    JsonNode shipped =
        KubernetesObject.only(
                helmChart.render("keys: {first: {create: false}}"), "ConfigMap", "-routes")
            .at("/data");
    try (Stream<Path> files = Files.list(Path.of("routes"))) {
      Map<String, String> ours =
          files
              .filter(each -> each.toString().endsWith(".yaml"))
              .collect(
                  Collectors.toMap(each -> each.getFileName().toString(), ChartFactsTest::text));
      assertThat(shipped).hasSize(ours.size());
      ours.forEach((name, text) -> assertThat(shipped.path(name).asText()).isEqualTo(text));
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void instances_unlessScaled_areAsManyAsSaid() throws Exception {
    for (String scaled :
        List.of("autoscaling: {enabled: true}", "keda: {enabled: true, prometheus: 'http://p'}")) {
      KubernetesObject gateway =
          KubernetesObject.only(helmChart.render(scaled), "Deployment", "penstock");
      assertThat(gateway.at("/spec").has("replicas")).as(scaled).isFalse();
    }
    KubernetesObject three =
        KubernetesObject.only(helmChart.render("replicaCount: 3"), "Deployment", "penstock");
    assertThat(three.at("/spec/replicas").asInt()).isEqualTo(3);
  }

  @Test
  void operatorPort_isReachedFromMonitoringAndTheTestAlone() throws Exception {
    List<KubernetesObject> all = helmChart.render("service: {type: LoadBalancer}");
    assertThat(KubernetesObject.only(all, "Service", "-operator").at("/spec/type").asText())
        .isEqualTo("ClusterIP");
    assertThat(KubernetesObject.only(all, "Service", "penstock").at("/spec/ports")).hasSize(1);
    List<JsonNode> in =
        KubernetesObject.each(
            KubernetesObject.only(all, "NetworkPolicy", "penstock").at("/spec/ingress"));
    List<JsonNode> operator =
        in.stream().filter(each -> each.at("/ports/0/port").asInt() == 8081).toList();
    assertThat(operator).hasSize(1);
    assertThat(operator.getFirst().path("from").toString())
        .isEqualTo(
            "[{\"namespaceSelector\":{\"matchLabels\":{\"kubernetes.io/metadata.name\":"
                + "\"monitoring\"}}},{\"podSelector\":{\"matchLabels\":{\"app.kubernetes.io/name\":"
                + "\"penstock\",\"app.kubernetes.io/instance\":\"rel\","
                + "\"app.kubernetes.io/component\":\"test\"}}}]");
    KubernetesObject deny = KubernetesObject.only(all, "NetworkPolicy", "-deny");
    assertThat(deny.at("/spec/policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]");
    assertThat(deny.at("/spec").has("ingress") || deny.at("/spec").has("egress")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "'', '[53, 53, 443, 6379]'",
    "'{sharing: local, redis: {bundled: {enabled: false}}}', '[53, 53, 443]'",
    "'database: {url: \"r2dbc:mariadb://u:p@h/d\"}', '[53, 53, 443, 6379, 3306]'"
  })
  void egress_isNamesProvidersAndWhatTheReleaseUses(String values, String ports) throws Exception {
    KubernetesObject policy =
        KubernetesObject.only(helmChart.render(values), "NetworkPolicy", "penstock");
    assertThat(policy.at("/spec/egress").findValuesAsText("port").toString()).isEqualTo(ports);
  }

  @Test
  void secret_thatIsThere_isKept() throws Exception {
    String kept = Base64.getEncoder().encodeToString("made-at-the-first-install".getBytes(UTF_8));
    Path other = Files.createDirectory(directory.resolve("kept"));
    HelmChart again =
        new HelmChart(
            other,
            "{\"operator-token\": \"%1$s\", \"redis-password\": \"%1$s\", \"first-key\": \"%1$s\"}"
                .formatted(kept));
    List<KubernetesObject> all = again.render("");
    assertThat(KubernetesObject.only(all, "Secret", "penstock").at("/data/operator-token").asText())
        .isEqualTo(kept);
    assertThat(KubernetesObject.only(all, "Secret", "-redis").at("/data/redis-password").asText())
        .isEqualTo(kept);
    assertThat(KubernetesObject.only(all, "Secret", "-first-key").at("/data/first-key").asText())
        .isEqualTo(kept);
    String made =
        KubernetesObject.only(helmChart.render(""), "Secret", "penstock")
            .at("/data/operator-token")
            .asText();
    assertThat(new String(Base64.getDecoder().decode(made), UTF_8)).matches("[0-9A-Za-z]{48}");
  }

  static List<BroughtValues.Brought> brought() {
    return BroughtValues.ALL;
  }

  @ParameterizedTest
  @MethodSource("brought")
  void value_thatPeopleBring_standsInTheObject(BroughtValues.Brought brought) throws Exception {
    // the main object of a kind has the shortest name
    KubernetesObject object =
        helmChart.render(brought.values()).stream()
            .filter(each -> each.kind().equals(brought.kind()))
            .min(Comparator.comparingInt(each -> each.name().length()))
            .orElseThrow();
    JsonNode found = object.at(brought.pointer());
    if (brought.expected().isEmpty()) {
      assertThat(found.isMissingNode()).isTrue();
    } else {
      assertThat(found).isEqualTo(HelmChart.yaml(brought.expected()));
    }
  }

  @Test
  void firstKey_isInItsSecretAlone_andRoutesHaveItsSha256() throws Exception {
    List<KubernetesObject> all = helmChart.render("");
    String base64 =
        KubernetesObject.only(all, "Secret", "-first-key").at("/data/first-key").asText();
    String key = new String(Base64.getDecoder().decode(base64), UTF_8);
    assertThat(key).matches("[0-9A-Za-z]{48}");
    assertThat(firstKey(all)).contains("sha256: " + sha256(key) + "\n");
    assertThat(all.stream().filter(each -> each.root().toString().contains(base64))).hasSize(1);
    assertThat(all.stream().filter(each -> each.root().toString().contains(key))).isEmpty();
  }

  private static String text(List<KubernetesObject> all) {
    return all.stream().map(each -> each.root().toString()).collect(Collectors.joining("\n"));
  }

  private static String firstKey(List<KubernetesObject> all) {
    return KubernetesObject.only(all, "ConfigMap", "-routes").at("/data/first-key.yaml").asText();
  }

  private static String sha256(String text) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
  }

  @Test
  void firstKey_ofASecretThatIsNamed_isReadFromIt() throws Exception {
    List<KubernetesObject> all =
        helmChart.render("keys: {first: {existingSecret: {name: my-key, key: sha}}}");
    assertThat(firstKey(all)).contains("sha256: ${FIRST_KEY_SHA256}\n");
    Path routes = Files.createDirectory(directory.resolve("first-key"));
    KubeletPod.mount(KubernetesObject.only(all, "ConfigMap", "-routes"), routes, "..1");
    Map<String, String> environment = Map.of("FIRST_KEY_SHA256", sha256("a key"));
    assertThat(new RouteFiles(environment, MockAddress::parse).load(routes))
        .isInstanceOf(LoadedConfiguration.Good.class);
    assertThat(new RouteFiles(Map.of(), MockAddress::parse).load(routes))
        .isNotInstanceOf(LoadedConfiguration.Good.class);
    assertThat(all).noneMatch(each -> each.name().endsWith("-first-key"));
    assertThat(
            KubernetesObject.only(all, "Deployment", "penstock").container().path("env").toString())
        .contains(
            "{\"name\":\"FIRST_KEY_SHA256\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"my-key\","
                + "\"key\":\"sha\"}}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "keys: {required: false}",
        "keys: {first: {create: false}}",
        "routesConfigMap: my-routes"
      })
  void firstKey_whereItHasNoUse_isNotMade(String values) throws Exception {
    assertThat(text(helmChart.render(values))).doesNotContain("first-key");
  }

  @Test
  void podSecurity_whereTheClusterChoosesUsers_namesOnlyThoseOfValues() throws Exception {
    String ids = "\"(runAsUser|runAsGroup|fsGroup)\"";
    HelmChart other = new HelmChart(Files.createDirectory(directory.resolve("openshift")), "{}");
    // a group that the renderer knows
    other.replace("templates/_helpers.tpl", "security\\.openshift\\.io/v1", "apps/v1");
    assertThat(text(other.render(""))).doesNotContainPattern(ids);
    assertThat(text(helmChart.render("openshift: true"))).doesNotContainPattern(ids);
    assertThat(text(helmChart.render(""))).containsPattern(ids);
    List<KubernetesObject> own =
        other.render("podSecurityContext: {runAsUser: 1000, fsGroupChangePolicy: null}");
    assertThat(
            KubernetesObject.only(own, "Deployment", "penstock")
                .pod()
                .at("/spec/securityContext")
                .toString())
        .isEqualTo(
            "{\"runAsNonRoot\":true,\"runAsUser\":1000,"
                + "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}");
    assertThat(KubernetesObject.only(own, "StatefulSet", "-redis").pod().at("/spec").toString())
        .doesNotContainPattern(ids);
  }

  @Test
  void labels_ofThePod_areTheChartsBeforeThoseOfThePodBeforeCommonOnes() throws Exception {
    JsonNode labels =
        gateway(
                "{podLabels: {a: pod, app.kubernetes.io/name: pod},"
                    + " commonLabels: {a: common, b: common, app.kubernetes.io/instance: common}}")
            .at("/metadata/labels");
    assertThat(labels.path("a").asText()).isEqualTo("pod");
    assertThat(labels.path("b").asText()).isEqualTo("common");
    assertThat(labels.path("app.kubernetes.io/name").asText()).isEqualTo("penstock");
    assertThat(labels.path("app.kubernetes.io/instance").asText()).isEqualTo("rel");
  }

  @Test
  void rulesAndDashboard_areInstalledAsTheyAre() throws Exception {
    List<KubernetesObject> all =
        helmChart.render("{prometheusRule: {enabled: true}, dashboard: {enabled: true}}");
    JsonNode rules = HelmChart.yaml(Files.readString(Path.of("k8s", "alerts", "penstock.yaml")));
    assertThat(rules.path("groups")).isNotEmpty();
    assertThat(KubernetesObject.only(all, "PrometheusRule", "penstock").at("/spec"))
        .isEqualTo(rules);
    String dashboard = Files.readString(Path.of("k8s", "dashboards", "penstock.json"));
    assertThat(
            KubernetesObject.only(all, "ConfigMap", "-dashboard")
                .at("/data/rel-penstock.json")
                .asText())
        .isEqualTo(dashboard);
  }

  @Test
  void values_schemaAndReadme_nameTheSame() throws Exception {
    JsonNode values = HelmChart.yaml(Files.readString(HelmChart.SOURCE.resolve("values.yaml")));
    JsonNode schema =
        HelmChart.yaml(Files.readString(HelmChart.SOURCE.resolve("values.schema.json")));
    ((ObjectNode) schema.path("properties")).remove("global"); // added by Helm
    assertThat(differences("", schema, values)).isEmpty();
    List<String> named =
        Files.readString(Path.of("k8s", "README.md"))
            .lines()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.split("\\|", -1)[1])
            .flatMap(cell -> Pattern.compile("`([^`]+)`").matcher(cell).results())
            .map(each -> "/" + each.group(1).replace(".*", "").replace('.', '/'))
            .toList();
    assertThat(named).hasSizeGreaterThan(15).allMatch(each -> !values.at(each).isMissingNode());
  }

  private static List<String> differences(String where, JsonNode schema, JsonNode values) {
    List<String> found = new ArrayList<>();
    if (schema.has("properties")) {
      if (schema.path("additionalProperties").asBoolean(true)) {
        found.add(where + " takes anything");
      }
      Set<String> names = new TreeSet<>();
      schema.path("properties").fieldNames().forEachRemaining(names::add);
      values.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        JsonNode known = schema.path("properties").path(name);
        JsonNode value = values.path(name);
        boolean inner = where.endsWith("/resources") || where.endsWith("/monitoringNamespaces");
        if (known.isMissingNode() || (value.isMissingNode() && !inner)) {
          found.add(where + "/" + name);
        }
        found.addAll(differences(where + "/" + name, known, value));
      }
    }
    return found;
  }

  @Test
  void redisUser_hasTheRightsThatThePageNames_andNoOthers() throws Exception {
    String page = DocumentPages.text(DocumentPages.page("instances.md"));
    MatchResult rule =
        Pattern.compile("`(~NS:\\* resetchannels &NS:shares[^`]*)`")
            .matcher(page)
            .results()
            .findFirst()
            .orElseThrow();
    KubernetesObject config =
        KubernetesObject.only(helmChart.render("redis: {namespace: here}"), "ConfigMap", "-redis");
    assertThat(config.at("/data/users.acl").asText().lines().toList())
        .hasSize(2)
        .last()
        .isEqualTo("user penstock on #PASSWORD_SHA256 " + rule.group(1).replace("NS", "here"));
  }

  @Test
  @SuppressWarnings("InlineFormatString") // it is used in a loop
  void rightsOfCoordination_areGivenWhereItUsesTheBundledRedis() throws Exception {
    String page = DocumentPages.text(DocumentPages.page("instances.md"));
    String rights =
        Pattern.compile("`(&NS:coordination:\\* [^`]*)`")
            .matcher(page)
            .results()
            .map(result -> result.group(1).replace("NS", "here"))
            .findFirst()
            .orElseThrow();
    for (String own : List.of("", ", redis: {url: 'redis://objects.example'}")) {
      KubernetesObject config =
          KubernetesObject.only(
              helmChart.render(
                  "{redis: {namespace: here}, coordination: {enabled: true%s}}".formatted(own)),
              "ConfigMap",
              "-redis");
      String user = config.at("/data/users.acl").asText().lines().toList().getLast();
      if (own.isEmpty()) {
        assertThat(user).endsWith(" " + rights);
      } else {
        assertThat(user).doesNotContain("coordination", "+persist");
      }
    }
  }

  /** Runs the script that starts the chart's Redis, with a real Redis that reads its result. */
  @Test
  void bundledRedis_letsItsUserIn_andNobodyElse() throws Exception {
    KubernetesObject config = KubernetesObject.only(helmChart.render(""), "ConfigMap", "-redis");
    Path etc = Files.createDirectory(directory.resolve("etc"));
    Path run = Files.createDirectory(directory.resolve("run"));
    Files.writeString(etc.resolve("users.acl"), config.at("/data/users.acl").asText());
    String script =
        config
            .at("/data/start.sh")
            .asText()
            .replace("/etc/redis", etc.toString())
            .replace("/run/redis", run.toString())
            .replace("exec redis-server", "exec echo");
    ProcessBuilder shell = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true);
    shell.environment().put("REDISCLI_AUTH", "secret/&\\1");
    Process process = shell.start();
    assertThat(new String(process.getInputStream().readAllBytes(), UTF_8))
        .contains(etc + "/redis.conf");
    assertThat(process.waitFor()).isZero();

    List<String> settings = new ArrayList<>();
    config
        .at("/data/redis.conf")
        .asText()
        .lines()
        .filter(line -> !line.matches("(port|bind|dir|aclfile) .*"))
        .forEach(settings::add);
    settings.add("aclfile " + run.resolve("users.acl"));
    try (RedisServer redis = RedisServer.started(settings.toArray(String[]::new))) {
      assertThat(redis.command("PING")).startsWith("-NOAUTH");
      redis.login("AUTH", "penstock", "wrong");
      assertThat(redis.command("PING")).startsWith("-NOAUTH");
      redis.login("AUTH", "penstock", "secret/&\\1");
      assertThat(redis.command("PING")).isEqualTo("+PONG");
      assertThat(redis.command("HSET", "rel-penstock:a", "b", "c")).isEqualTo(":1");
      assertThat(redis.command("HSET", "other:a", "b", "c")).startsWith("-NOPERM");
      assertThat(redis.command("CONFIG", "GET", "*")).startsWith("-NOPERM");
      assertThat(redis.command("INFO", "memory")).contains("maxmemory_policy:noeviction");
      assertThat(redis.command("INFO", "persistence")).contains("aof_enabled:1");
    }
  }
}
