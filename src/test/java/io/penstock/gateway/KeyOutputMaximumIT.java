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
  private static final String USAGE = "{\"stream_options\":{\"include_usage\":true},";
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
      - path: /azure
        dialect: azure
        upstreams: [{id: z, url: "%1$s", charge: anthropic}]
      - path: /gemini
        dialect: gemini
        upstreams: [{id: g, url: "%1$s"}]
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
    return callWith(target, secret, body(members));
  }

  private HttpMessage callWith(String target, String secret, String body) {
    return ask(
        ByteSocket.request("POST", target, body)
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
    refused(answer, 400, "cost_exceeds_capacity");
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
    refused(chat("/cap", BOUND, "\"n\":601,\"max_tokens\":5,"), 400, "cost_exceeds_capacity");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void nothingStated_isSentWithTheMaximumOfTheKey_whichIsNoExpectation() throws Exception {
    int free = cost(chat("/refuse", FREE, ""));
    assertThat(upstream.received().text()).isEqualTo(body(""));
    for (String path : new String[] {"/refuse", "/cap"}) {
      HttpMessage bound = chat(path, BOUND, "");
      assertThat(cost(bound)).isEqualTo(free);
      HttpMessage sent = upstream.received();
      assertThat(sent.text()).isEqualTo("{\"max_tokens\":600," + body("").substring(1));
      assertThat(sent.header("content-length")).isEqualTo("" + sent.body().length);
    }
    assertThat(chat("/refuse", BOUND, "\"max_tokens\":null,\"n\":7,").status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body("\"max_tokens\":85,\"n\":7,"));
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/refuse/v1/chat/completions|{'model':'m'}|{'max_tokens':600,'model':'m'}",
        "/refuse/v1/chat/completions|{'model':'m','stream':true}"
            + "|{'max_tokens':600,'stream_options':{'include_usage':true},"
            + "'model':'m','stream':true}",
        "/refuse/v1/completions|{'model':'m','best_of':2,'prompt':['a','b']}"
            + "|{'max_tokens':150,'model':'m','best_of':2,'prompt':['a','b']}",
        "/refuse/v1/responses|{'model':'m'}|{'max_output_tokens':600,'model':'m'}",
        "/azure/openai/deployments/d/chat/completions?api-version=2024-10-21|{}"
            + "|{'max_completion_tokens':600}",
        "/azure/openai/deployments/d/chat/completions?api-version=2024-06-01|{}"
            + "|{'max_tokens':600}",
        "/azure/openai/v1/chat/completions|{'model':'m'}"
            + "|{'max_completion_tokens':600,'model':'m'}",
        "/gemini/v1beta/models/g:generateContent|{'contents':[]}"
            + "|{'generationConfig':{'maxOutputTokens':600},'contents':[]}",
        "/gemini/v1beta/models/g:streamGenerateContent|{'generationConfig':{'candidateCount':2}}"
            + "|{'generationConfig':{'maxOutputTokens':300,'candidateCount':2}}",
        "/gemini/v1beta/openai/chat/completions|{'model':'m'}|{'max_tokens':600,'model':'m'}",
        "/claude/v1/chat/completions|{'model':'m'}|{'max_tokens':600,'model':'m'}",
      })
  void nothingStated_isStatedAsTheCallStatesIt_onlyForAKeyWithAMaximum(
      String target, String body, String stated) throws Exception {
    String own = body.replace('\'', '"');
    String asked = own.replace("{\"model\":\"m\",\"stream\"", USAGE + "\"model\":\"m\",\"stream\"");
    assertThat(callWith(target, FREE, own).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(asked);
    assertThat(callWith(target, BOUND, own).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(stated.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/refuse/v1/chat/completions|{'model':'m', 'max_tokens':0}",
        "/refuse/v1/chat/completions|{'max_completion_tokens' :600,'model':'m','max_tokens':null}",
        "/refuse/v1/completions|{'model':'m','max_tokens':600 }",
        "/refuse/v1/responses|{'model':'m','max_output_tokens':600}",
        "/refuse/v1/responses/compact|{'model':'m'}",
        "/refuse/v1/embeddings|{'model':'m','input':'a'}",
        "/gemini/v1beta/models/g:generateContent|{'generation_config':{'max_output_tokens':'9'}}",
        "/claude/v1/messages|{'model':'m'}",
      })
  void whatStatesAMaximum_orTakesNone_isSentAsItIs(String target, String body) throws Exception {
    assertThat(callWith(target, BOUND, body.replace('\'', '"')).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body.replace('\'', '"'));
  }

  @Test
  void maximumOfTheKey_isCutToTheLimitOfTheUpstream_whichCountsIt() throws Exception {
    HttpMessage answer = chat("/counted", BOUND, "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(upstream.received().text())
        .isEqualTo("{\"max_tokens\":500," + body("").substring(1));
    refused(chat("/counted", BOUND, "\"max_tokens\":501,"), 400, "cost_exceeds_capacity");
  }
}
