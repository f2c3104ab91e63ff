package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.shape.RouteSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Settings of route files that may be written under the names that they had before. */
class OldNamesTest {
  private static final String HASH = "0123456789abcdef".repeat(4);
  private static final String OLD =
      """
      endpoints:
        - path: /a
          upstreams:
            - {id: u, url: 'http://u', rpm_limit: 1, tpm_limit: 2, itpm_limit: 3, otpm_limit: 4,
               rpd_limit: 5, max_concurrency: 6}
      models: {m: {max_rpm: 7, max_tpm: 8, max_rpd: 9}}
      keys:
        - {name: k, sha256: HASH, rate_limit_rpm: 10, rate_limit_tpm: 11, rate_limit_rpd: 12,
           max_concurrency: 13}
      """
          .replace("HASH", HASH);
  private static final String NEW =
      OLD.replaceAll("rate_limit_(...):", "$1:")
          .replaceAll("max_(rp.|tpm|concurrency):", "$1:")
          .replaceAll("([a-z]+)_limit:", "$1:");

  @TempDir Path directory;

  private Routes routes(String... lines) {
    return new Routes(directory).write("a.yaml", Routes.upstreamFile(lines));
  }

  @Test
  void oldNames_meanTheSameAsThePresentOnes() {
    ConfigurationSnapshot present = new Routes(directory).write("a.yaml", NEW).good(Map.of());
    ConfigurationSnapshot old = new Routes(directory).write("a.yaml", OLD).good(Map.of());
    assertThat(NEW).doesNotContain("_limit", "max_");
    assertThat(old).usingRecursiveComparison().ignoringFields("warnings").isEqualTo(present);
    assertThat(RouteText.yaml(old)).isEqualTo(RouteText.yaml(present));
    assertThat(present.warnings()).noneMatch(warning -> warning.contains("old names"));
  }

  @Test
  void fileWithOldNames_hasOneWarningThatListsThemAtTheFirst() {
    Routes routes =
        new Routes(directory)
            .write("a.yaml", OLD)
            .write("b.yaml", "endpoints: [{path: /b}]\nmodels: {n: {max_rpd: 5}, o: {max_rpd: 6}}");
    assertThat(routes.warnings(Map.of()))
        .filteredOn(warning -> warning.contains("old names"))
        .containsExactly(
            "a.yaml:4:34: this file uses old names of settings, the first one here: rpm_limit is"
                + " now rpm, tpm_limit is now tpm, itpm_limit is now itpm, otpm_limit is now otpm,"
                + " rpd_limit is now rpd, max_concurrency is now concurrency, max_rpm is now rpm,"
                + " max_tpm is now tpm, max_rpd is now rpd, rate_limit_rpm is now rpm,"
                + " rate_limit_tpm is now tpm, rate_limit_rpd is now rpd; the old names stay valid",
            "b.yaml:2:14: this file uses old names of settings, the first one here: max_rpd is now"
                + " rpd; the old names stay valid");
  }

  @Test
  void bothNamesInOneSection_areAFaultThatNamesBothPlaces() {
    assertThat(routes("rpm_limit: 5", "rpm: 5").faults(Map.of()))
        .containsExactly(
            "a.yaml:7:9: rpm and rpm_limit, which is set at a.yaml:6:9, are two names of one"
                + " setting, expected only rpm");
    assertThat(routes("concurrency: 5", "max_concurrency: 6").faults(Map.of()))
        .containsExactly(
            "a.yaml:7:9: max_concurrency and concurrency, which is set at a.yaml:6:9, are two names"
                + " of one setting, expected only concurrency");
  }

  @Test
  void badValue_isNamedAsItIsWritten() {
    assertThat(routes("max_concurrency: -1").faults(Map.of()))
        .containsExactly(
            "a.yaml:6:26: max_concurrency is '-1', expected a whole number from 0 to"
                + " 1099511627776");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "keys: [{rpm_limit: 5}] | did you mean 'rpm'?",
        "groups: [{rate_limit_tpm: 5}] | did you mean 'tpm'?",
        "models: {m: {rpd_limit: 5}} | did you mean 'rpd'?",
        "endpoints: [{rate_limit_rpm: 5}] | here, expected it in one of keys",
        "tpm: 5 | here, expected it in one of upstreams, limits, models, keys or groups",
      })
  void oldNameOfAnotherSection_isAFaultWithTheNameOfThisOne(String file, String advice) {
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .filteredOn(fault -> fault.contains("unknown key"))
        .singleElement()
        .asString()
        .endsWith(advice);
  }

  static Stream<Arguments> tables() {
    return Stream.of(
        Arguments.of("/properties/models/additionalProperties", ModelSettings.TABLE),
        Arguments.of("/properties/keys/items", KeySettings.TABLE),
        Arguments.of(
            "/properties/endpoints/items/properties/upstreams/items", UpstreamSettings.TABLE));
  }

  @ParameterizedTest
  @MethodSource("tables")
  void schema_marksOldNamesAsDeprecatedWithTheName(String pointer, List<RouteSetting<?>> table) {
    JsonNode properties =
        JsonMapper.shared().readTree(RouteText.schema()).at(pointer + "/properties");
    for (RouteSetting<?> setting : table) {
      assertThat(properties.path(setting.name()).has("deprecated")).isFalse();
      for (String old : setting.oldNames()) {
        assertThat(properties.at("/" + old + "/deprecated").asBoolean()).isTrue();
        assertThat(properties.at("/" + old + "/description").asString())
            .isEqualTo("The old name of " + setting.name() + ".");
      }
    }
    assertThat(table).anySatisfy(setting -> assertThat(setting.oldNames()).isNotEmpty());
  }
}
