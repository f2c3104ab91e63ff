package io.penstock.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.LintResult;
import io.penstock.suite.TaggedTests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that Kubernetes accepts the chart's objects for every switch and every pair of switches.
 */
@Tag(TaggedTests.FULL)
class ChartIT {
  @TempDir static Path directory;

  private static HelmChart helmChart;

  @BeforeAll
  static void copy() {
    helmChart = new HelmChart(directory, "{}");
  }

  static List<String> switches() {
    return ChartSwitches.names();
  }

  @Test
  void chart_asItIs_passesHelmsOwnRules() {
    LintResult result = HelmChart.lint();
    assertThat(result.getMessages()).isEmpty();
    assertThat(result.isFailed()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("switches")
  void switch_withEveryOther_makesValidObjectsOrIsRefused(String one) throws Exception {
    for (String other : ChartSwitches.names()) {
      JsonNode values = ChartSwitches.values(one, other);
      if (ChartSwitches.contradict(one, other)) {
        assertThat(helmChart.refusal(values)).as(other).get().asString().contains("checks.yaml");
      } else if (one.compareTo(other) <= 0) { // each pair once
        assertValid(other, values, helmChart.render(values));
      }
    }
  }

  private static void assertValid(String with, JsonNode values, List<KubernetesObject> objects) {
    assertThat(objects).as(with).isNotEmpty();
    assertThat(objects.stream().flatMap(each -> KubernetesSchemas.fault(each).stream()))
        .as(with)
        .isEmpty();
    assertThat(ObjectReferences.faults(objects)).as(with).isEmpty();
    assertThat(objects.stream().map(KubernetesObject::toString)).as(with).doesNotHaveDuplicates();
    assertThat(objects.stream().filter(KubernetesObject::makesPods))
        .as(with)
        .allSatisfy(each -> assertRestricted(each, values));
  }

  /** Asserts the pod security standard "restricted", and that only volumes are writable. */
  private static void assertRestricted(KubernetesObject owner, JsonNode values) {
    JsonNode spec = owner.pod().path("spec");
    assertThat(spec.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    boolean clusterChooses = values.path("openshift").asBoolean();
    for (String id : List.of("runAsUser", "runAsGroup", "fsGroup")) {
      JsonNode given = spec.path("securityContext").path(id);
      boolean said = values.path("podSecurityContext").has(id) && !owner.name().endsWith("-redis");
      assertThat(given.isInt()).as(id).isEqualTo(said || !clusterChooses);
      assertThat(given.asInt(1)).as(id).isPositive();
    }
    assertThat(spec.at("/securityContext/seccompProfile/type").asText())
        .isEqualTo("RuntimeDefault");
    assertThat(spec.path("automountServiceAccountToken").asBoolean(true))
        .isEqualTo(
            owner.kind().equals("Deployment")
                && values.at("/serviceAccount/automount").asBoolean());
    assertThat(spec.path("enableServiceLinks").asBoolean(true)).isFalse();
    assertThat(spec.path("containers")).hasSize(1 + more(values, owner));
    JsonNode container = owner.container().path("securityContext");
    assertThat(container.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(container.path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(container.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
    assertThat(container.path("capabilities").has("add")).isFalse();
    assertThat(owner.container().at("/resources/limits").has("memory")).isTrue();
    List<String> kinds = new ArrayList<>();
    KubernetesObject.each(spec.path("volumes"))
        .forEach(volume -> volume.fieldNames().forEachRemaining(kinds::add));
    assertThat(new TreeSet<>(kinds)).isSubsetOf("name", "configMap", "emptyDir");
  }

  private static int more(JsonNode values, KubernetesObject owner) {
    return owner.kind().equals("Deployment") ? values.path("extraContainers").size() : 0;
  }

  @Test
  void everyKind_isMadeBySomeSwitch() throws Exception {
    TreeSet<String> kinds = new TreeSet<>();
    for (String one : ChartSwitches.names()) {
      helmChart.render(ChartSwitches.values("none", one)).forEach(each -> kinds.add(each.kind()));
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
    KubernetesObject object = made(kind);
    assertThat(KubernetesSchemas.fault(object)).isEmpty();
    ((ObjectNode) object.root().at(where)).put("mispelt", "x");
    assertThat(KubernetesSchemas.fault(object)).get().asString().contains("mispelt");
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
    KubernetesObject object = made(kind);
    ((ObjectNode) object.root().at(where)).remove(field);
    assertThat(KubernetesSchemas.fault(object)).get().asString().contains(field);
  }

  @Test
  void numberThatIsAText_isFound() throws Exception {
    KubernetesObject deployment = made("Deployment");
    ((ObjectNode) deployment.at("/spec")).put("replicas", "two");
    assertThat(KubernetesSchemas.fault(deployment)).isPresent();
  }

  @Test
  void nameThatLeadsNowhere_isFound() throws Exception {
    List<KubernetesObject> all = helmChart.render("");
    ((ObjectNode) KubernetesObject.only(all, "Deployment", "penstock").pod().path("spec"))
        .put("serviceAccountName", "nobody");
    ((ObjectNode) KubernetesObject.only(all, "Service", "-operator").at("/spec/ports/0"))
        .put("targetPort", "oprator");
    assertThat(ObjectReferences.faults(all))
        .hasSize(2)
        .anyMatch(fault -> fault.contains("nobody"))
        .anyMatch(fault -> fault.contains("oprator"));
  }

  private static KubernetesObject made(String kind) throws Exception {
    for (String one : ChartSwitches.names()) {
      for (KubernetesObject each : helmChart.render(ChartSwitches.values("none", one))) {
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
    assertThat(HelmChart.notes(values))
        .contains("helm test rel -n ns")
        .contains("http://rel-penstock.ns:80")
        .contains("NO key")
        .contains("No provider's key is set");
  }

  @Test
  void notes_sayHowToReadTheFirstKey_andNotTheKey() throws Exception {
    String notes = HelmChart.notes(Files.writeString(directory.resolve("first.yaml"), ""));
    assertThat(notes)
        .contains("kubectl -n ns get secret rel-penstock-first-key -o jsonpath='{.data.first-key}'")
        .contains("curl http://127.0.0.1:8080/demo/v1/chat/completions")
        .doesNotContainPattern("[0-9A-Za-z]{48}");
  }
}
