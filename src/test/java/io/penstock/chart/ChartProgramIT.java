package io.penstock.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the real program, started as in the chart, meets the expectations of the chart's
 * probes and tests.
 */
@Tag(TaggedTests.FULL)
class ChartProgramIT {
  private static final String TOKEN = "a-token-for-operators";

  private static final String SCALED = "autoscaling: {enabled: true, upstreamUtilization: 90}";

  private static final String KEDA =
      "keda: {enabled: true, upstreamUtilization: 90, prometheus: 'http://p'}";

  /** SHA-256 of the key {@code secret}. */
  private static final String SHA_256 =
      "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

  @TempDir Path directory;

  private final int port = RunningGateway.freePort();
  private final int operatorPort = RunningGateway.freePort();

  @Test
  void program_startedAsTheChartSays_isWellAndFollowsItsConfigMap() throws Exception {
    HelmChart helmChart = new HelmChart(directory.resolve("chart"), "{}");
    Path routes = Files.createDirectory(directory.resolve("routes"));
    List<KubernetesObject> all = rendered(helmChart, "/first");
    KubeletPod.mount(KubernetesObject.only(all, "ConfigMap", "-routes"), routes, "..1");
    KubernetesObject gateway = KubernetesObject.only(all, "Deployment", "penstock");
    try (KubeletPod kubeletPod = new KubeletPod(gateway, all, here(routes))) {
      String ready = gateway.container().at("/readinessProbe/httpGet/path").asText();
      String alive = gateway.container().at("/livenessProbe/httpGet/path").asText();
      await(kubeletPod, () -> status(operatorPort, ready, "") == 200);
      assertThat(status(operatorPort, alive, "")).isEqualTo(200);
      assertThat(status(operatorPort, "/actuator/prometheus", "")).isEqualTo(401);
      assertThat(status(operatorPort, "/actuator/prometheus", TOKEN)).isEqualTo(200);
      assertThat(status(port, "/first", "")).isEqualTo(401);
      assertThat(status(port, "/first", "secret")).isEqualTo(200);
      assertScrapeHas(scaledBy(helmChart));

      List<KubernetesObject> next = rendered(helmChart, "/second");
      KubeletPod.mount(KubernetesObject.only(next, "ConfigMap", "-routes"), routes, "..2");
      await(kubeletPod, () -> status(port, "/second", "secret") == 200);

      assertThat(helmTest(all, TOKEN)).isZero();
      assertThat(helmTest(all, "another-token-of-nobody")).isEqualTo(1);

      kubeletPod.terminate();
      assertThat(kubeletPod.exitCode()).as(kubeletPod.log()).isZero();
    }
  }

  /** Starts what is installed without values, but for Redis, which here is another one. */
  @Test
  void program_ofNoValues_answersARequestWithTheFirstKey() throws Exception {
    HelmChart helmChart = new HelmChart(directory.resolve("chart"), "{}");
    Path routes = Files.createDirectory(directory.resolve("routes"));
    List<KubernetesObject> all =
        helmChart.render(
            "redis: {url: '%s', bundled: {enabled: false}}".formatted(RedisServer.shared().url()));
    KubeletPod.mount(KubernetesObject.only(all, "ConfigMap", "-routes"), routes, "..1");
    KubernetesObject gateway = KubernetesObject.only(all, "Deployment", "penstock");
    String key =
        new String(
            Base64.getDecoder()
                .decode(
                    KubernetesObject.only(all, "Secret", "-first-key")
                        .at("/data/first-key")
                        .asText()),
            UTF_8);
    try (KubeletPod kubeletPod = new KubeletPod(gateway, all, here(routes))) {
      String ready = gateway.container().at("/readinessProbe/httpGet/path").asText();
      await(kubeletPod, () -> status(operatorPort, ready, "") == 200);
      assertThat(chat("")).contains("HTTP/1.1 401 ");
      assertThat(chat(key)).contains("HTTP/1.1 200 ").contains("\"choices\"");
    }
  }

