package io.penstock.chart;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Options of the chart, each as the values that it sets. Names that begin with {@code my-} denote
 * the user's own objects, which are not in the chart.
 */
final class ChartSwitches {
  private static final Map<String, String> ALL =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("none", ""),
              Map.entry(
                  "redis-url",
                  """
                  redis: {bundled: {enabled: false}, url: "rediss://u:p@redis.example:6380"}
                  """),
              Map.entry(
                  "redis-secret",
                  "redis: {bundled: {enabled: false}, existingSecret: {name: my-redis, key: url}}"),
              Map.entry("redis-none", "{sharing: local, redis: {bundled: {enabled: false}}}"),
              Map.entry("redis-volatile", "redis: {bundled: {persistence: {enabled: false}}}"),
              Map.entry(
                  "redis-password",
                  "redis: {bundled: {existingSecret: {name: my-password, key: p}}}"),
              Map.entry("redis-namespace", "redis: {namespace: shared, onOutage: park}"),
              Map.entry("coordination", "coordination: {enabled: true, maxBytes: 32MB}"),
              Map.entry(
                  "coordination-redis-url",
                  "coordination: {enabled: true, redis: {url: 'redis://u:p@objects.example'}}"),
              Map.entry(
                  "coordination-redis-secret",
                  "coordination: {enabled: true, redis: {existingSecret: {name: my-objects, key:"
                      + " url}}}"),
              Map.entry("database-url", "database: {url: 'r2dbc:mariadb://u:p@db.example/d'}"),
              Map.entry(
                  "keys-sql",
                  "{keys: {store: sql}, database: {existingSecret: {name: my-database, key:"
                      + " url}}}"),
              Map.entry("keys-open", "keys: {required: false}"),
              Map.entry("token", "operator: {token: a-token-of-some-length}"),
              Map.entry(
                  "token-secret",
                  "operator: {createToken: false, existingSecret: {name: my-token, key: t}}"),
              Map.entry(
                  "routes",
                  "routes: {a.yaml: \"endpoints:\\n  - path: /a\\n\", b.yml: \"# none\"}"),
              Map.entry("no-first-key", "keys: {first: {create: false}}"),
              Map.entry(
                  "first-key-secret", "keys: {first: {existingSecret: {name: my-key, key: sha}}}"),
              Map.entry("routes-configmap", "routesConfigMap: my-routes"),
              Map.entry("providers", "providerKeys: {values: {OPENAI_API_KEY: sk-1}}"),
              Map.entry("providers-secret", "providerKeys: {existingSecret: my-providers}"),
              Map.entry(
                  "autoscaling",
                  "autoscaling: {enabled: true, upstreamUtilization: 90,"
                      + " targetCPUUtilizationPercentage: 80, targetMemoryUtilizationPercentage:"
                      + " 80}"),
              Map.entry(
                  "keda",
                  "keda: {enabled: true, upstreamUtilization: 90, prometheus: 'http://p:9090'}"),
              Map.entry(
                  "ingress",
                  """
                  ingress:
                    enabled: true
                    className: my-class
                    annotations: {a: b}
                    hosts:
                      - host: llm.example
                        paths: [{path: /, pathType: ImplementationSpecific}]
                      - host: more.example
                    tls: [{secretName: my-tls, hosts: [llm.example]}]
                  """),
              Map.entry("ingress-host", "ingress: {enabled: true, hosts: [{host: llm.example}]}"),
              Map.entry(
                  "httproute",
                  "httpRoute: {enabled: true, hostnames: [llm.example], parentRefs: [{name: my-gw,"
                      + " namespace: gw, sectionName: https}]}"),
              Map.entry(
                  "httproute-rules",
                  """
                  httpRoute:
                    enabled: true
                    annotations: {a: b}
                    parentRefs: [{name: my-gw, namespace: gw, sectionName: https}]
                    rules:
                      - matches: [{path: {type: PathPrefix, value: /demo}}]
                        timeouts: {request: 600s}
                      - matches: [{path: {type: Exact, value: /openai}}]
                        filters:
                          - type: RequestHeaderModifier
                            requestHeaderModifier: {remove: [x-internal]}
                  """),
              Map.entry("servicemonitor", "serviceMonitor: {enabled: true, labels: {release: x}}"),
              Map.entry("prometheusrule", "prometheusRule: {enabled: true, labels: {release: x}}"),
              Map.entry("dashboard", "dashboard: {enabled: true}"),
              Map.entry("no-budget", "podDisruptionBudget: {enabled: false}"),
              Map.entry("budget-percent", "podDisruptionBudget: {maxUnavailable: 25%}"),
              Map.entry("no-spread", "topologySpread: {enabled: false}"),
              Map.entry("no-policy", "networkPolicy: {enabled: false}"),
              Map.entry(
                  "policy-clients",
                  "networkPolicy: {clients: [{podSelector: {}}], extraEgress: [{ports: [{protocol:"
                      + " TCP, port: 8443}]}]}"),
              Map.entry(
                  "loadbalancer",
                  "service: {type: LoadBalancer, port: 8000, loadBalancerClass: example.org/lb,"
                      + " annotations: {a: b}}"),
              Map.entry("no-prestop", "drain: {preStopSeconds: 0, parkedSeconds: 90}"),
              Map.entry("one", "{replicaCount: 1, fullnameOverride: gateway}"),
              Map.entry("nodeport", "service: {type: NodePort, nodePort: 30080}"),
              Map.entry("openshift", "openshift: true"),
              Map.entry(
                  "account", "serviceAccount: {automount: true, annotations: {a: b}, name: other}"),
              Map.entry("account-of-others", "serviceAccount: {create: false, name: my-account}"),
              Map.entry("recreate", "{strategy: {type: Recreate}, revisionHistoryLimit: 0}"),
              Map.entry(
                  "objects",
                  """
                  nameOverride: gateway
                  commonLabels: {cost: llm}
                  extraObjects:
                    - apiVersion: v1
                      kind: ConfigMap
                      metadata: {name: "{{ .Release.Name }}-more"}
                    - "{apiVersion: v1, kind: Secret, metadata: {name: extra}}"
                  """),
              Map.entry(
                  "pod",
                  """
                  image: {digest: "sha256:%s"}
                  imagePullSecrets: [{name: my-pull}]
                  priorityClassName: high
                  nodeSelector: {a: b}
                  tolerations: [{key: a, operator: Exists}]
                  affinity: {nodeAffinity: {}}
                  podLabels: {team: x}
                  podAnnotations: {a: b}
                  extraEnv: [{name: SERVER_HTTP2_ENABLED, value: "true"}]
                  extraEnvFrom: [{configMapRef: {name: my-settings}}]
                  volumes: [{name: more, emptyDir: {}}]
                  volumeMounts: [{name: more, mountPath: /more}]
                  initContainers: [{name: first, image: busybox}]
                  extraContainers: [{name: beside, image: busybox}]
                  podSecurityContext: {runAsUser: 1000, supplementalGroups: [2000]}
                  securityContext: {privileged: false}
                  startupProbe: {failureThreshold: 30}
                  livenessProbe: {periodSeconds: 20}
                  readinessProbe: {periodSeconds: 1}
                  resources: {requests: {cpu: 1}, limits: {cpu: "2", memory: 2Gi}}
                  dnsConfig: {options: [{name: ndots, value: "1"}]}
                  hostAliases: [{ip: 10.0.0.1, hostnames: [provider.example]}]
                  runtimeClassName: gvisor
                  """
                      .formatted("0a".repeat(32)))));

  /** Combinations that make no sense and are therefore refused. */
  private static final List<Set<String>> CONTRADICTIONS =
      List.of(
          Set.of("redis-url", "redis-secret"),
          Set.of("coordination-redis-url", "coordination-redis-secret"),
          Set.of("database-url", "keys-sql"),
          Set.of("token", "token-secret"),
          Set.of("routes", "routes-configmap"),
          Set.of("autoscaling", "keda"));

  private ChartSwitches() {}

  static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /** Returns the values of two options, the second over the first. */
  static JsonNode values(String first, String second) {
    return HelmChart.merged(values(first), values(second));
  }

  private static JsonNode values(String name) {
    return HelmChart.yaml(ALL.getOrDefault(name, ""));
  }

  static boolean contradict(String first, String second) {
    return !first.equals(second)
        && CONTRADICTIONS.stream().anyMatch(pair -> pair.containsAll(List.of(first, second)));
  }
}
