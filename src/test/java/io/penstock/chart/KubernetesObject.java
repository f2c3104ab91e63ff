package io.penstock.chart;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;

/** A Kubernetes object. */
record KubernetesObject(JsonNode root) {
  String kind() {
    return root.path("kind").asText();
  }

  String name() {
    return at("/metadata/name").asText();
  }

  /** Returns the value at a pointer; a missing node if there is none. */
  JsonNode at(String pointer) {
    return root.at(pointer);
  }

  /** Returns the pod template, with metadata and spec; a missing node if there is none. */
  JsonNode pod() {
    return kind().equals("Pod") ? root : at("/spec/template");
  }

  boolean makesPods() {
    return pod().path("spec").has("containers");
  }

  /** Returns the container of an object with pods of one container. */
  JsonNode container() {
    return pod().at("/spec/containers/0");
  }

  /** Returns the only object of this kind with a name that ends in {@code ending}. */
  static KubernetesObject only(List<KubernetesObject> all, String kind, String ending) {
    List<KubernetesObject> found =
        all.stream()
            .filter(each -> each.kind().equals(kind) && each.name().endsWith(ending))
            .toList();
    if (found.size() != 1) {
      throw new AssertionError("expected one " + kind + " *" + ending + ", found " + found);
    }
    return found.getFirst();
  }

  /** Returns the elements of a list; none if it is missing. */
  static List<JsonNode> each(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).toList();
  }

  @Override
  public String toString() {
    return kind() + " " + name();
  }
}