  private String chat(String key) {
    String body = "{\"model\":\"demo\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      HttpMessage answer =
          byteSocket
              .send(
                  "POST /demo/v1/chat/completions HTTP/1.1\r\nHost: pod\r\n"
                      + "Content-Type: application/json\r\nAuthorization: Bearer "
                      + key
                      + "\r\nContent-Length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body)
              .answer();
      return "HTTP/1.1 " + answer.status() + " " + answer.text();
    }
  }

  private static List<KubernetesObject> rendered(HelmChart helmChart, String path)
      throws HelmChart.Refused {
    String values =
        """
        {operator: {token: %s}, keys: {required: true}, providerKeys: {values: {RATE: "50"}},
         drain: {parkedSeconds: 1, streamsSeconds: 2},
         redis: {url: "%s", bundled: {enabled: false}},
         routes: {a.yaml: "keys: [{name: a, sha256: %s}]\\n\
        endpoints: [{path: %s, rate: '${RATE}'}, {path: /up, dialect: openai,\
         upstreams: [{id: m, url: 'mock://openai', rpm_limit: 60}]}]\\n"}}
        """
            .formatted(TOKEN, RedisServer.shared().url(), SHA_256, path);
    return helmChart.render(values);
  }

  /** Returns the names of the metrics used for scaling. */
  private static Set<String> scaledBy(HelmChart helmChart) throws HelmChart.Refused {
    String scaled =
        KubernetesObject.only(helmChart.render(SCALED), "HorizontalPodAutoscaler", "").root()
            + KubernetesObject.only(helmChart.render(KEDA), "ScaledObject", "").root().toString();
    return Pattern.compile("penstock_[a-z_]+")
        .matcher(scaled)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toSet());
  }

  private void assertScrapeHas(Set<String> names) {
    assertThat(names).contains("penstock_queue_depth", "penstock_utilization");
    // a model has metrics from its first request on
    assertThat(status(port, "/up/v1/chat/completions", "secret")).isPositive();
    String scrape = answer(operatorPort, "/actuator/prometheus", TOKEN).text();
    assertThat(names).allMatch(name -> scrape.contains("\n" + name + "{"));
    assertThat(scrape).containsPattern("\npenstock_utilization\\{[^}]*scope=\"local\"");
  }

  /** Runs the pod of {@code helm test}, and returns its exit code. */
  private int helmTest(List<KubernetesObject> all, String token) throws Exception {
    KubernetesObject test = KubernetesObject.only(all, "Pod", "-test");
    UnaryOperator<String> here =
        text ->
            text.replace("http://rel-penstock-operator:8081", "http://127.0.0.1:" + operatorPort)
                .replace(TOKEN, token);
    try (KubeletPod kubeletPod = new KubeletPod(test, all, here)) {
      int code = kubeletPod.exitCode();
      assertThat(kubeletPod.log().contains("/second")).as(kubeletPod.log()).isEqualTo(code == 0);
      return code;
    }
  }

  private UnaryOperator<String> here(Path routes) {
    return text ->
        text.replace("/etc/penstock/routes", routes.toString())
            .replaceAll("^--port=8080$", "--port=" + port)
            .replaceAll("^--operator-port=8081$", "--operator-port=" + operatorPort);
  }

  private static void await(KubeletPod kubeletPod, Callable<Boolean> condition) {
    PatientWaits.await()
        .failFast(() -> assertThat(kubeletPod.runs()).as(kubeletPod.log()).isTrue())
        .until(condition);
  }

  /** Returns the status of an answer, or 0 if there is none. */
  private static int status(int port, String path, String token) {
    try {
      return answer(port, path, token).status();
    } catch (UncheckedIOException notYet) {
      return 0;
    }
  }

  private static HttpMessage answer(int port, String path, String token) {
    String authorization = token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
    String request = "GET " + path + " HTTP/1.1\r\nHost: pod\r\n" + authorization + "\r\n";
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket.send(request).answer();
    }
  }
}
