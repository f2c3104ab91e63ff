package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.pool.Addition;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that a call does not fail because of what the gateway adds to it by itself. */
class AdditionsIT extends HostileCase {
  private static final String STREAM =
      "{\"stream\":true,\"model\":\"m\",\"messages\":[{\"content\":\"" + PROMPT + "\"}]}";
  private static final String ASKS = "\"stream_options\":{\"include_usage\":true}";
  private static final String EVENTS = "data: {\"choices\":[]}\n\ndata: [DONE]\n\n";
  private static final String A = "secret-of-key-a";
  private static final String B = "secret-of-key-b";
  private static final String BOUND = "secret-of-the-bound-key";
  private static final String NONE = "{\"model\":\"m\",\"messages\":[]}";

  @Override
  String routes() {
    StringBuilder endpoints = new StringBuilder();
    for (String each :
        List.of("s0", "s1", "s2", "s3", "s4", "s5", "s6", "two", "one", "end", "n0", "n1", "n2")) {
      endpoints.append(endpoint(each, "openai"));
    }
    for (String each :
        List.of(
            "n3", "n4", "n5", "n6", "n7", "n8", "h0", "h1", "h2", "h3", "all", "by", "f0", "p0",
            "i0", "i1", "i2")) {
      endpoints.append(endpoint(each, "openai"));
    }
    endpoints.append(endpoint("gemini", "gemini")).append(endpoint("mistral", "mistral"));
    endpoints.append(endpoint("azure", "azure"));
    endpoints.append(endpoint("p1", "openai"));
    return """
    keys:
      - {name: a, sha256: SHA-A}
      - {name: b, sha256: SHA-B}
      - {name: bound, sha256: SHA-C, max_output_tokens: 600}
    endpoints:
    """
            .replace("SHA-A", KeyedRequestsIT.sha256(A))
            .replace("SHA-B", KeyedRequestsIT.sha256(B))
            .replace("SHA-C", KeyedRequestsIT.sha256(BOUND))
        + endpoints;
  }

  private static String endpoint(String id, String dialect) {
    return """
      - path: /%1$s
        dialect: %2$s
        upstreams: [{id: %1$s, url: "%%1$s"}]
    """
        .formatted(id, dialect);
  }

  private HttpMessage call(String target, String secret, String body, String... headers) {
    return ask(
        ByteSocket.request("POST", target, body)
            .replace(
                "Host: penstock\r\n",
                "Host: a\r\nx-penstock-key: " + secret + "\r\n" + String.join("", headers)));
  }

  private HttpMessage chat(String endpoint, String secret, String body) {
    return call("/" + endpoint + "/v1/chat/completions", secret, body);
  }

