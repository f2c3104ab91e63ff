package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RouteFilesTest {
  @TempDir Path directory;

  private static List<String> faultsOf(Path path) {
    return switch (new RouteFiles(Map.of(), address -> {}).load(path)) {
      case LoadedConfiguration.Good good -> List.of();
      case LoadedConfiguration.Bad(List<ConfigurationFault> faults) ->
          faults.stream().map(ConfigurationFault::message).toList();
    };
  }

  @Test
  void directory_withSeveralFiles_isReadTogetherAndSortedByPath() {
    Routes routes =
        new Routes(directory)
            .write("b.yaml", "defaults: {rate: 2}\nendpoints: [{path: /z}, {path: /a}]")
            .write("a.yml", "endpoints: [{path: /m}]")
            .write("c.yaml", "# nothing\n")
            .write(".hidden.yaml", "nonsense")
            .write("notes.txt", "nonsense");
    List<EndpointSpec> endpoints = routes.good(Map.of()).endpoints();
    assertThat(endpoints).extracting(EndpointSpec::path).containsExactly("/a", "/m", "/z");
    assertThat(endpoints)
        .extracting(e -> e.entry().shown().get("rate"))
        .containsExactly(2L, 1L, 2L);
  }

  @Test
  void singleFile_ofAnyName_isRead() throws IOException {
    Path file = Files.writeString(directory.resolve("routes.conf"), "endpoints: [{path: /a}]");
    assertThat(faultsOf(file)).isEmpty();
  }

  @Test
  void nothingToRead_inEachWay_isAFaultAndNoException() throws IOException {
    assertThat(faultsOf(directory.resolve("nope")))
        .containsExactly("does not exist, expected a route file or a directory of route files");
    assertThat(faultsOf(directory))
        .containsExactly("has no route files, expected at least one *.yaml or *.yml");
    Files.createSymbolicLink(directory.resolve("a.yaml"), directory.resolve("gone"));
    assertThat(faultsOf(directory)).containsExactly("does not exist, expected a route file");
  }

  @Test
  void variables_areThoseThatAValueWasTakenFrom() {
    String file =
        Routes.upstreamFile("api_key: ${KEY}", "headers: {X-Team: '${TEAM}-${PLACE:here}'}")
            + "# ${COMMENT}\n";
    Map<String, String> environment = Map.of("KEY", "k", "TEAM", "t", "COMMENT", "c", "OTHER", "o");
    assertThat(new Routes(directory).write("a.yaml", file).good(environment).variables())
        .containsExactlyInAnyOrder("KEY", "TEAM");
  }

  @Test
  void filesWithoutEndpoints_alone_areAFault() {
    Routes routes = new Routes(directory).write("a.yaml", "").write("b.yaml", "endpoints: []");
    assertThat(routes.faults(Map.of()))
        .containsExactly(
            "a.yaml:1:1: no endpoint is configured, expected at least one in endpoints");
  }

  @Test
  void deviceInTheDirectory_insteadOfAFile_isAFaultAndIsNotRead() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("a.yaml"), Path.of("/dev/zero"));
    assertThat(faultsOf(directory))
        .containsExactly("cannot be read (not a regular file), expected a route file");
    Files.delete(link);
  }

  @Test
  void moreFilesThanAreRead_inOneDirectory_areAFault() {
    Routes routes = new Routes(directory);
    for (int i = 0; i < RouteListing.MOST; i++) {
      routes.write(i + ".yaml", "endpoints: [{path: /%d}]".formatted(i));
    }
    assertThat(faultsOf(directory)).isEmpty();
    routes.write("more.yaml", "endpoints: [{path: /more}]");
    assertThat(faultsOf(directory))
        .containsExactly("has more than 1000 route files, expected fewer");
  }

  @Test
  void variables_inEveryKindOfValue_areTaken() {
    String file =
        """
        endpoints:
          - path: /${NAME}/${VERSION:v1}
            max_queue_size: ${SIZE:5}
            max_skips: "${SKIPS}"
            strip_prefix: ${STRIP}
            dialect: ${DIALECT}
            upstreams:
              - id: ${NAME}-1
                url: ${URL:http://u:8080/x}
                headers: {X-Number: '${SKIPS}', X-Empty-Default: 'a${NONE:}b'}
                models: ['${NAME}']
        """;
    Map<String, String> environment =
        Map.of("NAME", "n", "SKIPS", "7", "STRIP", "false", "DIALECT", "openai", "URL", "http://w");
    EndpointSpec endpoint =
        new Routes(directory).write("a.yaml", file).good(environment).endpoints().getFirst();
    UpstreamSpec upstream = endpoint.upstreams().getFirst();
    assertThat(endpoint.path()).isEqualTo("/n/v1");
    assertThat(endpoint.waiting().bounds().maxTickets()).isEqualTo(5);
    assertThat(endpoint.scheduling().maxSkips()).isEqualTo(7);
    assertThat(endpoint.forwarding().stripPrefix()).isFalse();
    assertThat(upstream.id()).isEqualTo("n-1");
    assertThat(upstream.url()).hasToString("http://w");
    assertThat(upstream.access().headers())
        .isEqualTo(Map.of("X-Number", "7", "X-Empty-Default", "ab"));
    assertThat(upstream.models()).isEqualTo(Map.of("n", "n"));
  }

  @Test
  void variable_whoseValueLooksLikeAReference_isNotExpandedAgain() {
    String file = Routes.upstreamFile("headers: {X-A: '${A}'}");
    EndpointSpec endpoint =
        new Routes(directory)
            .write("a.yaml", file)
            .good(Map.of("A", "${HOME}"))
            .endpoints()
            .getFirst();
    assertThat(endpoint.upstreams().getFirst().access().headers()).containsEntry("X-A", "${HOME}");
  }

  @Test
  void variableNotSet_outsideAnApiKey_isAFault() {
    String file = Routes.endpointFile("max_queue_size: ${SIZE}");
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .containsExactly(
            "a.yaml:3:21: max_queue_size takes environment variable SIZE, which is not set,"
                + " expected it to be set or a default: ${SIZE:default}");
  }

  @Test
  void apiKey_whoseVariableIsNotSetOrEmpty_disablesTheUpstreamWithAWarning() {
    Routes routes =
        new Routes(directory).write("a.yaml", Routes.upstreamFile("api_key: ${API_KEY}"));
    UpstreamSpec unset = routes.good(Map.of()).endpoints().getFirst().upstreams().getFirst();
    assertThat(unset.access().apiKey()).isNull();
    assertThat(unset.access().disabledBecause()).isEqualTo("API_KEY is not set");
    assertThat(routes.warnings(Map.of()))
        .containsExactly("a.yaml:4:9: upstream u is disabled: API_KEY is not set");
    assertThat(routes.warnings(Map.of("API_KEY", "\n")))
        .containsExactly("a.yaml:4:9: upstream u is disabled: API_KEY is empty");
  }

  @Test
  void apiKey_set_isTakenWithoutLineBreakAndWithoutWarning() {
    Routes routes =
        new Routes(directory).write("a.yaml", Routes.upstreamFile("api_key: ${API_KEY}"));
    ConfigurationSnapshot snapshot = routes.good(Map.of("API_KEY", "sk-1\n"));
    UpstreamSpec upstream = snapshot.endpoints().getFirst().upstreams().getFirst();
    assertThat(upstream.access().apiKey()).isEqualTo("sk-1");
    assertThat(upstream.access().disabledBecause()).isNull();
    assertThat(snapshot.warnings()).isEmpty();
  }

  @Test
  void apiKey_withAnEmptyDefault_sendsNoneAndDisablesNothing() {
    Routes routes =
        new Routes(directory).write("a.yaml", Routes.upstreamFile("api_key: ${API_KEY:}"));
    UpstreamSpec upstream = routes.good(Map.of()).endpoints().getFirst().upstreams().getFirst();
    assertThat(upstream.access().apiKey()).isNull();
    assertThat(upstream.access().disabledBecause()).isNull();
    assertThat(upstream.toString()).doesNotContain("sk");
  }

  @Test
  void tokenWindow_beforeARealUpstreamWithoutALimit_isWarnedAbout() {
    String window = "algorithm: token_window, tokens_per_window: 5, window_seconds: 60";
    String file =
        """
        defaults: {%s}
        endpoints:
          - {path: /real, upstreams: [{id: a, url: 'http://u'}]}
          - {path: /mock, upstreams: [{id: b, url: 'mock://openai'}]}
          - {path: /limited, upstreams: [{id: c, url: 'http://u', rpm: 1}]}
          - {path: /permit}
          - {path: /none, algorithm: none, upstreams: [{id: d, url: 'http://u'}]}
        """
            .formatted(window);
    assertThat(new Routes(directory).write("a.yaml", file).warnings(Map.of()))
        .singleElement()
        .asString()
        .startsWith("a.yaml:3:31: upstream 'a' has no limit of its own")
        .endsWith("expected rpm, tpm, itpm or otpm");
  }
}
