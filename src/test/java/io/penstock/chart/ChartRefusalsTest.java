package io.penstock.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that values that cannot work, or would not be safe, are refused before anything is
 * installed.
 */
class ChartRefusalsTest {
  @TempDir static Path directory;

  private static HelmChart helmChart;

  @BeforeAll
  static void copy() {
    helmChart = new HelmChart(directory, "{}");
  }

  private static final String ALONE = "redis: {bundled: {enabled: false}}";

  static List<Arguments> bad() {
    return List.of(
        Arguments.of("replica: 3", "at '': additional properties 'replica' not allowed"),
        Arguments.of("redis: {urll: x}", "at '/redis': additional properties 'urll' not allowed"),
        Arguments.of("replicaCount: -1", "replicaCount is -1, expected 0 or more"),
        Arguments.of("replicaCount: two", "at '/replicaCount': got string, want integer"),
        Arguments.of("sharing: often", "at '/sharing': value must be one of 'exact', 'eventual'"),
        Arguments.of("operator: {type: LoadBalancer}", "additional properties 'type' not allowed"),
        Arguments.of("operator: {token: short}", "operator.token is no token, expected 16"),
        Arguments.of(
            "redis: {url: 'http://h', bundled: {enabled: false}}",
            "redis.url is no address of Redis"),
        Arguments.of(
            "database: {url: 'jdbc:mariadb://h/d'}", "database.url is no address of a database"),
        Arguments.of("routes: {a.txt: x}", "additional properties 'a.txt' not allowed"),
        Arguments.of("drain: {streamsSeconds: -1}", "at '/drain/streamsSeconds'"),
        Arguments.of(ALONE, "sharing is exact and there may be more than one instance"),
        Arguments.of(
            "{sharing: eventual, " + ALONE + "}",
            "sharing is eventual and there may be more than one instance"),
        Arguments.of(
            "{replicaCount: 1, autoscaling: {enabled: true}, " + ALONE + "}",
            "sharing is exact and there may be more than one instance"),
        Arguments.of(
            "{replicaCount: 1, keda: {enabled: true, prometheus: 'http://p'}, " + ALONE + "}",
            "sharing is exact and there may be more than one instance"),
        Arguments.of(
            "{sharing: local, routes: {a.yaml: \"endpoints:\\n  - path: /a\\n    sharing:"
                + " exact\\n\"}, "
                + ALONE
                + "}",
            "routes.a.yaml shares a limit between instances, which needs Redis"),
        Arguments.of("redis: {url: 'redis://h'}", "there are two Redis"),
        Arguments.of(
            "coordination: {enabled: true, redis: {url: 'here:6379'}}",
            "coordination.redis.url is no address of Redis"),
        Arguments.of(
            "coordination: {redis: {url: 'redis://h'}}",
            "coordination.redis names a Redis for the coordination API, which is off"),
        Arguments.of(
            "coordination: {enabled: true, redis: {url: 'redis://h', existingSecret: {name: s}}}",
            "coordination.redis.url and coordination.redis.existingSecret.name both say"),
        Arguments.of("coordination: {maxBytes: 64Mi}", "at '/coordination/maxBytes'"),
        Arguments.of("keys: {store: sql}", "keys.store is sql, which needs a database"),
        Arguments.of(
            "operator: {createToken: false}",
            "the operator port listens on the pod's address, where it must not be open"),
        Arguments.of(
            "networkPolicy: {monitoringNamespaces: {matchLabels: null}}",
            "networkPolicy.monitoringNamespaces is empty, which would let every namespace"),
        Arguments.of(
            "autoscaling: {minReplicas: 20}", "autoscaling.minReplicas is 20, expected at most"),
        Arguments.of(
            "autoscaling: {enabled: true, queueDepth: 0, targetCPUUtilizationPercentage: 0}",
            "autoscaling is enabled and has nothing to scale by"),
        Arguments.of("keda: {enabled: true}", "set keda.prometheus to its URL"),
        Arguments.of("ingress: {enabled: true}", "ingress is enabled for no host"),
        Arguments.of(
            "httpRoute: {enabled: true}", "httpRoute is enabled and belongs to no Gateway"));
  }

