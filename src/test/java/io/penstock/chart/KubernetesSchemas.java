package io.penstock.chart;

import static com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Validates objects of each kind against Kubernetes' descriptions. Uses two libraries: the models
 * of one also know the extensions, and the classes of the other know the required fields.
 */
final class KubernetesSchemas {
  /** Throws IllegalArgumentException for unknown and for missing fields. */
  @FunctionalInterface
  private interface OpenApi {
    void check(JsonElement object) throws IOException;
  }

  private static final Map<String, Class<?>> MODELS =
      Map.ofEntries(
          Map.entry("v1/ConfigMap", ConfigMap.class),
          Map.entry("v1/Pod", Pod.class),
          Map.entry("v1/Secret", Secret.class),
          Map.entry("v1/Service", Service.class),
          Map.entry("v1/ServiceAccount", ServiceAccount.class),
          Map.entry("apps/v1/Deployment", Deployment.class),
          Map.entry("apps/v1/StatefulSet", StatefulSet.class),
          Map.entry("autoscaling/v2/HorizontalPodAutoscaler", HorizontalPodAutoscaler.class),
          Map.entry("gateway.networking.k8s.io/v1/HTTPRoute", HTTPRoute.class),
          Map.entry("keda.sh/v1alpha1/ScaledObject", ScaledObject.class),
          Map.entry("monitoring.coreos.com/v1/PrometheusRule", PrometheusRule.class),
          Map.entry("monitoring.coreos.com/v1/ServiceMonitor", ServiceMonitor.class),
          Map.entry("networking.k8s.io/v1/Ingress", Ingress.class),
          Map.entry("networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class),
          Map.entry("policy/v1/PodDisruptionBudget", PodDisruptionBudget.class));

  private static final Map<String, OpenApi> OPEN_API =
      Map.ofEntries(
          Map.entry("v1/ConfigMap", V1ConfigMap::validateJsonElement),
          Map.entry("v1/Pod", V1Pod::validateJsonElement),
          Map.entry("v1/Secret", V1Secret::validateJsonElement),
          Map.entry("v1/Service", V1Service::validateJsonElement),
          Map.entry("v1/ServiceAccount", V1ServiceAccount::validateJsonElement),
          Map.entry("apps/v1/Deployment", V1Deployment::validateJsonElement),
          Map.entry("apps/v1/StatefulSet", V1StatefulSet::validateJsonElement),
          Map.entry(
              "autoscaling/v2/HorizontalPodAutoscaler",
              V2HorizontalPodAutoscaler::validateJsonElement),
          Map.entry("networking.k8s.io/v1/Ingress", V1Ingress::validateJsonElement),
          Map.entry("networking.k8s.io/v1/NetworkPolicy", V1NetworkPolicy::validateJsonElement),
          Map.entry("policy/v1/PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement));

  /** Removes the models' maps of unknown fields, so that unknown fields are errors. */
  private static final class Strict extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      return Boolean.FALSE;
    }
  }

  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .annotationIntrospector(new Strict())
          .enable(FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .build();

  /** Cache of results, because many values lead to the same object. */
  private static final Map<String, Optional<String>> FOUND = new ConcurrentHashMap<>();

  private KubernetesSchemas() {}

  /** Returns what is wrong with an object, if anything. */
  static Optional<String> fault(KubernetesObject object) {
    return FOUND.computeIfAbsent(object.root().toString(), text -> fault(object, text));
  }

  private static Optional<String> fault(KubernetesObject object, String text) {
    String kind = object.at("/apiVersion").asText() + "/" + object.kind();
    Class<?> model = MODELS.get(kind);
    if (model == null) {
      return Optional.of(object + ": of " + kind + " nothing is known");
    }
    try {
      STRICT.treeToValue(object.root(), model);
      OpenApi openApi = OPEN_API.get(kind);
      if (openApi != null) {
        openApi.check(JsonParser.parseString(text));
      }
      return Optional.empty();
    } catch (IOException | IllegalArgumentException wrong) {
      return Optional.of(object + ": " + message(wrong));
    }
  }

  private static String message(Exception wrong) {
    return wrong instanceof JsonProcessingException json
        ? json.getOriginalMessage()
        : String.valueOf(wrong.getMessage());
  }
}
