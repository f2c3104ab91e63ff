package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RouteFaultsTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("NUMBER", "12", "SECRET", "hunter2", "EMPTY", "");

  @TempDir Path directory;

  private static Arguments endpoint(String line, String fault) {
    return Arguments.of(Routes.endpointFile(line), "a.yaml:3:" + fault);
  }

  static Arguments upstream(String line, String fault) {
    return Arguments.of(Routes.upstreamFile(line), "a.yaml:6:" + fault);
  }

  static Stream<Arguments> ofEndpoints() {
    String whole = "expected a whole number from 1 to 2147483647";
    return Stream.of(
        endpoint("max_queue_size: -1", "21: max_queue_size is '-1', " + whole),
        endpoint("max_queue_size: 0", "21: max_queue_size is '0', " + whole),
        endpoint("max_queue_size: 2147483648", "21: max_queue_size is '2147483648', " + whole),
        endpoint("max_queue_size: 1.5", "21: max_queue_size is '1.5', " + whole),
        endpoint("max_queue_size: '5'", "21: max_queue_size is '5', " + whole),
        endpoint("max_queue_size: 010", "21: max_queue_size is '010', " + whole),
        endpoint("max_queue_size: 0x10", "21: max_queue_size is '0x10', " + whole),
        endpoint("max_queue_size: 1:30", "21: max_queue_size is '1:30', " + whole),
        endpoint("max_queue_size: [1]", "21: max_queue_size is a list, " + whole),
        endpoint("max_queue_size: {a: 1}", "21: max_queue_size is a mapping, " + whole),
        endpoint("max_queue_size:", "20: max_queue_size is empty, " + whole),
        endpoint("max_queue_size: ~", "21: max_queue_size is empty, " + whole),
        endpoint("max_queue_size: ${SECRET}", "21: max_queue_size is '${SECRET}', " + whole));
  }

  static Stream<Arguments> ofEndpointsMore() {
    return Stream.of(
        endpoint(
            "rate: .nan", "11: rate is '.nan', expected a number above 0 and up to 1000000000"),
        endpoint(
            "rate: .inf", "11: rate is '.inf', expected a number above 0 and up to 1000000000"),
        endpoint("rate: 0", "11: rate is '0', expected a number above 0 and up to 1000000000"),
        endpoint("rate: -2", "11: rate is '-2', expected a number above 0 and up to 1000000000"),
        endpoint(
            "rate: fast", "11: rate is 'fast', expected a number above 0 and up to 1000000000"),
        endpoint(
            "rate: 1.0e+99",
            "11: rate is '1.0e+99', expected a number above 0 and up to 1000000000"),
        endpoint("rate: 1.0e-12", "11: rate is '1.0e-12', expected at most 9 decimals"),
        endpoint("unit: rph", "11: unit is 'rph', expected rps or rpm"),
        endpoint(
            "algorithm: leaky",
            "16: algorithm is 'leaky', expected none, strict, token_bucket, sliding_window or"
                + " token_window"),
        endpoint(
            "scheduler: filo",
            "16: scheduler is 'filo', expected fifo, lifo, priority, random, deadline or fair"),
        endpoint("overflow: wait", "15: overflow is 'wait', expected reject or block"),
        endpoint(
            "dialect: palm",
            "14: dialect is 'palm', expected openai, azure, anthropic, gemini or none"),
        endpoint("strip_prefix: yes", "19: strip_prefix is 'yes', expected true or false"),
        endpoint("strip_prefix: 'true'", "19: strip_prefix is 'true', expected true or false"),
        endpoint(
            "queue_timeout: -1",
            "20: queue_timeout is '-1', expected a number from 0 to 31536000"));
  }

  static Stream<Arguments> ofEndpointsStillMore() {
    return Stream.of(
        endpoint(
            "window_seconds: 0",
            "21: window_seconds is '0', expected a number from 0.001 to 31536000"),
        endpoint(
            "max_que_size: 1", "5: unknown key 'max_que_size', did you mean 'max_queue_size'?"),
        endpoint(
            "tpm_limit: 1", "5: unknown key 'tpm_limit' here, expected it in one of upstreams"),
        endpoint(
            "verbosity: 1",
            "5: unknown key 'verbosity', expected one of "
                + String.join(", ", EndpointSettings.TABLE.stream().map(s -> s.name()).toList())),
        endpoint("path: /b", "5: key 'path' is there twice, expected it once"),
        endpoint(
            "<<: {rate: 1}",
            "5: merge keys (<<) are not read, expected the settings themselves, or defaults"),
        endpoint("? [a]\n    : 1", "7: a key is a list, expected a name"),
        endpoint("? ~\n    : 1", "7: a key is empty, expected a name"),
        endpoint(
            "rate: !!int '5x'", "11: rate is '5x', expected a number above 0 and up to 1000000000"),
        endpoint(
            "rate: !!binary aGk=",
            "11: rate is of type 'tag:yaml.org,2002:binary', expected a number above 0 and up to"
                + " 1000000000"),
        endpoint(
            "upstreams: {id: u}",
            "16: upstreams is a mapping, expected a list of upstreams, each behind a dash"),
        endpoint("upstreams: [u]", "17: an upstream is 'u', expected a mapping of settings"),
        endpoint(
            "cost_from: body",
            "16: cost_from is 'body', but dialect none reads no body, expected query or a dialect"),
        endpoint(
            "cost_from: provider",
            "16: cost_from is 'provider', but dialect none reads no body, expected query or a"
                + " dialect"),
        endpoint(
            "cost_from: guess", "16: cost_from is 'guess', expected body, query, max or provider"),
        endpoint(
            "affinity: sticky",
            "15: affinity is 'sticky', expected none, key, header:NAME, auto or prefix"),
        endpoint(
            "affinity: 'header:a b'",
            "15: affinity is 'header:a b', expected the name of a header, as in header:X-Team"),
        endpoint(
            "affinity: auto",
            "15: affinity is 'auto', but dialect none reads no body, expected another or a"
                + " dialect"),
        endpoint(
            "affinity: prefix",
            "15: affinity is 'prefix', but dialect none reads no body, expected another or a"
                + " dialect"),
        endpoint("upgrade: true", "14: upgrade is 'true', expected pass or refuse"),
        endpoint(
            "max_upload_bytes: 0",
            "23: max_upload_bytes is '0', expected a whole number from 1 to 1125899906842624"),
        endpoint(
            "rpm: 1",
            "5: unknown key 'rpm' here, expected it in one of upstreams, limits, models, keys or"
                + " groups"),
        endpoint("fallback: [m]", "5: unknown key 'fallback' here, expected it in one of models"),
        endpoint(
            "rate: 0.123456789\n    unit: rpm",
            "11: rate is 0.123456789, expected a fraction of numbers up to 1000000000"));
  }

  static Stream<Arguments> ofUpstreams() {
    return Stream.of(
        upstream("weight: 0", "17: weight is '0', expected a whole number from 1 to 1000000"),
        upstream(
            "tpm_limit: -1",
            "20: tpm_limit is '-1', expected a whole number from 0 to 1099511627776"),
        upstream(
            "burst_seconds: 0", "24: burst_seconds is '0', expected a number above 0 and up to 60"),
        upstream(
            "burst_seconds: 61",
            "24: burst_seconds is '61', expected a number above 0 and up to 60"),
        upstream("guard: -1", "16: guard is '-1', expected a number from 0 to 60000"),
        upstream(
            "stall_timeout: 0",
            "24: stall_timeout is '0', expected a number above 0 and up to 86400"),
        upstream("rate: 1", "9: unknown key 'rate' here, expected it in one of endpoints"),
        upstream("rpm_limits: 1", "9: unknown key 'rpm_limits', did you mean 'rpm'?"),
        upstream(
            "charge: vertex",
            "17: charge is 'vertex', expected openai, azure, anthropic, gemini, bedrock or"
                + " total"),
        upstream("day: today", "14: day is 'today', expected first_use, utc or pacific"),
        upstream("settle: never", "17: settle is 'never', expected profile or usage"),
        upstream("inject_usage: 1", "23: inject_usage is '1', expected true or false"),
        upstream("rpd: 1.5", "14: rpd is '1.5', expected a whole number from 0 to 1099511627776"),
        upstream(
            "concurrency: -1",
            "22: concurrency is '-1', expected a whole number from 0 to 1099511627776"),
        upstream("api_key: ''", "18: api_key is empty, expected text, mostly ${NAME}"),
        upstream(
            "api_key: 123",
            "18: api_key is a number or a truth value, expected text: put it in quotes"),
        upstream("api_key: [a]", "18: api_key is a list, expected text, mostly ${NAME}"),
        upstream(
            "api_key: \"a\\nb\"",
            "18: api_key cannot be sent, expected up to 8192 visible ASCII characters"),
        upstream(
            "api_key: ${1X}", "18: api_key has a broken ${, expected ${NAME} or ${NAME:default}"));
  }

  @ParameterizedTest
  @MethodSource({"ofEndpoints", "ofEndpointsMore", "ofEndpointsStillMore", "ofUpstreams"})
  void badValue_alone_isTheOnlyFaultAtItsPlace(String file, String fault) {
    assertThat(new Routes(directory).write("a.yaml", file).faults(ENVIRONMENT))
        .containsExactly(fault);
  }

  @Test
  void severalFaults_inOneFile_areAllFoundInOrder() {
    String file =
        """
        defaults:
          rate: -1
          path: /x
        endpoints:
          - algorithm: token_window
            default_tokens: 5
          - path: /b
            algorithm: token_window
            tokens_per_window: 10
            window_seconds: 1
            default_tokens: 11
            unit: h
            upstreams:
              - url: http://u
                weigth: 1
          - 7
        endpoint: []
        other: 1
        """;
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .containsExactly(
            "a.yaml:2:9: rate is '-1', expected a number above 0 and up to 1000000000",
            "a.yaml:3:3: unknown key 'path' here, expected it in one of endpoints",
            "a.yaml:5:5: path is missing, expected it here",
            "a.yaml:5:16: algorithm token_window has no tokens_per_window, expected it to be set",
            "a.yaml:5:16: algorithm token_window has no window_seconds, expected it to be set",
            "a.yaml:11:21: default_tokens is 11, expected at most tokens_per_window, 10",
            "a.yaml:12:11: unit is 'h', expected rps or rpm",
            "a.yaml:14:9: id is missing, expected it here",
            "a.yaml:15:9: unknown key 'weigth', did you mean 'weight'?",
            "a.yaml:16:5: an endpoint is '7', expected a mapping of settings",
            "a.yaml:17:1: unknown key 'endpoint', did you mean 'endpoints'?",
            "a.yaml:18:1: unknown key 'other', expected defaults, endpoints, models,"
                + " providers, keys or groups");
  }

  @Test
  void contradictionWithDefaults_endpointSetsOneSide_isAtTheEndpointsSide() {
    String file =
        """
        defaults: {default_tokens: 50, algorithm: token_window, window_seconds: 1}
        endpoints:
          - path: /a
            tokens_per_window: 49
          - path: /b
            tokens_per_window: 50
        """;
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .containsExactly(
            "a.yaml:4:24: default_tokens is 50, expected at most tokens_per_window, 49");
  }

  @Test
  void contradictionWithinDefaults_severalEndpoints_isOneFaultThere() {
    String file =
        """
        defaults: {cost_from: body}
        endpoints: [{path: /a}, {path: /b}, {path: /c, dialect: openai}]
        """;
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .containsExactly(
            "a.yaml:1:23: cost_from is 'body', but dialect none reads no body, expected query or a"
                + " dialect");
  }

  @Test
  void samePath_afterNormalisation_isAFaultInTheLaterFile() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "endpoints: [{path: /a/b}]")
            .write("b.yml", "endpoints:\n  - path: /a//%62/\n    rate: 0");
    assertThat(routes.faults(Map.of()))
        .containsExactly(
            "b.yml:2:11: path '/a/b' is taken at a.yaml:1:20, expected another",
            "b.yml:3:11: rate is '0', expected a number above 0 and up to 1000000000")
        .allMatch(fault -> !fault.contains(directory.toString()));
  }

  @Test
  void sameUpstreamId_identicalElsewhere_isTheSameUpstream() {
    String upstreams = "upstreams: [{id: u, url: 'http://u', tpm: 5}]";
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "endpoints: [{path: /a, " + upstreams + "}]")
            .write("b.yaml", "endpoints: [{path: /b, " + upstreams + "}]");
    assertThat(routes.good(Map.of()).endpoints())
        .extracting(endpoint -> endpoint.upstreams().getFirst())
        .hasSize(2)
        .allMatch(routes.good(Map.of()).endpoints().getFirst().upstreams().getFirst()::equals);
  }

  @Test
  void sameUpstreamId_otherSettings_isAFaultThatNamesThem() {
    Routes routes =
        new Routes(directory)
            .write(
                "a.yaml",
                "endpoints: [{path: /a, upstreams: [{id: u, url: 'http://u', api_key: one}]}]")
            .write(
                "b.yaml",
                """
                endpoints:
                  - path: /b
                    dialect: openai
                    upstreams:
                      - url: http://u
                        api_key: two
                        id: u
                        guard: 51
                        rpd: 5
                        concurrency: 6
                        limits: [{models: [m]}]
                        settle: usage
                        inject_usage: false
                        day: utc
                        proxy: http://p:1
                """);
    assertThat(routes.faults(Map.of()))
        .containsExactly(
            "b.yaml:7:13: upstream 'u' differs from the one at a.yaml:1:41 in api_key,"
                + " rpd, concurrency, limits, day, charge, settle, guard, inject_usage,"
                + " proxy, expected the same or another id");
  }

  @Test
  void sameUpstreamId_twiceInOneEndpoint_isAFault() {
    String file =
        Routes.endpointFile("upstreams: [{id: u, url: 'http://u'}, {id: u, url: 'http://u'}]");
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .containsExactly("a.yaml:3:48: upstream 'u' is in this list twice, expected it once");
  }

  @Test
  void faultMessages_ofSecretValues_doNotShowThem() {
    List<String> faults =
        Stream.of(
                Routes.upstreamFile("api_key: \"hunter2\\u00e9\""),
                Routes.upstreamFile("headers: {X-Token: \"hunter2\\u00e9\"}"),
                Routes.upstreamFile("weight: ${SECRET}"),
                Routes.endpointFile("upstreams: [{id: u, url: 'http://u:hunter2@h'}]"),
                Routes.endpointFile("upstreams: [{id: u, url: 'http://hunter2 '}]"),
                Routes.endpointFile("upstreams: [{id: u, url: 'http://h?key=hunter2'}]"),
                Routes.upstreamFile("proxy: http://u:hunter2@h"),
                Routes.upstreamFile("proxy: 'http://u:hunter2 @h:1'"),
                Routes.upstreamFile("proxy: ftp://u:hunter2@h:1"))
            .flatMap(
                file -> new Routes(directory).write("a.yaml", file).faults(ENVIRONMENT).stream())
            .toList();
    assertThat(faults).hasSize(9).noneMatch(fault -> fault.contains("hunter2"));
  }

  @Test
  void moreFaultsThanAreKept_oneFile_stopsAtTheBound() {
    String file = "endpoints:\n" + "  - {path: x}\n".repeat(FaultCollector.MOST + 1);
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .hasSize(FaultCollector.MOST);
  }
}
