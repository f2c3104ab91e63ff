package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests maxima of output that are lowered to what a budget has left. */
class BudgetMaximumIT extends HostileCase {
  private static final String INPUT = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

  @Override
  String routes() {
    StringBuilder keys = new StringBuilder("keys:\n");
    for (int each = 0; each < 12; each++) {
      keys.append(
          "  - {name: k%d, sha256: %s, budget_tokens_per_day: 5000}\n"
              .formatted(each, KeyedRequestsIT.sha256("k" + each)));
    }
    keys.append(
        """
          - {name: refuses, sha256: REFUSES, budget_tokens_per_day: 5000, max_output: refuse}
          - {name: member, sha256: MEMBER, group: strict}
          - {name: lowers, sha256: LOWERS, group: strict, max_output: cap}
          - {name: small, sha256: SMALL, max_output_tokens: 50, max_output: cap}
          - {name: firm, sha256: FIRM, max_output_tokens: 50, max_output: refuse}
        groups:
          - {name: strict, budget_tokens_per_month: 5000, max_output: refuse}
        """
            .replace("REFUSES", KeyedRequestsIT.sha256("refuses"))
            .replace("MEMBER", KeyedRequestsIT.sha256("member"))
            .replace("LOWERS", KeyedRequestsIT.sha256("lowers"))
            .replace("SMALL", KeyedRequestsIT.sha256("small"))
            .replace("FIRM", KeyedRequestsIT.sha256("firm")));
    return keys
        + """
        endpoints:
          - path: /caps
            dialect: openai
            max_output: cap
            upstreams: [{id: c, url: "%1$s"}]
          - path: /openai
            dialect: openai
            upstreams: [{id: o, url: "%1$s"}]
          - path: /anthropic
            dialect: anthropic
            upstreams: [{id: a, url: "%1$s"}]
          - path: /gemini
            dialect: gemini
            upstreams: [{id: g, url: "%1$s"}]
        """;
  }

  private HttpMessage call(String key, String target, String body) {
    return ask(
        ByteSocket.request("POST", target, body)
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + key + "\r\n"));
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k0|/anthropic/v1/messages|{'model':'m','max_tokens':64000,INPUT}"
            + "|{'model':'m','max_tokens':4995,INPUT}|4995",
        "k1|/openai/v1/chat/completions|{'model':'m','n':2,'max_completion_tokens':9000,INPUT}"
            + "|{'model':'m','n':2,'max_completion_tokens':2497,INPUT}|2497",
        "k2|/openai/v1/responses|{'model':'m','input':'Hi','max_output_tokens':64000}"
            + "|{'model':'m','input':'Hi','max_output_tokens':4995}|4995",
        "k3|/gemini/v1beta/models/g:generateContent"
            + "|{'contents':[{'parts':[{'text':'Hi'}]}],'generationConfig':{'maxOutputTokens':7000}}"
            + "|{'contents':[{'parts':[{'text':'Hi'}]}],'generationConfig':{'maxOutputTokens':4995}}"
            + "|4995",
        "k4|/openai/v1/chat/completions|{'model':'m','max_tokens':4000,INPUT}"
            + "|{'model':'m','max_tokens':4000,INPUT}|",
        "k5|/openai/v1/chat/completions|{'model':'m',INPUT}|{'model':'m',INPUT}|",
        "k6|/anthropic/v1/messages"
            + "|{'model':'m','max_tokens':64000,'thinking':{'type':'enabled','budget_tokens':4000},INPUT}"
            + "|{'model':'m','max_tokens':5024,'thinking':{'type':'enabled','budget_tokens':4000},INPUT}"
            + "|5024",
        "small|/openai/v1/responses|{'model':'m','input':'Hi','max_output_tokens':500}"
            + "|{'model':'m','input':'Hi','max_output_tokens':50}|50",
        "lowers|/openai/v1/responses|{'model':'m','input':'Hi','max_output_tokens':64000}"
            + "|{'model':'m','input':'Hi','max_output_tokens':4995}|4995",
        "k7|/anthropic/v1/messages"
            + "|{'model':'m','max_tokens':64000,'thinking':{'type':'enabled','budget_tokens':1024},INPUT}"
            + "|{'model':'m','max_tokens':4995,'thinking':{'type':'enabled','budget_tokens':1024},INPUT}"
            + "|4995",
      })
  void statedMaximum_isLoweredToWhatIsLeft_andTold(
      String key, String target, String body, String sent, String told) throws Exception {
    HttpMessage answer = call(key, target, text(body));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(text(sent));
    assertThat(answer.header("x-penstock-max-output")).isEqualTo(told);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "refuses, /openai, 64000",
    "refuses, /caps, 64000",
    "member, /caps, 64000",
    "firm, /caps, 500",
    "firm, /openai, 500"
  })
  void maximumThatIsNotLowered_isRefused_ifItDoesNotFit(String key, String path, int maximum)
      throws InterruptedException {
    String body = text("{'model':'m','max_tokens':MOST,INPUT}");
    String target = path + "/v1/chat/completions";
    refused(call(key, target, body.replace("MOST", "" + maximum)), 400, "cost_exceeds_capacity");
    String fitting = body.replace("MOST", "" + 40);
    assertThat(call(key, target, fitting).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(fitting);
  }

  private static String text(String quoted) {
    return quoted.replace('\'', '"').replace("INPUT", INPUT);
  }

  @Test
  void tooLittleLeft_isToldWhatFits() throws Exception {
    String large =
        text("{'model':'m','max_tokens':64000,'system':'LONG',INPUT}")
            .replace("LONG", "word ".repeat(3_200));
    String small = text("{'model':'m','max_tokens':64000,INPUT}");
    assertThat(call("k8", "/anthropic/v1/messages", small).status()).isEqualTo(200);
    upstream.received();
    gateway.awaitBalance();
    HttpMessage answer = call("k8", "/anthropic/v1/messages", large);
    refused(answer, 429, "key_budget");
    assertThat(answer.header("x-should-retry")).isEqualTo("false");
    assertThat(answer.text())
        .contains("key k8: 5000 tokens a day, 4995 of them left; the request needs ");
  }
}
