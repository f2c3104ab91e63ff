package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.shape.RouteSetting;
import io.penstock.key.KeySecrets;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wiremock.com.networknt.schema.InputFormat;
import wiremock.com.networknt.schema.JsonSchema;
import wiremock.com.networknt.schema.JsonSchemaFactory;
import wiremock.com.networknt.schema.SpecVersion;

class RouteTextTest {
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  private static JsonSchema schema() {
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
        .getSchema(RouteText.schema());
  }

  private static List<String> schemaFaults(String yaml) {
    String json = JSON.writeValueAsString(new Yaml().<Object>load(yaml));
    return schema().validate(json, InputFormat.JSON).stream().map(Object::toString).toList();
  }

  @Test
  void schema_ofTheTables_isValidItself() {
    JsonSchema metaSchema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(java.net.URI.create("https://json-schema.org/draft/2020-12/schema"));
    assertThat(metaSchema.validate(RouteText.schema(), InputFormat.JSON)).isEmpty();
  }

  @Test
  void schema_printed_isTheSameEachTimeAndNamesEverySettingWithDefaultAndMeaning() {
    assertThat(RouteText.schema()).isEqualTo(RouteText.schema());
    JsonNode endpoint = JSON.readTree(RouteText.schema()).at("/properties/endpoints/items");
    for (RouteSetting<?> setting : EndpointSettings.TABLE) {
      JsonNode node = endpoint.at("/properties/" + setting.name());
      assertThat(node.path("description").asString()).contains(setting.meaning());
      assertThat(
              node.has("default")
                  || node.path("description").asString().contains("Default: ")
                  || node.path("description").asString().contains("Required"))
          .as(setting.name())
          .isTrue();
    }
    assertThat(endpoint.at("/properties/max_queue_size/default").asInt()).isEqualTo(1000);
    assertThat(endpoint.at("/required/0").asString()).isEqualTo("path");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "endpoints: [{path: /a}]",
        "endpoints: [{path: /a, rate: 0.5, max_queue_size: '${SIZE:5}', unit: '${UNIT}'}]",
        "defaults: {algorithm: token_window, window_seconds: 60, tokens_per_window: 5}",
        "endpoints: [{path: /a, upstreams: [{id: u, url: 'http://u', models: {a: b}, headers: {A:"
            + " b}}]}]"
      })
  void routeFile_thatIsGood_fitsTheSchema(String yaml) {
    assertThat(schemaFaults(yaml)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "endpoint: []",
        "endpoints: [{}]",
        "endpoints: [{path: a}]",
        "endpoints: [{path: /a, rate: 0}]",
        "endpoints: [{path: /a, rate: fast}]",
        "endpoints: [{path: /a, max_queue_size: 1.5}]",
        "endpoints: [{path: /a, algorithm: leaky}]",
        "endpoints: [{path: /a, tpm_limit: 1}]",
        "defaults: {path: /a}",
        "endpoints: [{path: /a, upstreams: [{id: u}]}]",
        "endpoints: [{path: /a, upstreams: [{id: u, url: 'ftp://u'}]}]",
        "endpoints: [{path: /a, upstreams: [{id: u, url: 'http://u', models: []}]}]"
      })
  void routeFile_thatIsBad_fitsNeitherSchemaNorParser(String yaml) {
    assertThat(schemaFaults(yaml)).isNotEmpty();
    assertThat(new Routes(directory).write("a.yaml", yaml).faults(Map.of())).isNotEmpty();
  }

  static List<Path> shippedRoutes() {
    return SourceTree.PROJECT.files(Path.of("routes"), "");
  }

  @ParameterizedTest
  @MethodSource("shippedRoutes")
  void shippedRouteFile_byItself_fitsTheSchemaAndLoads(Path file) throws IOException {
    String yaml = Files.readString(file);
    assertThat(schemaFaults(yaml)).isEmpty();
    Map<String, String> hashes = new HashMap<>();
    Pattern.compile("\\$\\{(\\w+_SHA256)}")
        .matcher(yaml)
        .results()
        .forEach(each -> hashes.put(each.group(1), KeySecrets.sha256(each.group(1))));
    assertThat(new RouteFiles(hashes, address -> {}).load(file))
        .isInstanceOf(LoadedConfiguration.Good.class);
  }

  @Test
  void printedConfiguration_loadedAgain_isTheSame() {
    String file =
        """
        defaults: {rate: 2.5, window_seconds: 0.5}
        endpoints:
          - {path: /permit, unit: rpm}
          - path: /a
            dialect: openai
            queue_timeout: 1.25
            upstreams:
              - {id: u, url: 'http://u/v1', models: {x: y}, guard: 0.5, headers: {A: 'yes'}}
              - {id: v, url: 'mock://openai?latency=1ms', models: ['1', z]}
        """;
    ConfigurationSnapshot first = new Routes(directory).write("a.yaml", file).good(Map.of());
    String printed = RouteText.yaml(first);
    ConfigurationSnapshot second = new Routes(directory).write("a.yaml", printed).good(Map.of());
    Routes.assertSame(second, first);
    assertThat(schemaFaults(printed)).isEmpty();
  }

  @Test
  void printedConfiguration_withSecrets_masksThem() {
    String file =
        Routes.upstreamFile(
            "api_key: hunter2",
            "headers: {Authorization: hunter2, x-api-key: hunter2, X-Auth-Token: hunter2, Cookie:"
                + " hunter2, X-Org: '${ORG}', X-Team: blue}");
    ConfigurationSnapshot snapshot =
        new Routes(directory).write("a.yaml", file).good(Map.of("ORG", "hunter2"));
    String printed = RouteText.yaml(snapshot);
    assertThat(printed).doesNotContain("hunter2").contains("X-Team: blue");
    assertThat(printed.split("\\*\\*\\*", -1)).hasSize(7);
    assertThat(snapshot.toString()).doesNotContain("hunter2");
    assertThat(snapshot.endpoints().getFirst().upstreams().getFirst().access().apiKey())
        .isEqualTo("hunter2");
  }
}
