package io.penstock.chart;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Checks that references between the objects of one release have targets. */
final class ObjectReferences {
  /** Prefix of names that are not the chart's own. */
  private static final String ELSEWHERE = "my-";

  private final List<KubernetesObject> all;
  private final List<String> faults = new ArrayList<>();

  private ObjectReferences(List<KubernetesObject> all) {
    this.all = all;
  }

  /** Returns the references without a target. */
  static List<String> faults(List<KubernetesObject> all) {
    ObjectReferences objectReferences = new ObjectReferences(all);
    for (KubernetesObject each : all) {
      if (each.makesPods()) {
        objectReferences.pod(each);
      }
      switch (each.kind()) {
        case "Service" -> objectReferences.service(each);
        case "NetworkPolicy" ->
            objectReferences.selects(each, each.at("/spec/podSelector/matchLabels"));
        case "PodDisruptionBudget" ->
            objectReferences.selects(each, each.at("/spec/selector/matchLabels"));
        case "Ingress" ->
            objectReferences.named(
                each, "Service", each.at("/spec/rules/0/http/paths/0/backend/service/name"));
        case "HTTPRoute" -> objectReferences.backend(each);
        case "HorizontalPodAutoscaler", "ScaledObject" ->
            objectReferences.named(each, "Deployment", each.at("/spec/scaleTargetRef/name"));
        case "ServiceMonitor" -> objectReferences.monitor(each);
        default -> {}
      }
    }
    return objectReferences.faults;
  }

  private void pod(KubernetesObject owner) {
    JsonNode spec = owner.pod().path("spec");
    named(owner, "ServiceAccount", spec.path("serviceAccountName"));
    List<String> volumes = new ArrayList<>();
    for (JsonNode volume : KubernetesObject.each(spec.path("volumes"))) {
      volumes.add(volume.path("name").asText());
      if (volume.has("configMap")) {
        named(owner, "ConfigMap", volume.at("/configMap/name"));
      }
    }
    for (JsonNode claim : KubernetesObject.each(owner.at("/spec/volumeClaimTemplates"))) {
      volumes.add(claim.at("/metadata/name").asText());
    }
    JsonNode container = owner.container();
    for (JsonNode mount : KubernetesObject.each(container.path("volumeMounts"))) {
      check(
          volumes.contains(mount.path("name").asText()), owner, "mounts %s".formatted(mount), "it");
    }
    for (JsonNode variable : KubernetesObject.each(container.path("env"))) {
      JsonNode secret = variable.at("/valueFrom/secretKeyRef");
      if (!secret.isMissingNode()) {
        secret(owner, secret);
      }
    }
    for (JsonNode from : KubernetesObject.each(container.path("envFrom"))) {
      boolean secret = from.has("secretRef");
      named(
          owner,
          secret ? "Secret" : "ConfigMap",
          from.path(secret ? "secretRef" : "configMapRef").path("name"));
    }
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      JsonNode port = container.path(probe).findPath("port");
      check(
          port.isMissingNode() || port(container, port.asText()),
          owner,
          probe + " asks " + port,
          "a port");
    }
    if (owner.root().at("/spec").has("selector")) {
      selects(owner, owner.at("/spec/selector/matchLabels"));
    }
  }

  private void service(KubernetesObject service) {
    List<KubernetesObject> pods = selects(service, service.at("/spec/selector"));
    for (JsonNode port : KubernetesObject.each(service.at("/spec/ports"))) {
      String target = port.path("targetPort").asText();
      check(
          pods.stream().allMatch(pod -> port(pod.container(), target)),
          service,
          "leads to " + target,
          "a port");
    }
  }

  private void backend(KubernetesObject route) {
    JsonNode backend = route.at("/spec/rules/0/backendRefs/0");
    named(route, "Service", backend.path("name"));
    check(
        ofKind("Service")
            .filter(each -> each.name().equals(backend.path("name").asText()))
            .anyMatch(each -> each.at("/spec/ports/0/port").equals(backend.path("port"))),
        route,
        "leads to " + backend,
        "a port");
  }

  private void monitor(KubernetesObject monitor) {
    JsonNode endpoint = monitor.at("/spec/endpoints/0");
    secret(monitor, endpoint.at("/authorization/credentials"));
    List<KubernetesObject> services =
        ofKind("Service")
            .filter(each -> has(each.at("/metadata/labels"), monitor.at("/spec/selector")))
            .toList();
    check(
        services.size() == 1
            && services.getFirst().at("/spec/ports/0/name").equals(endpoint.path("port")),
        monitor,
        "watches " + endpoint.path("port"),
        "one service");
  }

  private void secret(KubernetesObject owner, JsonNode reference) {
    named(owner, "Secret", reference.path("name"));
    String key = reference.path("key").asText();
    check(
        ofKind("Secret")
            .filter(each -> each.name().equals(reference.path("name").asText()))
            .allMatch(each -> each.at("/data").has(key)),
        owner,
        "reads " + reference,
        "a key");
  }

  private void named(KubernetesObject owner, String kind, JsonNode name) {
    check(
        name.asText().startsWith(ELSEWHERE)
            || ofKind(kind).anyMatch(each -> each.name().equals(name.asText())),
        owner,
        "names " + name,
        kind);
  }

  /** Returns the objects with pods that have these labels. */
  private List<KubernetesObject> selects(KubernetesObject owner, JsonNode labels) {
    List<KubernetesObject> found =
        all.stream()
            .filter(KubernetesObject::makesPods)
            .filter(each -> has(each.pod().at("/metadata/labels"), labels))
            .toList();
    check(!labels.isEmpty() && !found.isEmpty(), owner, "selects " + labels, "pods");
    return found;
  }

  private static boolean has(JsonNode labels, JsonNode selector) {
    JsonNode wanted = selector.has("matchLabels") ? selector.path("matchLabels") : selector;
    return wanted.properties().stream()
        .map(Map.Entry::copyOf)
        .allMatch(each -> each.getValue().equals(labels.path(each.getKey())));
  }

  private static boolean port(JsonNode container, String name) {
    return KubernetesObject.each(container.path("ports")).stream()
        .anyMatch(each -> each.path("name").asText().equals(name));
  }

  private Stream<KubernetesObject> ofKind(String kind) {
    return all.stream().filter(each -> each.kind().equals(kind));
  }

  private void check(boolean good, KubernetesObject owner, String what, String expected) {
    if (!good) {
      faults.add("%s %s, and there is not %s".formatted(owner, what, expected));
    }
  }
}
