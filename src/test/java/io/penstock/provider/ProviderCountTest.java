package io.penstock.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;
import reactor.test.StepVerifier;

class ProviderCountTest {
  private final RawUpstream provider = RawUpstream.start(answering("{\"input_tokens\":42}"));
  private final LoopResources loops = LoopResources.create("count", 1, true);
  private final ProviderCount count =
      new ProviderCount(
          UpstreamSpec::url, Schedulers.boundedElastic(), loops, DialectTable.CREDENTIALS);

  @AfterEach
  void stop() {
    count.close();
    loops.dispose();
    provider.close();
  }

  private static RawUpstream.Script answering(String json) {
    return RawUpstream.answering(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + "Content-Length: "
            + json.getBytes(UTF_8).length
            + "\r\n\r\n"
            + json);
  }

  private UpstreamSpec upstream(String url) {
    return UpstreamSetup.of("u")
        .url(url)
        .apiKey("sk-secret")
        .headers(Map.of("x-extra", "yes"))
        .models(Map.of("alias", "own name"))
        .link(new UpstreamSpec.Link(new UpstreamSpec.Timeouts(1_000_000_000, 1, 1, 1), null, null))
        .spec();
  }

  private ProviderCount.Answer ask(Dialect dialect, String path, String body) {
    return ask(dialect, upstream(provider.url()), path, body);
  }

  private ProviderCount.Answer ask(
      Dialect dialect, UpstreamSpec upstream, String path, String body) {
    byte[] bytes = body.getBytes(UTF_8);
    ProviderCount.Ask ask =
        new ProviderCount.Ask(
            dialect,
            upstream,
            path,
            "alias",
            name -> name.equals("anthropic-version") ? "2024-01-01" : null);
    ProviderCount.Answer[] answer = new ProviderCount.Answer[1];
    StepVerifier.create(count.count(ask, bytes.length, Mono.just(bytes)))
        .assertNext(each -> answer[0] = each)
        .verifyComplete();
    return answer[0];
  }

  @Test
  void anthropic_isAskedWithWhatItsCallTakes() throws Exception {
    String body =
        """
        {"max_tokens":5,"model":"alias","system":"s","stream":true,"metadata":{"a":[1]},
        "messages":[{"role":"user","content":"é\\n"}],"tools":[{"name":"t"}],
        "tool_choice":{"type":"auto"},"thinking":{"budget_tokens":1024},"temperature":1.5}
        """;
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", body))
        .isEqualTo(new ProviderCount.Answer.Counted(42));
    HttpMessage asked = provider.received();
    assertThat(asked.start()).isEqualTo("POST /v1/messages/count_tokens HTTP/1.1");
    assertThat(asked.header("x-api-key")).isEqualTo("sk-secret");
    assertThat(asked.header("anthropic-version")).isEqualTo("2024-01-01");
    assertThat(asked.header("x-extra")).isEqualTo("yes");
    assertThat(asked.text())
        .isEqualTo(
            "{\"model\":\"own"
                + " name\",\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":\"é\\n"
                + "\"}],\"tools\":[{\"name\":\"t\"}],"
                + "\"tool_choice\":{\"type\":\"auto\"},\"thinking\":{\"budget_tokens\":1024}}");
  }

  @Test
  void gemini_isAskedWithTheWholeRequest() throws Exception {
    provider.script(answering("{\"totalTokens\":7,\"cachedContentTokenCount\":1}"));
    String body = "{\"contents\":[{\"parts\":[{\"text\":\"x\"}]}],\"generationConfig\":{\"n\":1}}";
    assertThat(ask(DialectTable.GEMINI, "/v1beta/models/alias:streamGenerateContent", body))
        .isEqualTo(new ProviderCount.Answer.Counted(7));
    HttpMessage asked = provider.received();
    assertThat(asked.target()).isEqualTo("/v1beta/models/own%20name:countTokens");
    assertThat(asked.text())
        .isEqualTo(
            "{\"generateContentRequest\":{\"model\":\"models/own name\","
                + body.substring(1)
                + "}");
  }

