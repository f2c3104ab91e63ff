package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class OpenApiTest {
  /** Matches the declaration of a route in the source. */
  private static final Pattern ROUTE =
      Pattern.compile("\\.(GET|POST|PUT|PATCH|DELETE)\\(\\s*\"(/[^\"]*)\"");

  private static JsonNode description() throws IOException {
    try (InputStream json = OpenApiTest.class.getResourceAsStream("openapi.json")) {
      return JsonMapper.shared().readTree(Objects.requireNonNull(json));
    }
  }

  private static Set<String> described() throws IOException {
    Set<String> described = new TreeSet<>();
    description()
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .propertyNames()
                    .forEach(
                        method ->
                            described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    return described;
  }

  private static Set<String> routes() throws IOException {
    Set<String> routes = new TreeSet<>();
    for (Path file : SourceTree.PROJECT.javaFiles(Path.of("src/main/java/io/penstock/operator"))) {
      ROUTE
          .matcher(Files.readString(file))
          .results()
          .map((MatchResult route) -> route.group(1) + " " + route.group(2).replace("{*", "{"))
          .forEach(routes::add);
    }
    return routes;
  }

  @Test
  void description_isOfEveryRoute_andOfNoOther() throws IOException {
    Set<String> described = described();
    assertThat(described).contains("GET /actuator/prometheus");
    Set<String> routes = routes();
    // others are the framework's
    described.removeIf(each -> each.contains("/actuator/") && !routes.contains(each));
    assertThat(routes).contains("GET /endpoints", "PUT /reservations/{id}");
    assertThat(described).isEqualTo(routes);
  }

  @Test
  void everyReference_isOfSomethingDescribed() throws IOException {
    JsonNode description = description();
    List<String> references = description.findValuesAsString("$ref");
    assertThat(references).isNotEmpty();
    assertThat(references)
        .allSatisfy(
            each -> assertThat(description.at(each.substring(1)).isObject()).as(each).isTrue());
  }
}
