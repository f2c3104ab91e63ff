package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.shape.RouteSetting;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wiremock.com.networknt.schema.InputFormat;
import wiremock.com.networknt.schema.JsonSchemaFactory;
import wiremock.com.networknt.schema.SpecVersion;

/** The schema and the printed configuration agree with the parser. */
class RouteSchemaTest {
  private static final String HASH =
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  private static boolean fits(String yaml) {
    String json = JSON.writeValueAsString(new Yaml().<Object>load(yaml));
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
        .getSchema(RouteText.schema())
        .validate(json, InputFormat.JSON)
        .isEmpty();
  }

  static Stream<Arguments> tables() {
    return Stream.of(
        Arguments.of("/properties/endpoints/items/properties", EndpointSettings.TABLE),
        Arguments.of("/properties/defaults/properties", EndpointSettings.DEFAULTS),
        Arguments.of("/properties/server/properties", RlsCompatibility.SERVER_TABLE),
        Arguments.of("/properties/models/additionalProperties/properties", ModelSettings.TABLE),
        Arguments.of("/properties/keys/items/properties", KeySettings.TABLE),
        Arguments.of("/properties/groups/items/properties", GroupSettings.TABLE),
        Arguments.of(
            "/properties/keys/items/properties/models/additionalProperties/properties",
            KeyModels.TABLE),
        Arguments.of(
            "/properties/models/additionalProperties/properties/price_per_mtok/properties",
            PriceTag.TABLE),
        Arguments.of(
            "/properties/endpoints/items/properties/upstreams/items/properties/limits/items"
                + "/properties",
            PoolSettings.TABLE),
        Arguments.of(
            "/properties/endpoints/items/properties/upstreams/items/properties/tls/properties",
            CertificatesSetting.TABLE),
        Arguments.of(
            "/properties/endpoints/items/properties/upstreams/items/properties",
            UpstreamSettings.TABLE));
  }

  @ParameterizedTest
  @MethodSource("tables")
  void schema_ofEachSection_hasTheSettingsOfItsTableAndNoOthers(
      String pointer, List<RouteSetting<?>> table) {
    JsonNode properties = JSON.readTree(RouteText.schema()).at(pointer);
    assertThat(properties.propertyNames())
        .containsExactlyElementsOf(
            Stream.concat(
                    table.stream().map(RouteSetting::name),
                    table.stream().flatMap(setting -> setting.otherNames().stream()))
                .toList());
  }

