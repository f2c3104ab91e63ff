package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Warnings about calls that pass without using the tokens that are limited. */
class UnlimitedCallsTest {
  private static final String HASH = "0123456789abcdef".repeat(4);

  private static final String PLAIN =
      "endpoints: [{path: /a, dialect: openai, upstreams: [{id: u, url: 'http://u'}]}]\n";

  @TempDir Path directory;

  private Routes file(String text) {
    return new Routes(directory)
        .write("a.yaml", text.replace("HASH", HASH).replace("OTHER", HASH.replace('0', '1')));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "keys: [{name: k, sha256: HASH, tpm: 5}] | key 'k'",
        "keys: [{name: k, sha256: HASH, budget_tokens_per_day: 5}] | key 'k'",
        "keys: [{name: k, sha256: HASH, models: {m: {tpm: 5}}}] | key 'k'",
        "groups: [{name: g, tpm: 5}] | group 'g'",
        "groups: [{name: g, budget_tokens_per_day: 5}] | group 'g'",
        "groups: [{name: g, budget_tokens_per_month: 5}] | group 'g'",
        "models: {m: {tpm: 5}} | model 'm'",
        "providers: [gemini] | the quotas of provider gemini",
        "keys: [{name: k, sha256: HASH, tpm: 5}, {name: l, sha256: OTHER, tpm: 5}]"
            + " | key 'k', key 'l'",
      })
  void tokenLimit_whereUnweighedCallsPass_isWarnedAbout(String limit, String named) {
    assertThat(file(limit + "\n" + PLAIN).warnings(Map.of()))
        .containsExactly(
            "a.yaml:2:20: calls is all: calls whose tokens are not counted, such as files and"
                + " audio, pass by the limits of tokens of "
                + named
                + "; expected calls: weighed, or a list of the calls that may pass");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tpm: 5}",
        "itpm: 5}",
        "otpm: 5}",
        "limits: [{models: [m], tpm: 5}]}",
      })
  void tokenLimitOfTheUpstream_isWarnedAbout(String limit) {
    assertThat(file(PLAIN.replace("'http://u'}", "'http://u', " + limit)).warnings(Map.of()))
        .singleElement()
        .asString()
        .startsWith("a.yaml:1:20: calls is all")
        .contains("limits of tokens of upstream 'u'; expected");
  }

  @Test
  void manyLimits_areCounted() {
    String all =
        "groups: [{name: g, tpm: 5}, {name: h, tpm: 5}]\nmodels: {m: {tpm: 5}}\n"
            + PLAIN
                .replace(
                    "dialect",
                    "algorithm: token_window, tokens_per_window: 5,"
                        + " window_seconds: 5, dialect")
                .replace("'http://u'", "'http://u', tpm: 5");
    assertThat(file(all).warnings(Map.of()))
        .singleElement()
        .asString()
        .contains("limits of tokens of tokens_per_window, upstream 'u' and 3 others; expected");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dialect: openai, calls: weighed, upstreams: [{id: u, url: 'http://u'}]",
        "dialect: openai, calls: [weighed, /v1/files], upstreams: [{id: u, url: 'http://u'}]",
        "dialect: openai, upstreams: [{id: u, url: 'mock://openai', tpm: 5}]",
        "dialect: none, upstreams: [{id: u, url: 'http://u'}]",
        "algorithm: none",
      })
  void endpointThatLimitsItsCalls_orWhoseCallsCostNothing_isNot(String endpoint) {
    String key = "keys: [{name: k, sha256: HASH, tpm: 5}]\n";
    assertThat(file(key + "endpoints: [{path: /a, " + endpoint + "}]").warnings(Map.of()))
        .isEmpty();
  }

  @Test
  void keyThatLimitsItsCalls_isNot_norLimitsOfRequests() {
    String keys =
        "keys: [{name: k, sha256: HASH, tpm: 5, calls: weighed},"
            + " {name: l, sha256: OTHER, rpm: 5, concurrency: 2}]\n";
    assertThat(file(keys + PLAIN).warnings(Map.of())).isEmpty();
  }
}
