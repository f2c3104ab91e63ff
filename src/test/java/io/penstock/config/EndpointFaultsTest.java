package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults of limits, orders and waiting, and their places. */
class EndpointFaultsTest {
  private static final String RATE = "expected a number above 0 and up to 1000000000";

  @TempDir Path directory;

  private static Arguments at(String line, String fault) {
    return Arguments.of(Routes.endpointFile(line), "a.yaml:3:" + fault);
  }

  private static Arguments second(String first, String line, String fault) {
    return Arguments.of(Routes.endpointFile(first, line), "a.yaml:4:" + fault);
  }

  static Stream<Arguments> ofNumbers() {
    return Stream.of(
        at("rate: -0.0", "11: rate is '-0.0', " + RATE),
        at("rate: -.inf", "11: rate is '-.inf', " + RATE),
        at("rate: .NaN", "11: rate is '.NaN', " + RATE),
        at("rate: NaN", "11: rate is 'NaN', " + RATE),
        at("rate: 1e309", "11: rate is '1e309', " + RATE),
        at("rate: ''", "11: rate is '', " + RATE),
        at("rate: ", "10: rate is empty, " + RATE),
        at("burst_size: 0", "17: burst_size is '0', " + whole(1, 1_000_000_000)),
        at("burst_size: 0.5", "17: burst_size is '0.5', " + whole(1, 1_000_000_000)),
        at("burst_size: -1", "17: burst_size is '-1', " + whole(1, 1_000_000_000)),
        at("max_blocked: -1", "18: max_blocked is '-1', " + whole(0, Integer.MAX_VALUE)),
        at(
            "heartbeat_seconds: -1",
            "24: heartbeat_seconds is '-1', expected a number from 0 to 86400"),
        at(
            "heartbeat_seconds: 1e-9",
            "24: heartbeat_seconds is 0.000000001, expected 0 or at least 0.001"),
        at(
            "latency_compensation: -1",
            "27: latency_compensation is '-1', expected a number from 0 to 3600000"),
        at(
            "priority_aging_seconds: -1",
            "29: priority_aging_seconds is '-1', expected a number from 0 to 31536000"),
        at("shadow: 1", "13: shadow is '1', expected true or false"),
        at("dynamic: 'no'", "14: dynamic is 'no', expected true or false"),
        at(
            "max_dynamic_endpoints: 5",
            "5: unknown key 'max_dynamic_endpoints' here, expected it in defaults"),
        Arguments.of(
            "defaults:\n  max_dynamic_endpoints: -1",
            "a.yaml:2:26: max_dynamic_endpoints is '-1', " + whole(0, 1_000_000)));
  }

  private static String whole(long least, long most) {
    return "expected a whole number from " + least + " to " + most;
  }

  static Stream<Arguments> ofWords() {
    String name = ", expected the name of a header, as in header:X-Team";
    return Stream.of(
        at("fair_by: 'header:'", "14: fair_by is 'header:'" + name),
        at("fair_by: header:X Y", "14: fair_by is 'header:X Y'" + name),
        at("fair_by: \"header:X\\r\\nY\"", "14: fair_by is 'header:X??Y'" + name),
        at("fair_by: header:Ü", "14: fair_by is 'header:Ü'" + name),
        at("fair_by: 'header:a:b'", "14: fair_by is 'header:a:b'" + name),
        at(
            "fair_by: body:model",
            "14: fair_by is 'body:model', expected key, header:NAME or body:user"),
        at("fair_by: [key]", "14: fair_by is a list, expected key, header:NAME or body:user"),
        at("fair_by: 5", "14: fair_by is '5', expected key, header:NAME or body:user"));
  }

  static Stream<Arguments> ofContradictions() {
    return Stream.of(
        second(
            "scheduler: fair",
            "fair_by: body:user",
            "14: fair_by is 'body:user', but dialect none reads no body, expected another or a"
                + " dialect"),
        second(
            "overflow: block",
            "max_blocked: 0",
            "18: max_blocked is 0, but overflow is block, expected at least 1, or overflow reject"),
        second(
            "window_seconds: 2",
            "algorithm: token_window",
            "16: algorithm token_window has no tokens_per_window, expected it to be set"),
        second(
            "tokens_per_window: 2",
            "algorithm: token_window",
            "16: algorithm token_window has no window_seconds, expected it to be set"),
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

  static Stream<Arguments> ofPaths() {
    return Stream.of(
        path("/a/../b", "'/a/../b', which has a segment of dots, expected the path they lead to"),
        path("/%2e%2E", "'/%2e%2E', which has a segment of dots, expected the path they lead to"),
        path("a", "'a', expected a slash first"),
        path("''", "'', expected a slash first"),
        path("/a?b=c", "'/a?b=c', which has a query or a fragment, expected a path alone"),
        path("/a%00", "'/a%00', which has a bad % escape, expected two hex digits of a character"),
        path("/a%2", "'/a%2', which has a bad % escape, expected two hex digits of a character"),
        path(
            "\"/a\\x1bb\"",
            "'/a?b', which has a character that a path cannot have, expected it in % form"),
        path(
            "\"/a\\nb\"",
            "'/a?b', which has a character that a path cannot have, expected it in % form"),
        path(
            "/" + "x".repeat(8192),
            "'/" + "x".repeat(59) + "…', which is too long, expected at most 2048 characters"),
        path("5", "'5', expected a path such as /openai"));
  }

  private static Arguments path(String path, String fault) {
    return Arguments.of("endpoints:\n  - path: " + path, "a.yaml:2:11: path is " + fault);
  }

  @ParameterizedTest
  @MethodSource({"ofNumbers", "ofWords", "ofContradictions", "ofPaths"})
  void badValue_alone_isTheOnlyFaultAtItsPlace(String file, String fault) {
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of())).containsExactly(fault);
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
}
