package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.answer.AnswerReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The mock provider as Gemini, and calls of other providers that no client library tests. */
class MockGeminiTest {
  private static final String MODEL = "/v1beta/models/m:";
  private static final String ASK = "{\"contents\":[{\"parts\":[{\"text\":\"How high?\"}]}]}";

  private final AtomicLong nowNanos = new AtomicLong();
  private final MockProvider provider = MockProvider.start(nowNanos::get, () -> 0);
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    provider.close();
    client.shutdownNow();
  }

  private HttpResponse<String> send(String address, String path, String body) throws Exception {
    URI url = URI.create(provider.baseUrl(MockAddress.parse(URI.create(address))) + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(url);
    if (!body.isEmpty()) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static TokenUsage usage(HttpResponse<String> answer) {
    AnswerReader reader = Cases.answer(DialectTable.GEMINI, answer.body());
    assertThat(reader.warning()).isNull();
    return Objects.requireNonNull(reader.usage());
  }

  @Test
  void content_wholeAndStreamedBothWays_isTheSameAndCounted() throws Exception {
    HttpResponse<String> whole = send("mock://gemini?tokens=40", MODEL + "generateContent", ASK);
    assertThat(whole.body())
        .startsWith("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Water waits behind ")
        .contains("\"finishReason\":\"STOP\"", "\"modelVersion\":\"m\"");
    // 9 bytes are 3 tokens, and 4 for the content
    assertThat(usage(whole)).isEqualTo(new TokenUsage(7, 0, 40));
    for (String tps : new String[] {"", "&tps=4000"}) {
      String address = "mock://gemini?tokens=40" + tps;
      HttpResponse<String> events = send(address, MODEL + "streamGenerateContent?alt=sse", ASK);
      assertThat(events.headers().firstValue("content-type")).contains("text/event-stream");
      assertThat(events.body()).startsWith("data: {\"candidates\"").endsWith("}\r\n\r\n");
      assertThat(usage(events)).isEqualTo(new TokenUsage(7, 0, 40));
      HttpResponse<String> list = send(address, MODEL + "streamGenerateContent", ASK);
      assertThat(list.headers().firstValue("content-type").orElseThrow())
          .startsWith("application/json");
      assertThat(list.body()).startsWith("[{\"candidates\"").endsWith("}\n]");
      assertThat(usage(list)).isEqualTo(new TokenUsage(7, 0, 40));
      assertThat(list.body().replaceAll("(?s).*?\"text\":\"([^\"]*)\"[^{]*", "$1"))
          .startsWith("Water waits behind the gate until");
    }
  }

  @Test
  void maximumAndCandidates_areKept() throws Exception {
    String config = ",\"generationConfig\":{\"maxOutputTokens\":5,\"candidateCount\":2}}";
    String ask = ASK.substring(0, ASK.length() - 1) + config;
    HttpResponse<String> answer = send("mock://gemini", MODEL + "generateContent", ask);
    assertThat(answer.body()).contains("\"finishReason\":\"MAX_TOKENS\",\"index\":1");
    assertThat(usage(answer)).isEqualTo(new TokenUsage(7, 0, 10));
  }

  @Test
  void overItsLimit_saysWhenInBodyAndHeader() throws Exception {
    String address = "mock://gemini?rpm=1&window=10s";
    assertThat(send(address, MODEL + "generateContent", ASK).statusCode()).isEqualTo(200);
    nowNanos.set(2_500_000_000L);
    HttpResponse<String> over = send(address, MODEL + "generateContent", ASK);
    assertThat(over.statusCode()).isEqualTo(429);
    assertThat(over.headers().firstValue("retry-after")).contains("8");
    assertThat(over.body())
        .startsWith("{\"error\":{\"code\":429,")
        .contains("\"status\":\"RESOURCE_EXHAUSTED\"", "google.rpc.RetryInfo", "\"7.500s\"");
    assertThat(send(address, MODEL + "countTokens", ASK).statusCode()).isEqualTo(200);
  }

  @Test
  void inputAlone_countsAgainstTheTokenLimit() throws Exception {
    String address = "mock://gemini?tpm=14&tokens=50";
    assertThat(send(address, MODEL + "generateContent", ASK).statusCode()).isEqualTo(200);
    assertThat(send(address, MODEL + "generateContent", ASK).statusCode()).isEqualTo(200);
    HttpResponse<String> over = send(address, MODEL + "generateContent", ASK);
    assertThat(over.statusCode()).isEqualTo(429);
    assertThat(over.body()).contains("InputTokens", "\"60.000s\"");
    String large = ASK.replace("How high?", "x".repeat(50));
    assertThat(send(address, MODEL + "generateContent", large).body())
        .contains("RESOURCE_EXHAUSTED")
        .doesNotContain("RetryInfo");
  }

  @Test
  void vectors_oneOrAList() throws Exception {
    String content = "{\"content\":{\"parts\":[{\"text\":\"12345\"}]},\"outputDimensionality\":2}";
    assertThat(send("mock://gemini", MODEL + "embedContent", content).body())
        .matches("\\{\"embedding\":\\{\"values\":\\[0\\.7.*,-0\\.7.*]},\"usageMetadata\":.*")
        .contains("\"promptTokenCount\":2}}");
    String requests = (content + ",").repeat(33);
    HttpResponse<String> list =
        send(
            "mock://gemini",
            MODEL + "batchEmbedContents",
            "{\"requests\":[" + requests.substring(0, requests.length() - 1) + "]}");
    assertThat(list.body()).startsWith("{\"embeddings\":[{\"values\":");
    assertThat(list.body().split("\"values\"", -1)).hasSize(34);
    assertThat(usage(list)).isEqualTo(new TokenUsage(66, 0, 0));
  }

  @Test
  void tokens_counted() throws Exception {
    assertThat(send("mock://gemini", MODEL + "countTokens", ASK).body())
        .isEqualTo("{\"totalTokens\":7}");
    String whole = "{\"generateContentRequest\":" + ASK + "}";
    assertThat(send("mock://gemini", MODEL + "countTokens", whole).body())
        .isEqualTo("{\"totalTokens\":7}");
    String messages = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    assertThat(send("mock://anthropic", "/v1/messages/count_tokens", messages).body())
        .isEqualTo("{\"input_tokens\":5}");
    assertThat(send("mock://anthropic", "/v1/messages/count_tokens", "{}").statusCode())
        .isEqualTo(400);
  }

  @Test
  void models_listed() throws Exception {
    assertThat(send("mock://gemini", "/v1beta/models", "").body())
        .startsWith("{\"models\":[{\"name\":\"models/mock\"");
    assertThat(send("mock://gemini", "/v1beta/models", "{}").statusCode()).isEqualTo(405);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "generateContent|{|400|INVALID_ARGUMENT",
        "generateContent|{}|400|contents: expected",
        "generateContent|{\"contents\":[]}|400|contents: expected",
        "countTokens|{}|400|contents: expected",
        "embedContent|{}|400|content: expected text",
        "batchEmbedContents|{\"requests\":[]}|400|requests: expected",
        "batchEmbedContents|{\"requests\":[{}]}|400|content: expected text",
        "predict|{}|404|NOT_FOUND",
      })
  void badRequest_isSaidInItsShape(String call, String body, int status, String words)
      throws Exception {
    HttpResponse<String> answer = send("mock://gemini", MODEL + call, body);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body()).startsWith("{\"error\":{\"code\":" + status).contains(words);
  }

  @Test
  void deployments_ofAzure_areServedAsOpenAis() throws Exception {
    String ask = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    assertThat(
            send(
                    "mock://openai",
                    "/openai/deployments/d/chat/completions?api-version=2024-10-21",
                    ask)
                .body())
        .contains("\"model\":\"d\"");
    assertThat(
            send("mock://openai", "/openai/deployments/d/embeddings", "{\"input\":\"x\"}").body())
        .contains("\"model\":\"d\"");
    String named = ask.replace("{\"messages\"", "{\"model\":\"m\",\"messages\"");
    assertThat(send("mock://openai", "/openai/v1/chat/completions", named).body())
        .contains("\"model\":\"m\"");
    assertThat(send("mock://openai", "/openai/deployments/d/files", "{}").statusCode())
        .isEqualTo(404);
  }
}
