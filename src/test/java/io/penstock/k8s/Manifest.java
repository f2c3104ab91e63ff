package io.penstock.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;

/** One object that is sent to Kubernetes. */
record Manifest(JsonNode root) {
  String kind() {
    return root.path("kind").asText();
  }

  String name() {
    return at("/metadata/name").asText();
  }

  /** Returns what is there; missing if nothing is. */
  JsonNode at(String pointer) {
    return root.at(pointer);
  }

  /** Returns the pod it makes, with its metadata and its spec; missing if it makes none. */
  JsonNode pod() {
    return kind().equals("Pod") ? root : at("/spec/template");
  }

  boolean makesPods() {
    return pod().path("spec").has("containers");
  }

  /** Returns the container of an object that makes pods of one. */
  JsonNode container() {
    return pod().at("/spec/containers/0");
  }

  /** Returns the one of this kind whose name ends so. */
  static Manifest only(List<Manifest> all, String kind, String ending) {
    List<Manifest> found =
        all.stream()
            .filter(each -> each.kind().equals(kind) && each.name().endsWith(ending))
            .toList();
    if (found.size() != 1) {
      throw new AssertionError("expected one " + kind + " *" + ending + ", found " + found);
    }
    return found.getFirst();
  }

  /** Returns the elements of a list; none of what is missing. */
  static List<JsonNode> each(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).toList();
  }

  @Override
  public String toString() {
    return kind() + " " + name();
  }
}
