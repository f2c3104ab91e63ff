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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faulty values beside those in {@code src/test/golden/command/check}, where each message has a
 * case, and what is said of several files.
 */
class RouteFaultsTest {
  private static final Map<String, String> ENVIRONMENT = Map.of("SECRET", "hunter2");

  @TempDir Path directory;

  private List<String> faults(String file) {
    return new Routes(directory).write("a.yaml", file).faults(ENVIRONMENT);
  }

  private static Arguments endpoint(String line, String fault) {
    return Arguments.of(Routes.endpointFile(line), "a.yaml:3:" + fault);
  }

  private static Arguments upstream(String line, String fault) {
    return Arguments.of(Routes.upstreamFile(line), "a.yaml:6:" + fault);
  }

  private static Arguments url(String url, String fault) {
    String file = Routes.endpointFile("upstreams:", "  - id: u", "    url: " + url);
    return Arguments.of(file, "a.yaml:5:14: url " + fault);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "010", "0x10", "1:30", "${SECRET}"})
  void wholeNumber_thatIsNone_isShownAsWritten(String number) {
    assertThat(faults(Routes.endpointFile("max_queue_size: " + number)))
        .containsExactly(
            "a.yaml:3:21: max_queue_size is '%s', expected a whole number from 1 to 2147483647"
                .formatted(number));
  }

  @ParameterizedTest
  @ValueSource(strings = {".inf", "-2", "fast", "1.0e+99", "-0.0", "-.inf", ".NaN", "NaN", "1e309"})
  void rate_thatIsNone_isShownAsWritten(String rate) {
    assertThat(faults(Routes.endpointFile("rate: " + rate)))
        .containsExactly(
            "a.yaml:3:11: rate is '%s', expected a number above 0 and up to 1000000000"
                .formatted(rate));
  }

  static Stream<Arguments> ofValues() {
    String rate = "expected a number above 0 and up to 1000000000";
    String burst = "expected a whole number from 1 to 1000000000";
    String header = ", expected the name of a header, as in header:X-Team";
    return Stream.of(
        endpoint(
            "max_queue_size: ~",
            "21: max_queue_size is empty, expected a whole number from 1 to 2147483647"),
        endpoint("rate: ''", "11: rate is '', " + rate),
        endpoint("rate: ", "10: rate is empty, " + rate),
        endpoint("rate: !!int '5x'", "11: rate is '5x', " + rate),
        endpoint("burst_size: 0.5", "17: burst_size is '0.5', " + burst),
        endpoint("burst_size: -1", "17: burst_size is '-1', " + burst),
        endpoint("strip_prefix: 'true'", "19: strip_prefix is 'true', expected true or false"),
        endpoint("fair_by: header:X Y", "14: fair_by is 'header:X Y'" + header),
        endpoint("fair_by: \"header:X\\r\\nY\"", "14: fair_by is 'header:X??Y'" + header),
        endpoint("fair_by: header:Ü", "14: fair_by is 'header:Ü'" + header),
        endpoint("fair_by: 'header:a:b'", "14: fair_by is 'header:a:b'" + header),
        endpoint("fair_by: [key]", "14: fair_by is a list, expected key, header:NAME or body:user"),
        endpoint("fair_by: 5", "14: fair_by is '5', expected key, header:NAME or body:user"),
        Arguments.of(
            "endpoints:\n  - path: /%2e%2E",
            "a.yaml:2:11: path is '/%2e%2E', which has a segment of dots, expected the path they"
                + " lead to"),
        Arguments.of(
            "endpoints:\n  - path: \"/a\\nb\"",
            "a.yaml:2:11: path is '/a?b', which has a character that a path cannot have, expected"
                + " it in % form"));
  }

  static Stream<Arguments> ofContradictions() {
    return Stream.of(
        endpoint(
            "cost_from: provider",
            "16: cost_from is 'provider', but dialect none reads no body, expected query or a"
                + " dialect"),
        Arguments.of(
            Routes.endpointFile("scheduler: fair", "fair_by: body:user"),
            "a.yaml:4:14: fair_by is 'body:user', but dialect none reads no body, expected another"
                + " or a dialect"),
        Arguments.of(
            Routes.endpointFile("window_seconds: 2", "algorithm: token_window"),
            "a.yaml:4:16: algorithm token_window has no tokens_per_window, expected it to be set"),
        Arguments.of(
            Routes.endpointFile("tokens_per_window: 2", "algorithm: token_window"),
            "a.yaml:4:16: algorithm token_window has no window_seconds, expected it to be set"),
        Arguments.of(
            Routes.endpointFile(
                "algorithm: sliding_window", "window_seconds: 1100", "rate: 1000000000"),
            "a.yaml:4:21: rate and window_seconds make 1100000000000 requests a window, expected at"
                + " most 1099511627776"),
        Arguments.of(
            Routes.endpointFile(
                "algorithm: sliding_window", "rate: 1000000000", "window_seconds: 31536000"),
            "a.yaml:5:21: rate and window_seconds make 31536000000000000 requests a window,"
                + " expected at most 1099511627776"),
        Arguments.of(
            "defaults: {overflow: block}\nendpoints:\n  - path: /a\n    max_blocked: 0",
            "a.yaml:4:18: max_blocked is 0, but overflow is block, expected at least 1, or overflow"
                + " reject"),
        Arguments.of(
            "defaults: {default_tokens: 6, tokens_per_window: 5, window_seconds: 1}\nendpoints:\n"
                + "  - path: /a\n    algorithm: token_window",
            "a.yaml:1:28: default_tokens is 6, expected at most tokens_per_window, 5"));
  }

  static Stream<Arguments> ofUpstreams() {
    return Stream.of(
        upstream(
            "tpm_limit: -1",
            "20: tpm_limit is '-1', expected a whole number from 0 to 1099511627776"),
        upstream("headers: {hOST: x}", "19: header 'hOST' is the gateway's own, expected another"),
        upstream(
            "proxy: 'p:1'",
            "16: proxy is no address of an HTTP proxy, expected an address such as"
                + " http://proxy.local:3128 or http://user:password@proxy.local:3128"),
        upstream("proxy: http://p:0", "16: proxy has no port, or a bad one, expected 1 to 65535"),
        upstream("proxy: http://p:1?a=b", "16: proxy goes on after its port, expected no more"),
        upstream("proxy: 'http://p:1#a'", "16: proxy goes on after its port, expected no more"),
        url("http://u:p@my_host", "has a user name or a password, expected credentials in api_key"),
        url(
            "http://",
            "is not an address (Expected authority), expected an address such as"
                + " https://api.openai.com or mock://openai"));
  }

  @ParameterizedTest
  @MethodSource({"ofValues", "ofContradictions", "ofUpstreams"})
  void badValue_alone_isTheOnlyFaultAtItsPlace(String file, String fault) {
    assertThat(faults(file)).containsExactly(fault);
  }

  @ParameterizedTest
  @MethodSource("sameOnceNormalised")
  void path_thatDiffersByNormalisationAlone_isTaken(String first, String second, String shown) {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", "endpoints: [{path: " + first + "}]")
            .write("b.yaml", "endpoints: [{path: " + second + "}]");
    assertThat(routes.faults(Map.of()))
        .containsExactly(
            "b.yaml:1:20: path '" + shown + "' is taken at a.yaml:1:20, expected another");
  }

  static Stream<Arguments> sameOnceNormalised() {
    return Stream.of(
        Arguments.of("/a", "/a", "/a"),
        Arguments.of("/a", "/a/", "/a"),
        Arguments.of("/a/b", "//a///b", "/a/b"),
        Arguments.of("/", "//", "/"),
        Arguments.of("/a-b", "/%61%2Db", "/a-b"),
        Arguments.of("/a%2Fb", "/a%2fb", "/a%2Fb"),
        Arguments.of("/é", "/%C3%a9", "/%C3%A9"));
  }

  @Test
  void encodedSlash_besideASlash_isAnotherPath() {
    Routes routes =
        new Routes(directory).write("a.yaml", "endpoints: [{path: /a/b}, {path: /a%2Fb}]");
    assertThat(routes.good(Map.of()).endpoints())
        .extracting(endpoint -> endpoint.path())
        .containsExactly("/a%2Fb", "/a/b");
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
            .flatMap(file -> faults(file).stream())
            .toList();
    assertThat(faults).hasSize(9).noneMatch(fault -> fault.contains("hunter2"));
  }

  @Test
  void moreFaultsThanAreKept_oneFile_stopsAtTheBound() {
    String file = "endpoints:\n" + "  - {path: x}\n".repeat(FaultCollector.MOST + 1);
    assertThat(faults(file)).hasSize(FaultCollector.MOST);
  }
}
