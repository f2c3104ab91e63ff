package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that clients of Gemini need not know whether their base URL contains the version. */
class GeminiVersionIT extends HostileCase {
  private static final String CALL = "models/m:generateContent";
  private static final String CONTENT = "{\"contents\":[{\"parts\":[{\"text\":\"Hi\"}]}]}";

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /gemini, dialect: gemini, upstreams: [{id: g, url: "%1$s/base"}]}
      - path: /counted
        dialect: gemini
        cost_from: provider
        upstreams: [{id: c, url: "%1$s"}]
    """;
  }

  @ParameterizedTest
  @ValueSource(strings = {"/gemini/", "/gemini/v1beta/", "/gemini/v1beta/v1beta/"})
  void call_reachesTheUpstreamWithOneVersion(String base) throws Exception {
    assertThat(post(base + CALL, CONTENT).status()).isEqualTo(200);
    assertThat(upstream.received().target()).isEqualTo("/base/v1beta/" + CALL);
  }

  @Test
  void callToCountTokens_hasOneVersionToo() throws Exception {
    assertThat(post("/counted/" + CALL, CONTENT).status()).isEqualTo(200);
    assertThat(upstream.received().target()).isEqualTo("/v1beta/models/m:countTokens");
    assertThat(upstream.received().target()).isEqualTo("/v1beta/" + CALL);
  }
}