  private static byte[] answer(int status, String type, String more, byte[] body) {
    byte[] head =
        "HTTP/1.1 %d X\r\nContent-Type: %s\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n"
            .formatted(status, type, more, body.length)
            .getBytes(UTF_8);
    byte[] whole = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, whole, head.length, body.length);
    return whole;
  }

  private static byte[] json(int status, String body) {
    return answer(status, "application/json", "", body.getBytes(UTF_8));
  }

  /** Refuses requests of a kind, and serves the others. */
  private void refusing(Predicate<HttpMessage> refused, byte[] refusal) {
    upstream.script(
        (self, byteSocket) -> {
          HttpMessage asked = self.read(byteSocket);
          byte[] events = EVENTS.getBytes(UTF_8);
          byteSocket.send(
              refused.test(asked) ? refusal : answer(200, "text/event-stream", "", events));
        });
  }

  private static Predicate<HttpMessage> names(String text) {
    return asked -> asked.text().contains(text);
  }

  private static byte[] gzipped(String text) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream writing = new GZIPOutputStream(packed)) {
      writing.write(text.getBytes(UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return packed.toByteArray();
  }

  private Set<Addition> withheld(String upstreamId) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(upstreamId))
        .withheld("m", gateway.bean(Ticker.class).nanos());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "s0|422|application/json|{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\","
            + "\"stream_options\"],\"msg\":\"Extra inputs are not permitted\"}]}",
        "s1|500|application/json|{\"error\":\"Internal\",\"details\":\"stream_options: no such\"}",
        "s2|501|text/plain|Not implemented: include_usage",
        "s3|404|text/html|<html><body>Bad field: <i>stream_options</i></body></html>",
        "s4|400|application/json|{\"error\":{\"message\":\"Unknown\",\"param\":\"streamOptions\"}}",
      })
  void optionThatIsRefused_inWhateverWay_isLeftOut_andRememberedAfterTwoKeys(
      String id, int status, String type, String body) throws Exception {
    refusing(names("stream_options"), answer(status, type, "", body.getBytes(UTF_8)));
    for (String secret : List.of(A, B)) {
      assertThat(withheld(id)).isEmpty();
      assertThat(chat(id, secret, STREAM).text()).isEqualTo(EVENTS);
      assertThat(upstream.received().text()).contains(ASKS);
      assertThat(upstream.received().text()).isEqualTo(STREAM);
    }
    assertThat(withheld(id)).containsExactly(Addition.STREAM_USAGE);
    assertThat(chat(id, A, STREAM).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).isEqualTo(STREAM);
    assertThat(
            Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id))
                .health()
                .onTrial())
        .as("it is healthy")
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "i0|application/json|{\"error\":{\"message\":\"Unknown parameter:"
            + " stream_options\",\"code\":400}}",
        "i1|text/event-stream|data: {\"error\":{\"message\":\"Unknown parameter:"
            + " stream_options\",\"type\":\"invalid_request_error\",\"code\":400}}\n\n",
        "i2|text/event-stream|data: {\"error\":{\"message\":\"stream_options:"
            + " extra_forbidden\",\"type\":\"invalid_request_error\"}}\n\n",
      })
  void refusalInsideAnAnswer_isOneToo(String id, String type, String body) throws Exception {
    refusing(names("stream_options"), answer(200, type, "", body.getBytes(UTF_8)));
    assertThat(chat(id, A, STREAM).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).contains(ASKS);
    assertThat(upstream.received().text()).isEqualTo(STREAM);
  }

  @Test
  void compressedRefusal_isReadToo() throws Exception {
    byte[] body = gzipped("{\"detail\":\"Unsupported parameter: stream_options\"}");
    refusing(
        names("stream_options"),
        answer(400, "application/json", "Content-Encoding: gzip\r\n", body));
    assertThat(chat("s5", A, STREAM).text()).isEqualTo(EVENTS);
    assertThat(upstream.drain()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 503})
  void refusalsOfAnotherKind_areHandledAsEver(int status) throws Exception {
    refusing(names("stream_options"), json(status, "{\"error\":\"stream_options\"}"));
    HttpMessage answered = chat("s6", A, STREAM.replace("\"m\"", "\"m" + status + "\""));
    assertThat(answered.status()).isGreaterThanOrEqualTo(400);
    while (upstream.drain() > 0) {
      assertThat(withheld("s6")).isEmpty();
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void oneOfTwoKeys_doesNotSwitchOffTheUsageOfTheOther() throws Exception {
    refusing(
        asked -> asked.text().contains("stream_options") && asked.text().contains("provoked"),
        json(400, "{\"error\":\"stream_options\"}"));
    chat("two", B, NONE);
    upstream.received();
    for (int time = 0; time < 4; time++) {
      chat("two", A, STREAM.replace(PROMPT, "provoked"));
      assertThat(upstream.drain()).isEqualTo(2);
    }
    assertThat(chat("two", B, STREAM).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).contains(ASKS);
  }

  @Test
  void usageThatIsStated_endsIt() throws Exception {
    refusing(names("stream_options"), json(400, "{\"error\":\"stream_options\"}"));
    chat("end", A, STREAM);
    chat("end", A, STREAM);
    assertThat(upstream.drain()).isEqualTo(4);
    assertThat(withheld("end")).containsExactly(Addition.STREAM_USAGE);
    String usage =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":15,\"completion_tokens\":5}}\n\n";
    upstream.script(
        RawUpstream.answering(
            new String(
                answer(200, "text/event-stream", "", (usage + EVENTS).getBytes(UTF_8)), UTF_8)));
    assertThat(chat("end", A, STREAM).text()).isEqualTo(usage + EVENTS);
    assertThat(upstream.received().text()).isEqualTo(STREAM);
    RunningGateway.awaiting().until(() -> withheld("end").isEmpty());
    assertThat(chat("end", A, STREAM).text()).isEqualTo(EVENTS);
    assertThat(upstream.received().text()).contains(ASKS);
  }

  @Test
  void maximumWhoseNameIsRefused_isWrittenUnderTheOtherName_andRemembered() throws Exception {
    refusing(
        names("max_tokens"),
        json(
            400,
            "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with"
                + " this model. Use 'max_completion_tokens' instead.\"}}"));
    for (int time = 0; time < 2; time++) {
      assertThat(chat("n0", BOUND, NONE).status()).isEqualTo(200);
      assertThat(upstream.received().text()).contains("\"max_tokens\":600");
      assertThat(upstream.received().text()).contains("\"max_completion_tokens\":600");
    }
    assertThat(chat("n0", BOUND, NONE).status()).isEqualTo(200);
    assertThat(upstream.received().text()).contains("\"max_completion_tokens\":600");
    assertThat(logged.lines())
        .filteredOn(line -> line.contains("upstream n0, m: it refuses max_tokens"))
        .hasSize(1);
  }

  @Test
  void maximumThatIsKnownUnderNoName_isLeftOut() throws Exception {
    refusing(
        asked -> asked.text().contains("max_"),
        json(422, "{\"detail\":\"max_tokens, max_completion_tokens: extra_forbidden\"}"));
    assertThat(chat("n1", BOUND, NONE).status()).isEqualTo(200);
    assertThat(upstream.received().text()).contains("\"max_tokens\":600");
    assertThat(upstream.received().text()).contains("\"max_completion_tokens\":600");
    assertThat(upstream.received().text()).isEqualTo(NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "n2|/v1/responses|{'model':'m','input':'x'}|max_output_tokens",
        "n3|/v1/completions|{'model':'m','prompt':'x'}|max_tokens",
        "gemini|/v1beta/models/m:generateContent|{'contents':[]}|maxOutputTokens",
        "mistral|/v1/chat/completions|{'model':'m','messages':[]}|max_tokens",
        "azure|/openai/deployments/m/chat/completions|{'messages':[]}|max_completion_tokens",
      })
  void maximumOfEveryDialect_isLeftOutOrRenamed(String id, String path, String body, String name)
      throws Exception {
    String own = body.replace('\'', '"');
    refusing(names(name), json(400, "{\"error\":{\"message\":\"Unknown name " + name + "\"}}"));
    assertThat(call("/" + id + path, BOUND, own).status()).isEqualTo(200);
    assertThat(upstream.received().text()).contains("\"" + name + "\":600");
    String sent = upstream.received().text();
    assertThat(sent).isEqualTo(id.equals("azure") ? own.replace("{", "{\"max_tokens\":600,") : own);
  }

  @Test
  void maximumAboveThatOfTheModel_isLeftOut_forThatRequestOnly() throws Exception {
    refusing(
        names("max_tokens"),
        json(400, "{\"error\":{\"message\":\"max_tokens: valid range is [1, 500]\"}}"));
    for (int time = 0; time < 3; time++) {
      assertThat(chat("n4", BOUND, NONE).status()).isEqualTo(200);
      assertThat(upstream.received().text()).contains("\"max_tokens\":600");
      assertThat(upstream.received().text()).isEqualTo(NONE);
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void maximumThatContradictsTheClient_isNotLeftOut() throws Exception {
    String words = "{\"error\":\"min_tokens must be less than or equal to max_tokens=600\"}";
    refusing(names("max_tokens"), json(400, words));
    HttpMessage answered = chat("n5", BOUND, NONE.replace("[]", "[],\"min_tokens\":9000"));
    assertThat(answered.status()).isEqualTo(400);
    assertThat(answered.text()).isEqualTo(words);
    assertThat(upstream.drain()).isEqualTo(1);
  }

  @Test
  void settingsOfTheClient_areNeverRemoved() throws Exception {
    String words = "{\"error\":\"Unknown: max_tokens, stream_options, x-request-id\"}";
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(json(400, words));
        });
    for (String maximum : List.of("5", "-1")) {
      HttpMessage answered =
          call(
              "/n6/v1/chat/completions",
              BOUND,
              STREAM.replace("{\"s", "{\"max_tokens\":" + maximum + "," + ASKS + ",\"s"),
              "x-request-id: mine-7\r\n");
      assertThat(answered.status()).isEqualTo(400);
      assertThat(answered.text()).isEqualTo(words);
      assertThat(upstream.received().header("x-request-id")).isEqualTo("mine-7");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "h0, x-request-id, 400",
    "h1, accept-encoding, 406",
    "h2, X-Request-ID, 431",
    "h3, User-Agent, 403",
  })
  void headerThatIsRefused_isLeftOut(String id, String name, int status) throws Exception {
    String lower = name.toLowerCase(Locale.ROOT);
    refusing(
        asked -> asked.header(lower) != null,
        answer(status, "text/plain", "", ("Unexpected header " + name).getBytes(UTF_8)));
    assertThat(chat(id, A, NONE).status()).isEqualTo(200);
    assertThat(upstream.received().header(lower)).isNotBlank();
    HttpMessage without = upstream.received();
    assertThat(without.header(lower)).isNull();
    assertThat(without.text()).isEqualTo(NONE);
  }

  @Test
  void repeatsAfterOthers_areRememberedForTheirUpstreamOnly() throws Exception {
    upstream.script(
        (self, byteSocket) -> {
          boolean refuses = self.read(byteSocket).text().contains("stream_options");
          byteSocket.send(
              refuses
                  ? json(400, "{\"error\":\"stream_options\"}")
                  : answer(200, "text/event-stream", "", EVENTS.getBytes(UTF_8)));
        });
    for (String secret : List.of(A, B)) {
      assertThat(chat("p0", secret, STREAM).text()).isEqualTo(EVENTS);
    }
    assertThat(upstream.drain()).isEqualTo(4);
    assertThat(withheld("p0")).containsExactly(Addition.STREAM_USAGE);
    assertThat(withheld("p1")).isEmpty();
  }

  /** A file that is streamed through cannot be sent again; what asks for it can. */
  @Test
  void callsThatAreNotRead_areRepeatedOnlyWithoutABody() throws Exception {
    refusing(
        asked -> asked.header("x-request-id") != null,
        answer(400, "text/plain", "", "Unexpected header x-request-id".getBytes(UTF_8)));
    assertThat(call("/f0/v1/files", A, "abc").status()).isEqualTo(400);
    assertThat(upstream.drain()).isEqualTo(1);
    HttpMessage got =
        ask("GET /f0/v1/files HTTP/1.1\r\nHost: a\r\nx-penstock-key: " + A + "\r\n\r\n");
    assertThat(got.status()).isEqualTo(200);
    assertThat(upstream.drain()).isEqualTo(2);
  }

  @Test
  void manyAdditionsAtOnce_areLeftOutInOneRepeat() throws Exception {
    refusing(
        names("stream_options"),
        json(400, "{\"input\":{\"max_tokens\":600," + ASKS + "},\"x-request-id\":\"bad\"}"));
    assertThat(chat("all", BOUND, STREAM).status()).isEqualTo(200);
    assertThat(upstream.received().text()).contains("\"max_tokens\":600", ASKS);
    HttpMessage without = upstream.received();
    assertThat(without.text()).contains("max_completion_tokens").doesNotContain("stream_options");
    assertThat(without.header("x-request-id")).isNull();
  }

  @Test
  void oneAfterTheOther_isNoMoreCallsThanAdditions() throws Exception {
    upstream.script(
        (self, byteSocket) -> {
          HttpMessage asked = self.read(byteSocket);
          String named = "accept-encoding";
          for (String each : List.of("max_completion_tokens", "max_tokens", "stream_options")) {
            named = asked.text().contains(each) ? each : named;
          }
          named = asked.header("x-request-id") == null ? named : "x-request-id";
          byteSocket.send(json(400, "{\"error\":\"Unknown " + named + "\"}"));
        });
    HttpMessage answered = chat("by", BOUND, STREAM);
    assertThat(answered.status()).isEqualTo(400);
    assertThat(answered.text()).contains("accept-encoding");
    assertThat(upstream.drain()).isEqualTo(6); // one, and a repeat for each of five additions
  }

  /** A new addition belongs into {@link Addition}, or beside the few that are named here. */
  @Test
  void everythingThatIsAdded_isListed() throws Exception {
    String body = "{\"stream\":true,\"model\":\"m\",\"messages\":[]}";
    refusing(asked -> false, new byte[0]);
    assertThat(chat("n7", BOUND, body).status()).isEqualTo(200);
    HttpMessage sent = upstream.received();
    Set<String> listed =
        Arrays.stream(Addition.values())
            .map(Addition::text)
            .collect(Collectors.toCollection(TreeSet::new));
    // what the address of the upstream and the bytes of the body are, and what means nothing
    listed.addAll(List.of("host", "content-length", "content-type", "accept"));
    assertThat(sent.headers())
        .extracting(line -> line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT))
        .allSatisfy(name -> assertThat(listed).contains(name));
    Set<String> members = new TreeSet<>();
    JsonNode read = JsonMapper.shared().readTree(sent.body());
    read.propertyNames().forEach(members::add);
    JsonMapper.shared().readTree(body).propertyNames().forEach(members::remove);
    assertThat(members).containsExactly("max_tokens", "stream_options");
    assertThat(listed).containsAll(members);
    assertThat(new String(sent.body(), ISO_8859_1)).endsWith(body.substring(1));
  }
}
