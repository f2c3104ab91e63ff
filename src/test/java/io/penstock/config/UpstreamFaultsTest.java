package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults of an upstream's addresses, headers and models. */
class UpstreamFaultsTest {
  @TempDir Path directory;

  static Stream<Arguments> ofHeadersAndModels() {
    return Stream.of(
        RouteFaultsTest.upstream(
            "headers: {A: \"b\\r\\nc: d\"}",
            "22: header 'A' cannot be sent, expected up to 8192 visible ASCII characters and"
                + " spaces"),
        RouteFaultsTest.upstream(
            "headers: {'a b': c}", "19: a header's name is 'a b', expected one such as X-Team"),
        RouteFaultsTest.upstream(
            "headers: {Connection: close}",
            "19: header 'Connection' is the gateway's own, expected another"),
        RouteFaultsTest.upstream(
            "headers: {hOST: x}", "19: header 'hOST' is the gateway's own, expected another"),
        RouteFaultsTest.upstream(
            "headers: {A: x, a: y}", "25: header 'a' is there twice, expected it once"),
        RouteFaultsTest.upstream(
            "headers: {A: 1}",
            "22: header 'A' is a number or a truth value, expected text: put it in quotes"),
        RouteFaultsTest.upstream(
            "headers: [A]", "18: headers is a list, expected a mapping of names to values"),
        RouteFaultsTest.upstream(
            "headers: {A: '${NOPE}'}",
            "22: header 'A' takes environment variable NOPE, which is not set, expected it to be"
                + " set or a default: ${NOPE:default}"),
        RouteFaultsTest.upstream(
            "models: []", "17: models is empty, expected a model, or no models to take any"),
        RouteFaultsTest.upstream(
            "models: {}", "17: models is empty, expected a model, or no models to take any"),
        RouteFaultsTest.upstream(
            "models: [a, a]", "21: model 'a' is there twice, expected it once"),
        RouteFaultsTest.upstream(
            "models: [4.1]", "18: a model is '4.1', expected text: put it in quotes"),
        RouteFaultsTest.upstream(
            "models: m",
            "17: models is 'm', expected a list of models, or a mapping of aliases to models"),
        RouteFaultsTest.upstream("id: v", "9: key 'id' is there twice, expected it once"));
  }

  static Stream<Arguments> ofProxies() {
    String expected =
        ", expected an address such as http://proxy.local:3128 or"
            + " http://user:password@proxy.local:3128";
    return Stream.of(
        proxy("https://p:1", "is no address of an HTTP proxy" + expected),
        proxy("'p:1'", "is no address of an HTTP proxy" + expected),
        proxy("p", "is no address of an HTTP proxy" + expected),
        proxy("'http://p p:1'", "is not an address (Illegal character in authority)" + expected),
        proxy("http://my_proxy:1", "has no host name" + expected),
        proxy("http://p", "has no port, or a bad one, expected 1 to 65535"),
        proxy("http://p:0", "has no port, or a bad one, expected 1 to 65535"),
        proxy("http://p:65536", "has no port, or a bad one, expected 1 to 65535"),
        proxy("http://p:1/a", "goes on after its port, expected no more"),
        proxy("http://p:1?a=b", "goes on after its port, expected no more"),
        proxy("'http://p:1#a'", "goes on after its port, expected no more"));
  }

  private static Arguments proxy(String url, String fault) {
    return RouteFaultsTest.upstream("proxy: " + url, "16: proxy " + fault);
  }

  static Stream<Arguments> ofUrls() {
    return Stream.of(
        url("ftp://h", "has an unknown scheme, expected http, https or mock"),
        url(
            "api.openai.com",
            "is not a whole address, expected an address such as https://api.openai.com or"
                + " mock://openai"),
        url(
            "http:h",
            "is not a whole address, expected an address such as https://api.openai.com or"
                + " mock://openai"),
        url(
            "'http://h h'",
            "is not an address (Illegal character in authority), expected an address"
                + " such as https://api.openai.com or mock://openai"),
        url(
            "http://",
            "is not an address (Expected authority), expected an address such as"
                + " https://api.openai.com or mock://openai"),
        url(
            "http:///x",
            "has no host name, expected one of letters, digits, dots and hyphens, or an IP"
                + " address"),
        url(
            "http://my_host",
            "has no host name, expected one of letters, digits, dots and hyphens, or an IP"
                + " address"),
        url("http://u:p@h", "has a user name or a password, expected credentials in api_key"),
        url("http://u:p@my_host", "has a user name or a password, expected credentials in api_key"),
        url("http://h:70000", "has a bad port, expected 1 to 65535"),
        url("http://h?key=k", "has a query, expected none: the request brings its own"),
        url("'http://h#f'", "has a fragment, expected none"),
        url(
            "http://h/a/../b",
            "has a path which has a segment of dots, expected the path they lead to"),
        url("mock://llama", "has an unknown mock, expected openai, anthropic or gemini"),
        url("mock://openai?bad=1", "is no usable mock address: query has 'bad', expected 'good'"),
        url("12", "is '12', expected an address such as https://api.openai.com or mock://openai"));
  }

  private static Arguments url(String url, String fault) {
    String file = Routes.endpointFile("upstreams:", "  - id: u", "    url: " + url);
    return Arguments.of(file, "a.yaml:5:14: url " + fault);
  }

  @ParameterizedTest
  @MethodSource({"ofHeadersAndModels", "ofProxies", "ofUrls"})
  void badValue_alone_isTheOnlyFaultAtItsPlace(String file, String fault) {
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of())).containsExactly(fault);
  }
}