  @Test
  void responses_areCountedByOpenAi_otherCallsAreNot() throws Exception {
    String body = "{\"model\":\"alias\",\"input\":\"x\",\"max_output_tokens\":9,\"stream\":true}";
    assertThat(ask(DialectTable.OPENAI, "/v1/responses", body))
        .isEqualTo(new ProviderCount.Answer.Counted(42));
    HttpMessage asked = provider.received();
    assertThat(asked.target()).isEqualTo("/v1/responses/input_tokens");
    assertThat(asked.header("authorization")).isEqualTo("Bearer sk-secret");
    assertThat(asked.text()).isEqualTo("{\"model\":\"own name\",\"input\":\"x\"}");
    for (String path : new String[] {"/v1/chat/completions", "/v1/embeddings", "/v1/messages"}) {
      assertThat(ask(DialectTable.OPENAI, path, body)).isEqualTo(new ProviderCount.Answer.NoCall());
    }
    assertThat(ask(DialectTable.GEMINI, "/v1beta/models/m:embedContent", body))
        .isEqualTo(new ProviderCount.Answer.NoCall());
    assertThat(provider.drain()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "null",
        "{\"input_tokens\":-1}",
        "{\"input_tokens\":1.5}",
        "{\"input_tokens\":\"4\"}",
        "{\"input_tokens\":99999999999999999999}",
        "{\"input_tokens\":"
      })
  void answerWithoutACount_isAFailure(String answer) {
    provider.script(answering(answer));
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", "{}"))
        .isInstanceOf(ProviderCount.Answer.Failed.class);
  }

  @Test
  void hugeCount_isCutToTheLargest() {
    provider.script(answering("{\"input_tokens\":" + Long.MAX_VALUE + "}"));
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", "{}"))
        .isEqualTo(new ProviderCount.Answer.Counted(Cost.MAX_TOKENS));
  }

  @Test
  void longAnswer_isAFailure() {
    provider.script(answering("{\"input_tokens\":1,\"x\":\"" + "y".repeat(1 << 20) + "\"}"));
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", "{}"))
        .isEqualTo(new ProviderCount.Answer.Failed("its answer is longer than 65536 bytes"));
  }

  @ParameterizedTest
  @CsvSource({"400", "401", "404", "429", "500", "302"})
  void otherStatus_isAFailure(int status) {
    provider.script(
        RawUpstream.answering(
            "HTTP/1.1 " + status + " No\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"));
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", "{}"))
        .isEqualTo(new ProviderCount.Answer.Failed("it answered " + status));
  }

  @Test
  void nobodyThere_noAnswer_orNoJson_isAFailure() {
    UpstreamSpec nobody = upstream("http://127.0.0.1:1");
    assertThat(ask(DialectTable.ANTHROPIC, nobody, "/v1/messages", "{}"))
        .isInstanceOf(ProviderCount.Answer.Failed.class);
    provider.script((self, byteSocket) -> self.read(byteSocket));
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", "{}"))
        .isInstanceOf(ProviderCount.Answer.Failed.class);
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", "{\"messages\":["))
        .isEqualTo(new ProviderCount.Answer.Failed("the body is not JSON"));
    String large = "{\"x\":\"" + "y".repeat(ProviderCount.MOST_BYTES) + "\"}";
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", large))
        .isEqualTo(new ProviderCount.Answer.Failed("the body is larger than 4194304 bytes"));
  }

  @Test
  void providerThatNeverAnswers_isWaitedForAFewSeconds() {
    provider.script((self, byteSocket) -> byteSocket.awaitEnd());
    assertThat(ask(DialectTable.ANTHROPIC, "/v1/messages", "{}"))
        .isEqualTo(new ProviderCount.Answer.Failed("there was no answer in 5 s"));
  }
}
