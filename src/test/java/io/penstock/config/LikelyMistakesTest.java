package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Warnings about settings that are valid, and probably not what was meant. */
class LikelyMistakesTest {
  private static final String HASH = "0123456789abcdef".repeat(4);

  @TempDir Path directory;

  private Routes file(String text) {
    return new Routes(directory).write("a.yaml", text);
  }

  private Routes upstream(String endpoint, String upstream) {
    return file(
        "endpoints:\n  - {path: %s,\n     upstreams: [{id: u, %s}]}\n"
            .formatted(endpoint, upstream));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/openai, dialect: openai | https://h/v1 | /openai/v1/x would go to /v1/v1/x",
        "/groq, dialect: openai | https://h/openai/v1/ | /groq/v1/x would go to /openai/v1/v1/x",
        "/a, dialect: anthropic | https://h/v1 | expected url without /v1, or path /a/v1",
        "/g, dialect: gemini | https://h/v1beta | /g/v1beta/x would go to /v1beta/v1beta/x",
        "/, dialect: openai | https://h/v1 | for /v1/x would go to /v1/v1/x",
        "/v1, dialect: openai, strip_prefix: false | https://h/v1 | expected url without /v1",
        "/az, dialect: azure | https://h/openai | /az/openai/x would go to /openai/openai/x",
        "/o, dialect: openai | https://h/v1/chat/completions | /chat/completions, the path of a"
            + " call",
        "/a, dialect: anthropic | https://h/v1/messages | ends in /messages, the path of a call",
      })
  void urlWithTheVersionThatClientsSend_isWarnedAbout(String endpoint, String url, String message) {
    assertThat(upstream(endpoint, "url: '" + url + "'").warnings(Map.of()))
        .singleElement()
        .asString()
        .startsWith("a.yaml:3:31: url ends in /")
        .contains(message)
        .doesNotContain("https://h");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/openai, dialect: openai | https://api.openai.com",
        "/openai/v1, dialect: openai | https://api.openai.com/v1",
        "/groq, dialect: openai | https://api.groq.com/openai",
        "/gem, dialect: openai | https://h/v1beta/openai",
        "/az, dialect: azure | https://h",
        "/chat, dialect: openai, strip_prefix: false | https://h/v1",
        "/any | https://h/v1",
      })
  void urlThatMayBeRight_isNotWarnedAbout(String endpoint, String url) {
    assertThat(upstream(endpoint, "url: '" + url + "'").warnings(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tpm", "itpm", "otpm"})
  void tokenLimit_withoutDialect_isWarnedAbout(String limit) {
    Routes routes = upstream("/a", "url: 'http://u', " + limit + ": 5");
    assertThat(routes.warnings(Map.of()))
        .containsExactly(
            "a.yaml:3:%d: %s is set, but the endpoint has no dialect, so a request counts as one"
                    .formatted(43 + limit.length() + 2, limit)
                + " token unless it states more, expected dialect openai, azure, anthropic,"
                + " gemini or mistral");
    assertThat(
            upstream("/a, dialect: openai, calls: weighed", "url: 'http://u', tpm: 5")
                .warnings(Map.of()))
        .isEmpty();
    assertThat(upstream("/a, cost_from: query", "url: 'http://u', tpm: 5").warnings(Map.of()))
        .isEmpty();
    assertThat(upstream("/a, default_tokens: 9", "url: 'http://u', tpm: 5").warnings(Map.of()))
        .isEmpty();
    assertThat(upstream("/a", "url: 'http://u', rpm: 5, tpm: 0").warnings(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "openai | anthropic | mock://openai, or dialect anthropic",
        "azure | gemini | mock://openai, or dialect gemini",
        "gemini | openai | mock://gemini, or dialect openai",
      })
  void mockOfAnotherDialect_isWarnedAbout(String dialect, String mock, String expected) {
    assertThat(upstream("/a, dialect: " + dialect, "url: 'mock://" + mock + "'").warnings(Map.of()))
        .containsExactly(
            "a.yaml:3:31: url is that of the mock of %s, but dialect is %s, expected %s"
                .formatted(mock, dialect, expected));
    assertThat(upstream("/a", "url: 'mock://" + mock + "'").warnings(Map.of())).isEmpty();
    assertThat(upstream("/a, dialect: azure", "url: 'mock://openai'").warnings(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "api_key: sk-abc123",
        "api_key: sk-ant-api03-abc123",
        "api_key: AIzaSyabc123",
        "api_key: gsk_abc123",
        "api_key: '${NAME:sk-abc123}'",
        "headers: {Authorization: Bearer sk-abc123}",
        "headers: {x-api-key: sk-ant-abc123}",
      })
  void literalKey_isWarnedAboutWithoutShowingIt(String setting) {
    assertThat(upstream("/a", "url: 'http://u', " + setting).warnings(Map.of()))
        .singleElement()
        .asString()
        .startsWith("a.yaml:3:")
        .contains(" is a key in plain text", "expected ${NAME}")
        .doesNotContain("abc123");
  }

  @ParameterizedTest
  @ValueSource(strings = {"$OPENAI_API_KEY", "OPENAI_API_KEY"})
  void nameOfAVariable_withoutBraces_isWarnedAbout(String text) {
    assertThat(upstream("/a", "url: 'http://u', api_key: " + text).warnings(Map.of()))
        .containsExactly(
            "a.yaml:3:52: api_key is the text %s, which is sent as it stands, expected"
                    .formatted(text)
                + " ${OPENAI_API_KEY}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"'${NAME}'", "local", "not-sk-x", "passthrough", "'${OTHER:none}'"})
  void otherCredential_isNotWarnedAbout(String key) {
    assertThat(
            upstream("/a", "url: 'http://u', api_key: " + key).warnings(Map.of("NAME", "sk-abc")))
        .isEmpty();
  }

  @Test
  void burstSize_writtenBesideStrict_isWarnedAbout() {
    assertThat(file("endpoints: [{path: /a, burst_size: 5}]").warnings(Map.of()))
        .containsExactly(
            "a.yaml:1:36: burst_size is set, but algorithm is strict, which lets no two requests go"
                + " together, expected algorithm token_bucket, or no burst_size");
    assertThat(
            file("endpoints: [{path: /a, algorithm: token_bucket, burst_size: 5}]")
                .warnings(Map.of()))
        .isEmpty();
    assertThat(file("defaults: {burst_size: 5}\nendpoints: [{path: /a}]").warnings(Map.of()))
        .isEmpty();
    assertThat(
            new Routes(directory)
                .write("a.yaml", "endpoints: [{path: /b}]")
                .write("rls.yml", "endpoints: [{path: /a, burst_size: 5}]")
                .warnings(Map.of()))
        .isEmpty();
  }

  @Test
  void rate_thatNoAlgorithmUses_isWarnedAbout() {
    assertThat(upstream("/a, rate: 5", "url: 'http://u'").warnings(Map.of()))
        .containsExactly(
            "a.yaml:2:22: rate is set, but algorithm is none, its default with upstreams, so the"
                + " rate limits nothing, expected algorithm strict, token_bucket or"
                + " sliding_window");
    assertThat(upstream("/a, rate: 5, algorithm: none", "url: 'http://u'").warnings(Map.of()))
        .isEmpty();
  }

  @Test
  void fallback_toAModelThatNoUpstreamServes_isWarnedAbout() {
    String endpoint =
        """
        endpoints:
          - {path: /a, upstreams: [{id: u, url: 'http://u', models: [large, small]}]}
        """;
    assertThat(
            file(endpoint + "models:\n  large: {fallback: [smal, '*', other]}").warnings(Map.of()))
        .containsExactly(
            "a.yaml:4:3: fallback: model 'smal' is served by no upstream, did you mean 'small'?",
            "a.yaml:4:3: fallback: model '*' has a *, but names are compared as they stand,"
                + " expected the whole name",
            "a.yaml:4:3: fallback: model 'other' is served by no upstream, expected one of the"
                + " models of an upstream");
    assertThat(file(endpoint + "models: {large: {fallback: [small]}}").warnings(Map.of()))
        .isEmpty();
    String any = endpoint + "  - {path: /b, upstreams: [{id: v, url: 'http://v'}]}\n";
    assertThat(file(any + "models: {large: {fallback: [other]}}").warnings(Map.of())).isEmpty();
  }

  @Test
  void fallbacks_inACircle_areWarnedAboutOnce() {
    String models =
        """
        models:
          a: {fallback: [b]}
          b: {fallback: [c]}
          c: {fallback: [d, a]}
          d: {fallback: [e]}
          e: {}
        """;
    assertThat(file("endpoints: [{path: /a}]\n" + models).warnings(Map.of()))
        .containsExactly(
            "a.yaml:3:3: fallbacks go in a circle (a to b to c to a), so requests for each model"
                + " use up the quota of the next, expected one of them without fallback");
  }

  @Test
  void allowedModel_thatNoUpstreamServes_isWarnedAbout() {
    String keys =
        "keys:\n  - {name: k, sha256: %s, allowed_models: [larg, 'l*']}\n".formatted(HASH);
    String upstreams = "endpoints: [{path: /a, upstreams: [{id: u, url: 'http://u'%s}]}]\n";
    String star =
        "a.yaml:2:105: allowed_models: model 'l*' has a *, but names are compared as they stand,"
            + " expected the whole name";
    assertThat(file(keys + upstreams.formatted(", models: [large]")).warnings(Map.of()))
        .containsExactly(
            star,
            "a.yaml:2:105: allowed_models: model 'larg' is served by no upstream, did you mean"
                + " 'large'?");
    assertThat(file(keys + upstreams.formatted("")).warnings(Map.of())).containsExactly(star);
    assertThat(file(keys + "endpoints: [{path: /a}]").warnings(Map.of())).containsExactly(star);
  }

  @Test
  void allowedEndpoint_thatNobodyHas_isWarnedAboutWithWhatToWrite() {
    String keys =
        "keys:\n  - {name: k, sha256: %s, allowed_endpoints: [/opena, /x/*]}\n".formatted(HASH);
    String endpoints = "endpoints: [{path: /openai, dynamic: false}]\n";
    assertThat(file(keys + endpoints).warnings(Map.of()))
        .containsExactly(
            "a.yaml:2:108: no endpoint has path '/opena', which key 'k' may use, did you mean"
                + " '/openai'?",
            "a.yaml:2:108: no endpoint has path '/x/*', which key 'k' may use: paths are compared"
                + " as they stand, expected one, which includes those below it");
  }
}
