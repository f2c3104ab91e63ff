package io.penstock.chart;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBehavior;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields used by this chart of KEDA's keda.sh/v1alpha1, for which no library has models, with
 * the names in its reference.
 */
record ScaledObject(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
  ScaledObject {
    needs("metadata", metadata);
    needs("spec", spec);
  }

  record Spec(
      Target scaleTargetRef,
      @Nullable Integer minReplicaCount,
      @Nullable Integer maxReplicaCount,
      @Nullable Advanced advanced,
      List<Trigger> triggers) {
    Spec {
      needs("scaleTargetRef", scaleTargetRef);
      needs("triggers", triggers);
    }
  }

  record Target(@Nullable String apiVersion, @Nullable String kind, String name) {
    Target {
      needs("name", name);
    }
  }

  record Advanced(@Nullable Autoscaler horizontalPodAutoscalerConfig) {}

  record Autoscaler(@Nullable String name, @Nullable HorizontalPodAutoscalerBehavior behavior) {}

  record Trigger(String type, @Nullable String metricType, Map<String, String> metadata) {
    private static final Map<String, Set<String>> KNOWN =
        Map.of("prometheus", Set.of("serverAddress", "query", "threshold"), "cpu", Set.of("value"));

    Trigger {
      needs("type", type);
      needs("metadata", metadata);
      Set<String> expected = KNOWN.getOrDefault(type, Set.of());
      if (!metadata.keySet().equals(expected)) {
        throw new IllegalArgumentException(
            type + " has " + metadata.keySet() + ", expected " + expected);
      }
    }
  }

  private static void needs(String name, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
  }
}
