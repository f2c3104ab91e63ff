package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests bodies with values that some servers take and others do not: they pass as they came where
 * no limit needs to know them.
 */
class OpenValuesIT extends HostileCase {
  private static final String FREE = "secret-of-the-free-key";
  private static final String BOUND = "secret-of-the-bound-key";
  private static final String CHOSEN = "secret-of-the-key-for-some-models";
  private static final String COUNTED = "secret-of-the-counted-key";
  private static final String RARE = "secret-of-the-key-with-a-rare-model";

  @Override
  String routes() {
    return """
    keys:
      - {name: free, sha256: FREE}
      - {name: bound, sha256: BOUND, max_output_tokens: 600}
      - {name: chosen, sha256: CHOSEN, allowed_models: [m]}
      - {name: counted, sha256: COUNTED, tpm: 100000}
      - {name: rare, sha256: RARE, models: {rare: {rpm: 5}}}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", rpm: 6000}]
      - path: /azure
        dialect: azure
        upstreams: [{id: z, url: "%1$s", rpm: 6000}]
      - path: /mistral
        dialect: mistral
        upstreams: [{id: i, url: "%1$s", rpm: 6000}]
      - path: /gemini
        dialect: gemini
        upstreams: [{id: g, url: "%1$s", rpm: 6000}]
      - path: /claude
        dialect: anthropic
        upstreams: [{id: a, url: "%1$s", rpm: 6000}]
      - path: /counted
        dialect: openai
        upstreams: [{id: c, url: "%1$s", tpm: 100000, burst_seconds: 60}]
      - path: /listed
        dialect: openai
        upstreams: [{id: l, url: "%1$s", models: [m]}, {id: k, url: "%1$s"}]
      - path: /pooled
        dialect: openai
        upstreams: [{id: p, url: "%1$s", limits: [{models: [m], rpm: 5}]}]
    """
        .replace("FREE", KeyedRequestsIT.sha256(FREE))
        .replace("BOUND", KeyedRequestsIT.sha256(BOUND))
        .replace("CHOSEN", KeyedRequestsIT.sha256(CHOSEN))
        .replace("COUNTED", KeyedRequestsIT.sha256(COUNTED))
        .replace("RARE", KeyedRequestsIT.sha256(RARE));
  }

