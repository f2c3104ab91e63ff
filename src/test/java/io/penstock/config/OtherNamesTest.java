package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of route files that may be written under their names in other products. */
class OtherNamesTest {
  private static final String OTHER =
      """
      endpoints:
        - path: /a
          dialect: openai
          upstreams: [{id: u, url: 'http://u', rpm_limit: 1, tpm_limit: 2}]
      models: {m: {max_rpm: 7, max_tpm: 8, max_rpd: 9}}
      """;
  private static final String FIRST =
      OTHER.replaceAll("max_(rp.|tpm):", "$1:").replaceAll("([a-z]+)_limit:", "$1:");

  @TempDir Path directory;

  private Routes routes(String... lines) {
    return new Routes(directory).write("a.yaml", Routes.upstreamFile(lines));
  }

  @Test
  void otherNames_meanTheSameAsTheFirst() {
    ConfigurationSnapshot first = new Routes(directory).write("a.yaml", FIRST).good(Map.of());
    ConfigurationSnapshot other = new Routes(directory).write("a.yaml", OTHER).good(Map.of());
    assertThat(FIRST).doesNotContain("_limit", "max_");
    assertThat(other).usingRecursiveComparison().isEqualTo(first);
    assertThat(RouteText.yaml(other)).isEqualTo(RouteText.yaml(first));
  }

  @Test
  void bothNamesInOneSection_areAFaultThatNamesBothPlaces() {
    assertThat(routes("rpm_limit: 5", "rpm: 5").faults(Map.of()))
        .containsExactly(
            "a.yaml:7:9: rpm and rpm_limit, which is set at a.yaml:6:9, are two names of one"
                + " setting, expected only rpm");
    assertThat(routes("tpm: 5", "tpm_limit: 6").faults(Map.of()))
        .containsExactly(
            "a.yaml:7:9: tpm_limit and tpm, which is set at a.yaml:6:9, are two names of one"
                + " setting, expected only tpm");
  }

  @Test
  void badValue_isNamedAsItIsWritten() {
    assertThat(routes("rpm_limit: -1").faults(Map.of()))
        .containsExactly(
            "a.yaml:6:20: rpm_limit is '-1', expected a whole number from 0 to 1099511627776");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "keys: [{rpm_limit: 5}] | did you mean 'rpm'?",
        "groups: [{tpm_limit: 5}] | did you mean 'tpm'?",
        "models: {m: {rpm_limit: 5}} | did you mean 'rpm'?",
        "endpoints: [{max_rpm: 5}] | here, expected it in one of models",
        "tpm: 5 | here, expected it in one of upstreams, limits, models, keys or groups",
      })
  void otherNameOfAnotherSection_isAFaultWithTheNameOfThisOne(String file, String advice) {
    assertThat(new Routes(directory).write("a.yaml", file).faults(Map.of()))
        .filteredOn(fault -> fault.contains("unknown key"))
        .singleElement()
        .asString()
        .endsWith(advice);
  }
}
