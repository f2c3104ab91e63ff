package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requests that state a larger maximum of output than the limits of an upstream allow. */
class StatedMaximumIT extends HostileCase {
  @Override
  String routes() {
    StringBuilder routes = new StringBuilder("endpoints:\n");
    for (String charge :
        new String[] {"openai", "azure", "bedrock", "anthropic", "gemini", "total"}) {
      routes.append(
          """
            - path: /%1$s
              dialect: openai
              upstreams: [{id: of-%1$s, url: "%%1$s", charge: %1$s, tpm: 1000, burst_seconds: 60}]
            - path: /cap/%1$s
              dialect: openai
              max_output: cap
              upstreams: [{id: cap-%1$s, url: "%%1$s", charge: %1$s, tpm: 1000, burst_seconds: 60}]
          """
              .formatted(charge));
    }
    return routes
        .append(
            """
              - path: /two
                dialect: openai
                upstreams:
                  - {id: small, url: "%1$s", tpm: 1000, burst_seconds: 60}
                  - {id: large, url: "%1$s", tpm: 5000, burst_seconds: 60}
              - path: /two/cap
                dialect: openai
                max_output: cap
                upstreams:
                  - {id: smaller, url: "%1$s", tpm: 1000, burst_seconds: 60}
                  - {id: larger, url: "%1$s", tpm: 5000, burst_seconds: 60}
              - path: /claude
                dialect: anthropic
                max_output: cap
                upstreams: [{id: c, url: "%1$s", charge: bedrock, tpm: 1000, burst_seconds: 60}]
              - path: /gem
                dialect: gemini
                max_output: cap
                upstreams: [{id: g, url: "%1$s", charge: openai, tpm: 1000, burst_seconds: 60}]
            """)
        .toString();
  }

  private static String ask(String model, String members) {
    return "{\"model\":\"%s\",%s,\"messages\":[{\"content\":\"%s\"}]}"
        .formatted(model, members, PROMPT);
  }

  private HttpMessage chat(String path, String model, String members) {
    return post(path + "/v1/chat/completions", ask(model, members));
  }

  private void neverFits(HttpMessage answer, String upstream) {
    refused(answer, 400, "cost_exceeds_capacity");
    assertThat(answer.header("x-should-retry")).isEqualTo("false");
    assertThat(answer.header("retry-after")).isNull();
    assertThat(answer.text()).contains("the tpm of 1000 of upstream " + upstream);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "openai|\"max_tokens\":1001|\"max_tokens\":1000",
        "openai|\"n\":2,\"max_tokens\":501|\"n\":2,\"max_tokens\":500",
        "azure|\"max_completion_tokens\":1001|\"max_completion_tokens\":1000",
        "bedrock|\"max_tokens\":992|\"max_tokens\":991",
      })
  void maximumAboveTheLimit_whereItCounts_isRefused_andOneThatFitsIsSent(
      String charge, String above, String fits) throws Exception {
    String model = charge + above.length();
    neverFits(chat("/" + charge, model, above), "of-" + charge);
    assertThat(chat("/" + charge, model, fits).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(ask(model, fits));
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "gemini", "total"})
  void maximumAboveTheLimit_whereItDoesNotCount_isSentAsItIs(String charge) throws Exception {
    for (String path : new String[] {"/" + charge, "/cap/" + charge}) {
      assertThat(chat(path, "m", "\"max_tokens\":200000").status()).isEqualTo(200);
      assertThat(upstream.received().text()).isEqualTo(ask("m", "\"max_tokens\":200000"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "openai|\"max_tokens\":200000|\"max_tokens\":1000",
        "openai|\"n\":3,\"max_tokens\": 200000 |\"n\":3,\"max_tokens\": 333 ",
        "openai|\"max_completion_tokens\":1001,\"max_tokens\":7|\"max_completion_tokens\":1000,"
            + "\"max_tokens\":7",
        "openai|\"max_completion_tokens\":5000,\"max_tokens\":4000|"
            + "\"max_completion_tokens\":1000,\"max_tokens\":1000",
        "openai|\"max_tokens\":999|\"max_tokens\":999",
        "azure|\"max_tokens\":1001|\"max_tokens\":1000",
        "bedrock|\"max_tokens\":1001|\"max_tokens\":991",
      })
  void maximumAboveTheLimit_isLoweredInTheBody_whereTheEndpointSaysSo(
      String charge, String stated, String sent) throws Exception {
    String model = charge + stated.length();
    assertThat(chat("/cap/" + charge, model, stated).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(ask(model, sent));
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void moreAnswersThanTheLimitHasTokens_areRefusedInAnyCase() {
    neverFits(chat("/cap/openai", "n", "\"n\":1001,\"max_tokens\":5"), "cap-openai");
  }

  @Test
  void maximumThatOnlyOneUpstreamCanTake_goesThere() throws Exception {
    for (String model : new String[] {"a", "b", "c", "d"}) {
      HttpMessage answer = chat("/two", model, "\"max_tokens\":3000");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("x-penstock-upstream")).isEqualTo("large");
      upstream.received();
    }
    HttpMessage refused = chat("/two", "a", "\"max_tokens\":5001");
    refused(refused, 400, "cost_exceeds_capacity");
    assertThat(refused.text()).contains("the tpm of 5000 of upstream large");
  }

  @Test
  void maximumThatNoUpstreamCanTake_isLoweredToTheLargest() throws Exception {
    HttpMessage answer = chat("/two/cap", "m", "\"max_tokens\":200000");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("x-penstock-upstream")).isEqualTo("larger");
    assertThat(upstream.received().text()).isEqualTo(ask("m", "\"max_tokens\":5000"));
  }

  @Test
  void maximaOfOtherDialects_areLoweredToo() throws Exception {
    assertThat(post("/claude/v1/messages", ask("m", "\"max_tokens\":4096")).status())
        .isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(ask("m", "\"max_tokens\":991"));
    String config = "{\"generationConfig\":{\"maxOutputTokens\":%s,\"candidateCount\":2}}";
    for (String stated : new String[] {"\"3000\"", "3000"}) {
      String path = "/gem/v1beta/models/m" + stated.length() + ":generateContent";
      assertThat(post(path, config.formatted(stated)).status()).isEqualTo(200);
      assertThat(upstream.received().text()).isEqualTo(config.formatted("500"));
    }
  }
}
