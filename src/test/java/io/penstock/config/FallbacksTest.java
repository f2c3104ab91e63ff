package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Fallback;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Models that may be served in place of others. */
class FallbacksTest {
  private static final long SECOND = 1_000_000_000L;
  private static final String ENDPOINT = "endpoints: [{path: /a}]\n";

  @TempDir Path directory;

  @Test
  void fallbacksOfAllFiles_areThoseOfEveryEndpoint() {
    ConfigurationSnapshot snapshot =
        new Routes(directory)
            .write("a.yaml", ENDPOINT + "models: {m: {fallback: [n, o]}}")
            .write("b.yaml", "models: {n: {fallback: [o], fallback_after: 0.25}, o: {}}")
            .write("c.yaml", "endpoints: [{path: /c}]")
            .good(Map.of());
    assertThat(snapshot.endpoints()).extracting(EndpointSpec::path).containsExactly("/a", "/c");
    assertThat(snapshot.endpoints())
        .extracting(endpoint -> endpoint.forwarding().fallbacks())
        .containsOnly(
            Map.of(
                "m", new Fallback(List.of("n", "o"), 5 * SECOND),
                "n", new Fallback(List.of("o"), SECOND / 4)));
  }

  @Test
  void noModels_nothingServesInTheirPlace() {
    assertThat(new Routes(directory).endpoint().forwarding().fallbacks()).isEmpty();
    assertThat(RouteText.yaml(new Routes(directory).good(Map.of()))).doesNotContain("models");
  }

  @Test
  void printed_byNameWithSeconds() {
    String file =
        ENDPOINT + "models: {n: {fallback: [o], fallback_after: 0.5}, m: {fallback: [n]}}";
    ConfigurationSnapshot snapshot = new Routes(directory).write("a.yaml", file).good(Map.of());
    assertThat(RouteText.yaml(snapshot))
        .endsWith(
            """
            models:
              m:
                fallback:
                  - n
                fallback_after: 5
              n:
                fallback:
                  - o
                fallback_after: 0.5
            """);
  }

  @Test
  void sameModelInTwoFiles_isAFaultInTheLater() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", ENDPOINT + "models: {m: {fallback: [n]}}")
            .write("b.yaml", "models:\n  k: {fallback: [n]}\n  m: {fallback: [n]}");
    assertThat(routes.faults(Map.of()))
        .containsExactly("b.yaml:3:3: model 'm' is there at a.yaml:2:10 already, expected it once");
  }

  static Stream<Arguments> faulty() {
    return Stream.of(
        fault("{m: {fallback: [n, m]}}", "24: model 'm' falls back to itself, expected others"),
        fault("{m: {fallback: n}}", "24: fallback is 'n', expected a list of models"),
        fault("{m: {fallback: []}}", "24: fallback is empty, expected a model"),
        fault("{m: {fallback: [n, n]}}", "28: model 'n' is there twice, expected it once"),
        fault(
            "{m: {fallback_after: -1}}",
            "30: fallback_after is '-1', expected a number from 0 to 86400"),
        fault("{m: {rpm: -5}}", "19: rpm is '-5', expected a whole number from 0 to 1099511627776"),
        fault(
            "{m: {price_per_mtok: {input: -1}}}",
            "38: input is '-1', expected a number from 0 to 1000000000"),
        fault(
            "{m: {price_per_mtok: 5}}",
            "30: price_per_mtok is '5', expected a mapping with input and output"),
        fault("{m: {falback: [n]}}", "14: unknown key 'falback', did you mean 'fallback'?"),
        fault("{m: 5}", "13: a model is '5', expected a mapping of settings"),
        fault("{m: {}, m: {}}", "17: key 'm' is there twice, expected it once"),
        fault("{4: {}}", "10: a model is '4', expected text: put it in quotes"),
        fault("[m]", "9: models is a list, expected a mapping of models"));
  }

  private static Arguments fault(String models, String fault) {
    return Arguments.of("models: " + models, "a.yaml:2:" + fault);
  }

  @ParameterizedTest
  @MethodSource("faulty")
  void badModel_alone_isTheOnlyFaultAtItsPlace(String models, String fault) {
    assertThat(new Routes(directory).write("a.yaml", ENDPOINT + models).faults(Map.of()))
        .containsExactly(fault);
  }
}
