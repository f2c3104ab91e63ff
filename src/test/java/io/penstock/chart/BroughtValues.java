package io.penstock.chart;

import java.util.List;

/** Values that people bring from other charts, and what becomes of each. */
final class BroughtValues {
  /**
   * A value.
   *
   * @param values the values that set it
   * @param kind kind of the object in which it stands
   * @param pointer where it stands there
   * @param expected JSON of what stands there; empty if nothing does
   */
  record Brought(String values, String kind, String pointer, String expected) {
    @Override
    public String toString() {
      return values;
    }
  }

  private static final String POD = "/spec/template/spec";
  private static final String CONTAINER = POD + "/containers/0";
  private static final String DIGEST = "sha256:" + "0a".repeat(32);

  static final List<Brought> ALL =
      List.of(
          gateway("replicaCount: 3", "/spec/replicas", "3"),
          gateway("image: {repository: a/b, tag: '1'}", CONTAINER + "/image", "\"a/b:1\""),
          gateway(
              "image: {tag: '1', digest: '%s'}".formatted(DIGEST),
              CONTAINER + "/image",
              "\"penstock@%s\"".formatted(DIGEST)),
          gateway("image: {pullPolicy: Always}", CONTAINER + "/imagePullPolicy", "\"Always\""),
          gateway("imagePullSecrets: [{name: a}]", POD + "/imagePullSecrets", "[{\"name\":\"a\"}]"),
          gateway("nameOverride: other", "/metadata/name", "\"rel-other\""),
          gateway("fullnameOverride: other", "/metadata/name", "\"other\""),
          of("serviceAccount: {name: a}", "ServiceAccount", "/metadata/name", "\"a\""),
          gateway("serviceAccount: {create: false}", POD + "/serviceAccountName", "\"default\""),
          of(
              "serviceAccount: {annotations: {a: b}}",
              "ServiceAccount",
              "/metadata/annotations",
              "{\"a\":\"b\"}"),
          gateway(
              "serviceAccount: {automount: true}", POD + "/automountServiceAccountToken", "true"),
          gateway("podAnnotations: {a: b}", "/spec/template/metadata/annotations/a", "\"b\""),
          gateway("podLabels: {a: b}", "/spec/template/metadata/labels/a", "\"b\""),
          gateway("podSecurityContext: {fsGroup: 2000}", POD + "/securityContext/fsGroup", "2000"),
          gateway(
              "securityContext: {readOnlyRootFilesystem: false}",
              CONTAINER + "/securityContext/readOnlyRootFilesystem",
              "false"),
          service("service: {type: LoadBalancer}", "/spec/type", "\"LoadBalancer\""),
          service("service: {port: 8000}", "/spec/ports/0/port", "8000"),
          service("service: {type: NodePort, nodePort: 30080}", "/spec/ports/0/nodePort", "30080"),
          service(
              "service: {type: LoadBalancer, loadBalancerClass: a.example/b}",
              "/spec/loadBalancerClass",
              "\"a.example/b\""),
          service("service: {annotations: {a: b}}", "/metadata/annotations/a", "\"b\""),
          of(
              "ingress: {enabled: true, className: a, hosts: [{host: h}]}",
              "Ingress",
              "/spec/ingressClassName",
              "\"a\""),
          of(
              "ingress: {enabled: true, hosts: [{host: h}]}",
              "Ingress",
              "/metadata/annotations",
              ""),
          of(
              "ingress: {enabled: true, annotations: {a: b}, hosts: [{host: h}]}",
              "Ingress",
              "/metadata/annotations",
              "{\"a\":\"b\"}"),
          of(
              "ingress: {enabled: true, hosts: [{host: h, paths: [{path: /a, pathType: Exact}]}]}",
              "Ingress",
              "/spec/rules/0",
              "{\"host\":\"h\",\"http\":{\"paths\":[{\"path\":\"/a\",\"pathType\":\"Exact\","
                  + "\"backend\":{\"service\":{\"name\":\"rel-penstock\","
                  + "\"port\":{\"name\":\"http\"}}}}]}}"),
          of(
              "ingress: {enabled: true, hosts: [{host: h}], tls: [{secretName: t, hosts: [h]}]}",
              "Ingress",
              "/spec/tls",
              "[{\"hosts\":[\"h\"],\"secretName\":\"t\"}]"),
          of(
              "httpRoute: {enabled: true, parentRefs: [{name: g}], hostnames: [h], rules:"
                  + " [{matches: [{path: {type: PathPrefix, value: /a}}]}]}",
              "HTTPRoute",
              "/spec",
              "{\"parentRefs\":[{\"name\":\"g\"}],\"hostnames\":[\"h\"],\"rules\":[{"
                  + "\"backendRefs\":[{\"name\":\"rel-penstock\",\"port\":80}],"
                  + "\"matches\":[{\"path\":{\"type\":\"PathPrefix\",\"value\":\"/a\"}}],"
                  + "\"timeouts\":{\"backendRequest\":\"0s\",\"request\":\"0s\"}}]}"),
          gateway("resources: {limits: {cpu: 2}}", CONTAINER + "/resources/limits/cpu", "2"),
          gateway(
              "startupProbe: {failureThreshold: 9}",
              CONTAINER + "/startupProbe",
              "{\"failureThreshold\":9,\"httpGet\":{\"path\":\"/actuator/health/liveness\","
                  + "\"port\":\"operator\"},\"periodSeconds\":2}"),
          gateway(
              "livenessProbe: {httpGet: null, tcpSocket: {port: http}}",
              CONTAINER + "/livenessProbe",
              "{\"failureThreshold\":3,\"periodSeconds\":10,\"tcpSocket\":{\"port\":\"http\"},"
                  + "\"timeoutSeconds\":5}"),
          gateway(
              "readinessProbe: {periodSeconds: 9}",
              CONTAINER + "/readinessProbe/periodSeconds",
              "9"),
          of(
              "autoscaling: {enabled: true, queueDepth: 0, targetCPUUtilizationPercentage: 80}",
              "HorizontalPodAutoscaler",
              "/spec/metrics",
              "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":"
                  + "{\"type\":\"Utilization\",\"averageUtilization\":80}}}]"),
          of(
              "autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 100,"
                  + " targetMemoryUtilizationPercentage: 80}",
              "HorizontalPodAutoscaler",
              "/spec/metrics/2/resource/name",
              "\"memory\""),
          gateway(
              "volumes: [{name: a, emptyDir: {}}]",
              POD + "/volumes/2",
              "{\"emptyDir\":{},\"name\":\"a\"}"),
          gateway(
              "{volumes: [{name: a, emptyDir: {}}], volumeMounts: [{name: a, mountPath: /a}]}",
              CONTAINER + "/volumeMounts/2",
              "{\"mountPath\":\"/a\",\"name\":\"a\"}"),
          gateway("nodeSelector: {a: b}", POD + "/nodeSelector", "{\"a\":\"b\"}"),
          gateway(
              "tolerations: [{operator: Exists}]",
              POD + "/tolerations",
              "[{\"operator\":\"Exists\"}]"),
          gateway("affinity: {podAntiAffinity: {}}", POD + "/affinity", "{\"podAntiAffinity\":{}}"),
          gateway(
              "extraEnv: [{name: A, value: b}]",
              CONTAINER + "/env/15",
              "{\"name\":\"A\",\"value\":\"b\"}"),
          gateway(
              "extraEnvFrom: [{secretRef: {name: a}}]",
              CONTAINER + "/envFrom",
              "[{\"secretRef\":{\"name\":\"a\"}}]"),
          gateway(
              "extraContainers: [{name: a, image: b}]",
              POD + "/containers/1",
              "{\"image\":\"b\",\"name\":\"a\"}"),
          gateway(
              "initContainers: [{name: a, image: b}]",
              POD + "/initContainers",
              "[{\"image\":\"b\",\"name\":\"a\"}]"),
          of(
              "extraObjects: [{apiVersion: v1, kind: LimitRange, metadata: {name: '{{"
                  + " .Release.Name }}-a'}, spec: {limits: []}}]",
              "LimitRange",
              "/metadata/name",
              "\"rel-a\""),
          service("commonLabels: {a: b}", "/metadata/labels/a", "\"b\""),
          gateway("revisionHistoryLimit: 0", "/spec/revisionHistoryLimit", "0"),
          gateway("strategy: {type: Recreate}", "/spec/strategy", "{\"type\":\"Recreate\"}"),
          gateway(
              "dnsConfig: {nameservers: [10.0.0.1]}",
              POD + "/dnsConfig",
              "{\"nameservers\":[\"10.0.0.1\"]}"),
          gateway(
              "hostAliases: [{ip: 10.0.0.1, hostnames: [a]}]",
              POD + "/hostAliases",
              "[{\"hostnames\":[\"a\"],\"ip\":\"10.0.0.1\"}]"),
          gateway("runtimeClassName: a", POD + "/runtimeClassName", "\"a\""),
          gateway("priorityClassName: a", POD + "/priorityClassName", "\"a\""),
          gateway("openshift: true", POD + "/securityContext/runAsUser", ""));

  private BroughtValues() {}

  private static Brought of(String values, String kind, String pointer, String expected) {
    return new Brought(values, kind, pointer, expected);
  }

  private static Brought gateway(String values, String pointer, String expected) {
    return of(values, "Deployment", pointer, expected);
  }

  private static Brought service(String values, String pointer, String expected) {
    return of(values, "Service", pointer, expected);
  }
}
