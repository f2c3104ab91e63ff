package io.penstock.gateway.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ObjectKind;
import io.penstock.gateway.coordination.CoordinationQuery.BadQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that the coordination API matches its description. */
class CoordinationOpenApiTest {
  private static JsonNode description() throws IOException {
    return JsonMapper.shared()
        .readTree(
            Files.readString(Path.of("src/main/resources/io/penstock/operator/coordination.json")));
  }

  @Test
  void description_isOfEveryPath_andOfNoOther() throws IOException {
    Set<String> paths = new TreeSet<>(Set.of("/.well-known/ready"));
    for (ObjectKind kind : ObjectKind.values()) {
      String object = "/v1/" + kind.word() + "/{name}";
      paths.add(object);
      CoordinationPath.ACTIONS
          .getOrDefault(kind, Set.of())
          .forEach(action -> paths.add(object + "/" + action));
    }
    assertThat(new TreeSet<>(description().path("paths").propertyNames())).isEqualTo(paths);
  }

  @Test
  void describedParameters_areThoseThereAre_withTheirDefaultsAndBounds() throws Exception {
    Set<String> names = new TreeSet<>();
    for (var path : description().path("paths").properties()) {
      for (JsonNode parameter : path.getValue().path("get").path("parameters")) {
        if (parameter.path("in").asString().equals("query")) {
          names.add(parameter.path("name").asString());
          assertBounds(path.getKey(), parameter);
        }
      }
    }
    assertThat(names).isEqualTo(new TreeSet<>(CoordinationQuery.NAMES));
  }

  private static void assertBounds(String path, JsonNode parameter) {
    CoordinationPath.Action action =
        (CoordinationPath.Action) CoordinationPath.of(path.replace("{name}", "it"));
    String name = parameter.path("name").asString();
    JsonNode schema = parameter.path("schema");
    for (String bound : Set.of("minimum", "maximum", "default")) {
      if (schema.has(bound) && schema.path(bound).isNumber()) {
        String query = name + "=" + schema.path(bound).asLong();
        assertThat(read(action, query)).as("%s?%s", path, query).isNotEqualTo("bad");
        if (bound.equals("default")) {
          assertThat(read(action, "key=k")).isEqualTo(read(action, "key=k&" + query));
        }
      }
    }
    if (schema.has("minimum")) {
      assertThat(read(action, name + "=" + (schema.path("minimum").asLong() - 1))).isEqualTo("bad");
      assertThat(read(action, name + "=" + (schema.path("maximum").asLong() + 1))).isEqualTo("bad");
    }
  }

  private static String read(CoordinationPath.Action action, String query) {
    try {
      CoordinationQuery read = new CoordinationQuery(query);
      var objectOperation = read.operation(action);
      return objectOperation + " " + read.maxWaitNanos(objectOperation);
    } catch (BadQuery bad) {
      return "bad";
    }
  }
}