  private HttpMessage call(String target, String secret, String body) {
    return ask(
        ByteSocket.request("POST", target, body)
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + secret + "\r\n"));
  }

  /** Checks that a body reaches the upstream as it came. */
  private void passes(String target, String secret, String body) throws InterruptedException {
    HttpMessage answer = call(target, secret, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(upstream.received().body()).isEqualTo(body.getBytes(StandardCharsets.UTF_8));
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  /**
   * The first six are those of drakonkat/godot-copilot-selfhost#6 and of LM Studio's example; the
   * sources of the forms of numbers are in {@code RequestReaderTest}.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/openai/v1/chat/completions|{'model':'m','messages':[],'max_tokens':-1}",
        "/openai/v1/chat/completions|{'model':null,'messages':[]}",
        "/openai/v1/chat/completions|{'messages':[]}",
        "/openai/v1/chat/completions|{'model':'m','messages':[],'max_tokens':100.0}",
        "/openai/v1/chat/completions|{'model':'m','messages':[{'content':'a \\ud83d b'}]}",
        "/openai/v1/chat/completions|\uFEFF{'model':'m','messages':[]}",
        "/openai/v1/chat/completions|{}",
        "/openai/v1/chat/completions|{'model':'','messages':[],'max_tokens':'1e2'}",
        "/openai/v1/chat/completions|{'model':7,'max_completion_tokens':-1,'max_tokens':{}}",
        "/openai/v1/chat/completions|{'model':'m','n':1.0,'max_tokens':1e400}",
        "/openai/v1/chat/completions|{'model':'m','n':-1,'stream':'true','max_tokens':'many'}",
        "/openai/v1/completions|{'prompt':'x','max_tokens':-1,'best_of':0}",
        "/openai/v1/responses|{'input':'x','max_output_tokens':-1.0}",
        "/openai/v1/embeddings|{'input':'x','model':null}",
        "/openai/v1/images/generations|{'prompt':'x','model':null,'n':'1'}",
        "/azure/openai/deployments/d/chat/completions|{'max_tokens':-1,'n':2.0}",
        "/azure/openai/v1/chat/completions|{'model':null,'max_tokens':true}",
        "/mistral/v1/chat/completions|{'messages':[],'max_tokens':-1}",
        "/mistral/v1/fim/completions|{'prompt':'x','max_tokens':'-1'}",
        "/gemini/v1beta/models/g:generateContent|{'generationConfig':{'maxOutputTokens':-1}}",
        "/gemini/v1beta/models/g:generateContent|{'generationConfig':[]}",
        "/gemini/v1beta/models/g:generateContent|{'generation_config':{'candidateCount':1.0}}",
        "/claude/v1/messages|{'messages':[],'max_tokens':-1}",
        "/claude/v1/messages|{'model':null,'max_tokens':100.0,'stream':0}",
        "/listed/v1/chat/completions|{'model':'m','max_tokens':-1}",
        "/counted/v1/chat/completions|{'max_tokens':-1}",
        "/counted/v1/chat/completions|{'model':null,'max_tokens':100.0,'n':1.0}",
        "/counted/v1/chat/completions|{'model':'m','max_tokens':null,'n':null}",
      })
  void valueThatNoLimitNeeds_passesAsItCame(String target, String body) throws Exception {
    passes(target, FREE, json(body));
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'max_tokens':'many'|max_tokens is not a whole number",
        "'max_tokens':{}|max_tokens is not a whole number",
        "'max_tokens':true|max_tokens is not a whole number",
        "'max_tokens':1e400|max_tokens is out of range",
        "'max_completion_tokens':-1,'max_tokens':[]|max_tokens is not a whole number",
        "'n':-1|n is out of range",
        "'n':1.5|n is not a whole number",
        "'stream':1|stream is not true or false",
      })
  void valueThatALimitOfTokensNeeds_isRefused(String member, String words) throws Exception {
    String body = json("{'model':'m'," + member + "}");
    for (String target : new String[] {"/counted", "/openai"}) {
      HttpMessage answer = call(target + "/v1/chat/completions", COUNTED, body);
      refused(answer, 400, "bad_request");
      assertThat(answer.text()).contains(words);
    }
    refused(call("/counted/v1/chat/completions", FREE, body), 400, "bad_request");
    refused(call("/openai/v1/chat/completions", BOUND, body), 400, "bad_request");
    passes("/openai/v1/chat/completions", FREE, body);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'model':null}", "{'model':''}", "{'model':['m']}"})
  void modelThatIsNeeded_andNotNamed_isRefused(String body) throws Exception {
    String named = json(body);
    for (String target : new String[] {"/listed", "/pooled"}) {
      refused(call(target + "/v1/chat/completions", FREE, named), 400, "bad_request");
    }
    for (String secret : new String[] {CHOSEN, RARE}) {
      HttpMessage answer = call("/openai/v1/chat/completions", secret, named);
      refused(answer, 400, "bad_request");
      assertThat(answer.text()).contains("model is ");
    }
    passes("/openai/v1/chat/completions", COUNTED, named);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/openai/v1/chat/completions|{'model':'m','max_tokens':-1}|{'model':'m','max_tokens':600}",
        "/openai/v1/chat/completions|{'max_tokens':-1,'max_completion_tokens':-2.0,'n':2}"
            + "|{'max_tokens':300,'max_completion_tokens':300,'n':2}",
        "/openai/v1/chat/completions|{'max_tokens':-1,'max_completion_tokens':9000}"
            + "|{'max_tokens':600,'max_completion_tokens':9000}",
        "/openai/v1/responses|{'max_output_tokens':'-1'}|{'max_output_tokens':600}",
        "/mistral/v1/chat/completions|{'max_tokens':-1}|{'max_tokens':600}",
        "/azure/openai/deployments/d/chat/completions|{'max_tokens':-1}|{'max_tokens':600}",
        "/claude/v1/messages|{'max_tokens':-1}|{'max_tokens':600}",
        "/gemini/v1beta/models/g:generateContent|{'generationConfig':{'maxOutputTokens':-1}}"
            + "|{'generationConfig':{'maxOutputTokens':600}}",
      })
  void maximumOfTheKey_isNotEvadedByANegativeOne(String target, String body, String sent)
      throws Exception {
    assertThat(call(target, BOUND, json(body)).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(json(sent));
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"601.0", "6.01e2", "'601'", "600.5"})
  void maximumOfTheKey_isNotEvadedByAnotherForm(String maximum) {
    String body = json("{'model':'m','max_tokens':" + maximum + "}");
    refused(call("/openai/v1/chat/completions", BOUND, body), 400, "cost_exceeds_capacity");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void maximumThatNeverFits_isRefusedInWhateverForm() {
    for (String maximum : new String[] {"100001", "100001.0", "1.00001e5", "\"100001\""}) {
      String body = "{\"model\":\"m\",\"max_tokens\":" + maximum + "}";
      refused(call("/counted/v1/chat/completions", FREE, body), 400, "cost_exceeds_capacity");
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyWithTwoMeanings_isRefusedAlsoWithoutLimits() {
    for (String members :
        new String[] {"'max_tokens':-1,'max_tokens':5", "'model':null,'Model':'m'"}) {
      String body = json("{" + members + "}");
      refused(call("/openai/v1/chat/completions", FREE, body), 400, "bad_request");
    }
  }
}