  @Test
  void schema_namesOfChoices_areAllThatTheParserTakes() {
    JsonNode endpoint =
        JSON.readTree(RouteText.schema()).at("/properties/endpoints/items/properties");
    assertThat(endpoint.at("/algorithm/anyOf/0/enum").values())
        .extracting(JsonNode::asString)
        .containsExactly("none", "strict", "token_bucket", "sliding_window", "token_window");
    assertThat(endpoint.at("/scheduler/anyOf/0/enum").values())
        .extracting(JsonNode::asString)
        .containsExactly("fifo", "lifo", "priority", "random", "deadline", "fair");
    assertThat(endpoint.at("/overflow/anyOf/0/enum").values())
        .extracting(JsonNode::asString)
        .containsExactly("reject", "block");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "algorithm: token_bucket, burst_size: 20",
        "algorithm: sliding_window, window_seconds: 0.5",
        "latency_compensation: 12.5, scheduler: priority, priority_aging_seconds: 0",
        "scheduler: fair, fair_by: 'header:X-Team'",
        "scheduler: fair, fair_by: key, fair_by_not: 1",
        "fair_by: 'header:a b'",
        "fair_by: 'header:'",
        "fair_by: keys",
        "overflow: block, max_blocked: 3",
        "overflow: hold",
        "max_blocked: -1",
        "burst_size: 0",
        "burst_size: 0.5",
        "heartbeat_seconds: 10, shadow: true, dynamic: false",
        "heartbeat_seconds: -1",
        "shadow: yes",
        "shadow: maybe",
        "window_seconds: 0",
        "latency_compensation: -0.1",
        "max_dynamic_endpoints: 5",
        "affinity: auto, dialect: openai",
        "affinity: prefix, dialect: anthropic",
        "affinity: 'header:X-Team', upgrade: refuse, max_upload_bytes: 5",
        "affinity: sometimes",
        "upgrade: perhaps",
        "max_upload_bytes: 0",
      })
  void settingsOfAnEndpoint_fitTheSchemaExactlyWhenTheyHaveNoFault(String settings) {
    String yaml = "endpoints: [{path: /a, " + settings + "}]";
    // YAML 1.1 reads yes as true before the schema can see it; the parser does not.
    String json = yaml.replace("yes", "'yes'");
    assertThat(fits(json))
        .isEqualTo(new Routes(directory).write("a.yaml", yaml).faults(Map.of()).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "api_key: passthrough, rpd: 5, concurrency: 6",
        "rpd: -5",
        "limits: [{models: [a, b], name: 'x/y', rpm: 1, tpm: 2, itpm: 3, otpm: 4, rpd: 5,"
            + " concurrency: 6}]",
        "rpm_limit: 5, tpm_limit: 6",
        "rpm_limit: 5, rpm: 5",
        "limits: [{rpm: 1}]",
        "limits: [{models: []}]",
        "limits: [{models: [a], rpm: -1}]",
        "limits: [{models: [a], requests: 1}]",
        "limits: {}",
        "charge: bedrock, day: pacific, settle: usage, inject_usage: false",
        "charge: cohere",
        "day: tomorrow",
        "settle: later",
        "proxy: 'http://u:p@h:1'",
        "proxy: 'socks://h:1'",
        "tls: []",
        "tls: {ca: 5}",
        "tls: {pem: a}",
      })
  void settingsOfAnUpstream_fitTheSchemaExactlyWhenTheyHaveNoFault(String settings) {
    String yaml =
        "endpoints: [{path: /a, upstreams: [{id: u, url: 'http://u', " + settings + "}]}]";
    assertThat(fits(yaml))
        .isEqualTo(new Routes(directory).write("a.yaml", yaml).faults(Map.of()).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "models: {m: {fallback: [n], fallback_after: 0.5}}",
        "models: {m: {}}",
        "models: {}",
        "models: []",
        "models: {m: []}",
        "models: {m: {fallback: n}}",
        "models: {m: {fallback: []}}",
        "models: {m: {fallback_after: -1}}",
        "models: {m: {rpm: 5}}",
      })
  void models_fitTheSchemaExactlyWhenTheyHaveNoFault(String models) {
    String yaml = "endpoints: [{path: /a}]\n" + models;
    assertThat(fits(yaml))
        .isEqualTo(new Routes(directory).write("a.yaml", yaml).faults(Map.of()).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server: {host: 127.0.0.1, port: 80}",
        "server: {host: '::1'}",
        "server: {host: 'a b'}",
        "server: {port: 65536}",
        "server: {port: '80'}",
        "server: []",
        "defaults: {max_dynamic_endpoints: 5}\nserver: {}",
        "defaults: {max_dynamic_endpoints: -5}\nserver: {}",
        "server: {}\nkeys: [{name: k, sha256: " + HASH + "}]",
        "server: {}\nkeys: [{name: k, sha256: secret}]",
        "server: {}\nkeys: [{name: k}]",
        "server: {}\ngroups: [{name: k, rpm: 5}]",
        "server: {}\ngroups: [{name: k, rpm: 0.5}]",
        "server: {}\nproviders: [openai, local]",
        "server: {}\nproviders: [other]",
        "server: {}\nmodels: {m: {rpm: 1, price_per_mtok: {output: 0.5}}}",
      })
  void topLevel_fitsTheSchemaExactlyWhenItHasNoFault(String yaml) {
    assertThat(fits(yaml))
        .isEqualTo(new Routes(directory).write("a.yaml", yaml).faults(Map.of()).isEmpty());
  }

  @Test
  void printedConfiguration_ofASmallFile_showsEverySettingResolved() {
    ConfigurationSnapshot snapshot =
        new Routes(directory).write("a.yaml", "endpoints: [{path: /a}]").good(Map.of());
    String expected =
        """
        endpoints:
          - path: /a
            dialect: none
            algorithm: strict
            rate: 1
            unit: rps
            default_tokens: 1
            latency_compensation: 0
            scheduler: fifo
            priority_aging_seconds: 30
            fair_by: key
            max_queue_size: 1000
            max_queued_tokens: 0
            max_queued_bytes: 268435456
            overflow: reject
            max_blocked: 1000
            queue_timeout: 0
            max_wait: 0
            place_grace: 0
            retry_after_max: 0
            light_rpm: 600
            max_skips: 64
            heartbeat_seconds: 15
            heartbeat_after: 45
            cost_from: query
            short_parameters: true
            default_output_tokens: 256
            max_output: refuse
            max_body_bytes: 33554432
            max_upload_bytes: 536870912
            calls: all
            order: least_used
            affinity: none
            cache_warmup: 5
            cache_warmup_scope: key
            upgrade: pass
            expose_upstream_limits: false
            forward_headers: []
            answer_headers: []
            shadow: false
            dynamic: true
            strip_prefix: true
            upstreams: []
        defaults:
          max_dynamic_endpoints: 1000
        """;
    assertThat(RouteText.yaml(snapshot)).isEqualTo(expected);
  }

  @Test
  void printedConfiguration_withEveryNewSetting_loadedAgainIsTheSame() {
    String file =
        """
        defaults: {max_dynamic_endpoints: 5, burst_size: 3}
        endpoints:
          - {path: /a, algorithm: token_bucket, scheduler: lifo, overflow: block, max_blocked: 2}
          - {path: /b, algorithm: sliding_window, scheduler: fair, fair_by: 'header:X-Team'}
          - {path: /c, latency_compensation: 0.5, scheduler: deadline, shadow: true, dynamic: false}
          - {path: /d, dialect: openai, scheduler: fair, fair_by: body:user, heartbeat_seconds: 2}
          - path: /e
            dialect: gemini
            cost_from: provider
            short_parameters: true
            affinity: key
            upgrade: refuse
            expose_upstream_limits: true
            forward_headers: [cookie, x-forwarded-*]
            answer_headers: [Set-Cookie]
            max_upload_bytes: 7
            upstreams:
              - id: u
                url: https://u
                api_key: passthrough
                models: {fast: own/fast, slow: own/slow, other: other}
                rpd: 9
                concurrency: 8
                limits: [{models: [own/fast, own/slow], tpm: 6}]
                charge: azure
                settle: usage
                inject_usage: false
                proxy: http://p:3128
        models: {fast: {fallback: [slow, other], fallback_after: 0.5}, slow: {fallback: [other]}}
        """;
    ConfigurationSnapshot first = new Routes(directory).write("a.yaml", file).good(Map.of());
    String printed = RouteText.yaml(first);
    Routes.assertSame(new Routes(directory).write("a.yaml", printed).good(Map.of()), first);
    assertThat(fits(printed)).isTrue();
  }

  @Test
  void printedConfiguration_ofFilesThatDiffer_showsEachEndpointItsOwnNumber() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "defaults: {max_dynamic_endpoints: 5}\nendpoints: [{path: /a}]")
            .write("b.yaml", "endpoints: [{path: /b}]");
    assertThat(Arrays.stream(RouteText.yaml(routes.good(Map.of())).split("\n")).map(String::strip))
        .filteredOn(line -> line.startsWith("max_dynamic"))
        .containsExactly("max_dynamic_endpoints: 5", "max_dynamic_endpoints: 1000");
  }
}
