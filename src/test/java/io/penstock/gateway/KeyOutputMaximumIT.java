package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests keys that bound the output of a request: {@code max_output_tokens}. */
class KeyOutputMaximumIT extends HostileCase {
  private static final String BOUND = "secret-of-the-bound-key";
  private static final String FREE = "secret-of-the-free-key";

  @Override
  String routes() {
    return """
    keys:
      - {name: bound, sha256: BOUND, max_output_tokens: 600}
      - {name: free, sha256: FREE}
    endpoints:
      - path: /refuse
        dialect: openai
        upstreams: [{id: r, url: "%1$s", charge: anthropic}]
      - path: /cap
        dialect: openai
        max_output: cap
        upstreams: [{id: c, url: "%1$s", charge: anthropic}]
      - path: /counted
        dialect: openai
        upstreams: [{id: o, url: "%1$s", tpm: 500, burst_seconds: 60}]
      - path: /claude
        dialect: anthropic
        max_output: cap
        upstreams: [{id: a, url: "%1$s"}]
    """
        .replace("BOUND", KeyedRequestsIT.sha256(BOUND))
        .replace("FREE", KeyedRequestsIT.sha256(FREE));
  }

  private static String body(String members) {
    return "{\"model\":\"m\",%s\"messages\":[{\"content\":\"%s\"}]}".formatted(members, PROMPT);
  }

  private HttpMessage chat(String path, String secret, String members) {
    return call(path + "/v1/chat/completions", secret, members);
  }

  private HttpMessage call(String target, String secret, String members) {
    return ask(
        ByteSocket.request("POST", target, body(members))
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + secret + "\r\n"));
  }

  private static int cost(HttpMessage answer) {
    return Integer.parseInt(String.valueOf(answer.header("x-penstock-cost")));
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"max_tokens\":601,|is 601 tokens in all",
        "\"n\":2,\"max_tokens\":301,|is 602 tokens in all",
        "\"max_completion_tokens\":601,\"max_tokens\":1,|is 601 tokens in all",
        "\"n\":601,|it asks for 601 answers",
      })
  void moreThanTheKeyAllows_isRefused(String members, String words) throws Exception {
    HttpMessage answer = chat("/refuse", BOUND, members);
    refused(answer, 429, "cost_exceeds_capacity");
    assertThat(answer.header("x-should-retry")).isEqualTo("false");
    assertThat(answer.text()).contains(words).contains("max_output_tokens of 600");
    assertThat(chat("/refuse", FREE, members).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body(members));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"max_tokens\":601,|\"max_tokens\":600,",
        "\"n\":7,\"max_tokens\":200000,|\"n\":7,\"max_tokens\":85,",
        "\"max_tokens\":600,|\"max_tokens\":600,",
      })
  void moreThanTheKeyAllows_isLoweredInTheBody_whereTheEndpointSaysSo(String members, String sent)
      throws Exception {
    assertThat(chat("/cap", BOUND, members).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body(sent));
    assertThat(call("/claude/v1/messages", BOUND, "\"max_tokens\":4096,").status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body("\"max_tokens\":600,"));
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void moreAnswersThanTheKeyAllowsTokens_areRefusedInAnyCase() {
    refused(chat("/cap", BOUND, "\"n\":601,\"max_tokens\":5,"), 429, "cost_exceeds_capacity");
  }

  @Test
  void nothingStated_isWeighedByTheMaximumOfTheKey_andSentAsItIs() throws Exception {
    int free = cost(chat("/refuse", FREE, ""));
    assertThat(upstream.received().text()).isEqualTo(body(""));
    for (String path : new String[] {"/refuse", "/cap"}) {
      HttpMessage bound = chat(path, BOUND, "");
      assertThat(cost(bound) - free).isEqualTo(600 - 256);
      assertThat(upstream.received().text()).isEqualTo(body(""));
    }
  }

  @Test
  void maximumThatIsOnlyAssumed_isCutToTheLimitOfTheUpstream() throws Exception {
    assertThat(chat("/counted", BOUND, "").status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body(""));
    refused(chat("/counted", BOUND, "\"max_tokens\":501,"), 429, "cost_exceeds_capacity");
  }
}
