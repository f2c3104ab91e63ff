package io.penstock.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.LintResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that Kubernetes accepts the chart's objects for every switch and every pair of switches.
 */
class ChartIT {
  @TempDir static Path directory;

  private static Chart chart;

  @BeforeAll
  static void copy() {
    chart = new Chart(directory, "{}");
  }

  static List<String> switches() {
    return Switches.names();
  }

  @Test
  void chart_asItIs_passesHelmsOwnRules() {
    LintResult result = Chart.lint();
    assertThat(result.getMessages()).isEmpty();
    assertThat(result.isFailed()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("switches")
  void switch_withEveryOther_makesValidObjectsOrIsRefused(String one) throws Exception {
    for (String other : Switches.names()) {
      JsonNode values = Switches.values(one, other);
      if (Switches.contradict(one, other)) {
        assertThat(chart.refusal(values)).as(other).get().asString().contains("checks.yaml");
      } else if (one.compareTo(other) <= 0) { // each pair once
        assertValid(other, chart.render(values));
      }
    }
  }

  private static void assertValid(String with, List<Manifest> objects) {
    assertThat(objects).as(with).isNotEmpty();
    assertThat(objects.stream().flatMap(each -> Schemas.fault(each).stream())).as(with).isEmpty();
    assertThat(References.faults(objects)).as(with).isEmpty();
    assertThat(objects.stream().map(Manifest::toString)).as(with).doesNotHaveDuplicates();
    assertThat(objects.stream().filter(Manifest::makesPods))
        .as(with)
        .allSatisfy(ChartIT::assertRestricted);
  }

  /** Asserts the pod security standard "restricted", and that only volumes are writable. */
  private static void assertRestricted(Manifest owner) {
    JsonNode spec = owner.pod().path("spec");
    assertThat(spec.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    assertThat(spec.at("/securityContext/runAsUser").asInt()).isPositive();
    assertThat(spec.at("/securityContext/seccompProfile/type").asText())
        .isEqualTo("RuntimeDefault");
    assertThat(spec.path("automountServiceAccountToken").asBoolean(true)).isFalse();
    assertThat(spec.path("enableServiceLinks").asBoolean(true)).isFalse();
    assertThat(spec.path("containers")).hasSize(1);
    JsonNode container = owner.container().path("securityContext");
    assertThat(container.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(container.path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(container.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
    assertThat(container.path("capabilities").has("add")).isFalse();
    assertThat(owner.container().at("/resources/limits").has("memory")).isTrue();
    List<String> kinds = new ArrayList<>();
    Manifest.each(spec.path("volumes"))
        .forEach(volume -> volume.fieldNames().forEachRemaining(kinds::add));
    assertThat(new TreeSet<>(kinds)).isSubsetOf("name", "configMap", "emptyDir");
  }

  @Test
  void everyKind_isMadeBySomeSwitch() throws Exception {
    TreeSet<String> kinds = new TreeSet<>();
    for (String one : Switches.names()) {
      chart.render(Switches.values("none", one)).forEach(each -> kinds.add(each.kind()));
    }
    assertThat(kinds)
        .contains(
            "ConfigMap",
            "Deployment",
            "HTTPRoute",
            "HorizontalPodAutoscaler",
            "Ingress",
            "NetworkPolicy",
            "Pod",
            "PodDisruptionBudget",
            "PrometheusRule",
            "ScaledObject",
            "Secret",
            "Service",
            "ServiceAccount",
            "ServiceMonitor",
            "StatefulSet");
  }

  /** Checks that the checks above do reject invalid objects. */
  @ParameterizedTest
  @CsvSource({
    "Deployment,/spec/template/spec/containers/0",
    "Deployment,/spec/template/spec/containers/0/readinessProbe/httpGet",
    "Deployment,/spec/template/spec/topologySpreadConstraints/0",
    "StatefulSet,/spec/volumeClaimTemplates/0/spec",
    "Service,/spec/ports/0",
    "ConfigMap,/metadata",
    "Secret,''",
    "NetworkPolicy,/spec",
    "PodDisruptionBudget,/spec",
    "HorizontalPodAutoscaler,/spec/metrics/0/pods/target",
    "ScaledObject,/spec/advanced/horizontalPodAutoscalerConfig/behavior",
    "ScaledObject,/spec/triggers/0/metadata",
    "PrometheusRule,/spec/groups/0/rules/0",
    "HTTPRoute,/spec/rules/0/timeouts",
    "Ingress,/spec/rules/0/http/paths/0/backend/service",
    "ServiceMonitor,/spec/endpoints/0",
    "Pod,/spec/containers/0",
    "ServiceAccount,''",
  })
  void field_misspelt_isFound(String kind, String where) throws Exception {
    Manifest object = made(kind);
    assertThat(Schemas.fault(object)).isEmpty();
    ((ObjectNode) object.root().at(where)).put("mispelt", "x");
    assertThat(Schemas.fault(object)).get().asString().contains("mispelt");
  }

  @ParameterizedTest
  @CsvSource({
    "Deployment,/spec,selector",
    "Deployment,/spec/template/spec/containers/0,name",
    "Service,/spec/ports/0,port",
    "HorizontalPodAutoscaler,/spec,maxReplicas",
    "Ingress,/spec/rules/0/http/paths/0,pathType",
    "ScaledObject,/spec,triggers"
  })
  void field_thatMustBeThere_isMissed(String kind, String where, String field) throws Exception {
    Manifest object = made(kind);
    ((ObjectNode) object.root().at(where)).remove(field);
    assertThat(Schemas.fault(object)).get().asString().contains(field);
  }

  @Test
  void numberThatIsAText_isFound() throws Exception {
    Manifest deployment = made("Deployment");
    ((ObjectNode) deployment.at("/spec")).put("replicas", "two");
    assertThat(Schemas.fault(deployment)).isPresent();
  }

  @Test
  void nameThatLeadsNowhere_isFound() throws Exception {
    List<Manifest> all = chart.render("");
    ((ObjectNode) Manifest.only(all, "Deployment", "penstock").pod().path("spec"))
        .put("serviceAccountName", "nobody");
    ((ObjectNode) Manifest.only(all, "Service", "-operator").at("/spec/ports/0"))
        .put("targetPort", "oprator");
    assertThat(References.faults(all))
        .hasSize(2)
        .anyMatch(fault -> fault.contains("nobody"))
        .anyMatch(fault -> fault.contains("oprator"));
  }

  private static Manifest made(String kind) throws Exception {
    for (String one : Switches.names()) {
      for (Manifest each : chart.render(Switches.values("none", one))) {
        if (each.kind().equals(kind)) {
          return each;
        }
      }
    }
    throw new AssertionError("nothing makes a " + kind);
  }

  @Test
  void notes_ofTheChartItself_sayWhereToLook() throws Exception {
    Path values = Files.writeString(directory.resolve("notes.yaml"), "keys: {required: false}");
    assertThat(Chart.notes(values))
        .contains("helm test rel -n ns")
        .contains("http://rel-penstock.ns:80")
        .contains("NO key")
        .contains("No provider's key is set");
  }
}