  @ParameterizedTest
  @MethodSource("bad")
  void values_thatAreBad_areRefusedWithASentence(String values, String sentence) {
    assertThat(helmChart.refusal(HelmChart.yaml(values))).get().asString().contains(sentence);
  }

  @ParameterizedTest
  @CsvSource({
    "replicas: 3, replicas is now replicaCount",
    "'image: {pullSecrets: [a]}', image.pullSecrets is now imagePullSecrets",
    "extraVolumes: [], extraVolumes is now volumes",
    "extraVolumeMounts: [], extraVolumeMounts is now volumeMounts",
    "'ingress: {host: a}', ingress.host is now ingress.hosts",
    "'ingress: {tlsSecret: a}', ingress.tlsSecret is now ingress.tls",
    "'ingress: {timeoutSeconds: 60}', ingress.timeoutSeconds is now ingress.annotations",
    "'ingress: {maxBody: 1m}', ingress.maxBody is now ingress.annotations",
    "'autoscaling: {cpuUtilization: 70}',"
        + " autoscaling.cpuUtilization is now autoscaling.targetCPUUtilizationPercentage"
  })
  void nameOfBefore_isAnsweredWithTheNewOne(String values, String sentence) {
    assertThat(helmChart.refusal(HelmChart.yaml(values))).get().asString().contains(sentence);
  }

  /** The values that a new chart has, with all that can be turned on. */
  @Test
  void valuesOfANewChart_areTaken() {
    String values =
        """
        replicaCount: 1
        image: {repository: nginx, pullPolicy: IfNotPresent, tag: ""}
        imagePullSecrets: []
        nameOverride: ""
        fullnameOverride: ""
        serviceAccount: {create: true, automount: true, annotations: {}, name: ""}
        podAnnotations: {}
        podLabels: {}
        podSecurityContext: {}
        securityContext: {}
        service: {type: ClusterIP, port: 80}
        ingress:
          enabled: true
          className: ""
          annotations: {}
          hosts:
            - host: chart-example.local
              paths: [{path: /, pathType: ImplementationSpecific}]
          tls: []
        httpRoute:
          enabled: true
          annotations: {}
          parentRefs: [{name: gateway, sectionName: http}]
          hostnames: [chart-example.local]
          rules:
            - matches: [{path: {type: PathPrefix, value: /headers}}]
        resources: {}
        livenessProbe: {httpGet: {path: /, port: http}}
        readinessProbe: {httpGet: {path: /, port: http}}
        autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 100, targetCPUUtilizationPercentage: 80}
        volumes: []
        volumeMounts: []
        nodeSelector: {}
        tolerations: []
        affinity: {}
        """;
    assertThat(helmChart.refusal(HelmChart.yaml(values))).isEqualTo(Optional.empty());
  }

  @Test
  void values_thatLookSimilar_areNot() {
    for (String good :
        List.of(
            "{replicaCount: 1, " + ALONE + "}",
            "{sharing: local, " + ALONE + "}",
            "{sharing: local, routes: {a.yaml: \"# sharing: exact\\n\"}, " + ALONE + "}",
            "replicaCount: 0",
            "global: {anything: x}",
            "sharing: eventual")) {
      assertThat(helmChart.refusal(HelmChart.yaml(good))).as(good).isEqualTo(Optional.empty());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "operator: {token: 'my secret'}",
        "redis: {url: 'my secret', bundled: {enabled: false}}",
        "database: {url: 'my secret'}"
      })
  void refusal_ofASecretThatIsWrong_doesNotShowIt(String values) {
    assertThat(helmChart.refusal(HelmChart.yaml(values)))
        .get()
        .asString()
        .doesNotContain("my secret");
  }
}
