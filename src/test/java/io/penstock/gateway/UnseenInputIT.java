package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.suite.Hostile;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what budgets keep free for input that the bodies of requests do not contain. */
class UnseenInputIT extends HostileCase {
  private static final String RESPONSES = "/openai/v1/responses";
  private static final String AND_NOW =
      "{\"model\":\"%s\",\"max_output_tokens\":20,\"input\":\"and now?\",%s}";

  /** The beginning of a stream, which states a part of the input with some providers. */
  private static final String BEGINNING =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "74\r\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":"
          + "{\"input_tokens\":3}},\"usageMetadata\":{\"promptTokenCount\":3}}      \n\n\r\n";

  private static final List<String> KEYS =
      List.of(
          "adam", "bert", "carl", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "kim",
          "lena", "max", "nina", "otto", "paul", "quinn", "rosa", "sven", "tina", "bg", "ken",
          "anna", "beth", "cleo", "dora", "uwe", "vera");

  @Override
  String routes() {
    StringBuilder routes = new StringBuilder("keys:\n");
    for (String key : KEYS) {
      routes.append(
          ("  - {name: %s, budget_tokens_per_day: 20000, max_output_tokens: 100, on_limit: reject,"
                  + " sha256: %s}\n")
              .formatted(key, KeyedRequestsIT.sha256(key)));
    }
    routes.append(
        "  - {name: wim, budget_tokens_per_day: 20000, max_output_tokens: 100, on_limit: wait,"
            + " sha256: %s}\n".formatted(KeyedRequestsIT.sha256("wim")));
    for (String key : List.of("group1", "group2")) {
      routes.append(
          "  - {name: %s, group: team, max_output_tokens: 100, sha256: %s}\n"
              .formatted(key, KeyedRequestsIT.sha256(key)));
    }
    return routes
        + """
        models:
          small: {context_tokens: 3000}
          smaller: {context_tokens: 10, fallback: [large]}
        groups:
          - {name: team, budget_tokens_per_day: 20000, on_limit: reject}
        endpoints:
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

  private static String request(String key, String target, String body) {
    return ByteSocket.request("POST", target, body)
        .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + key + "\r\n");
  }

  private static String answer(String id, int input, boolean stream) {
    String response =
        ("{\"id\":\"%s\",\"object\":\"response\",\"output\":[],\"usage\":{\"input_tokens\":%d,"
                + "\"output_tokens\":5},\"usageMetadata\":{\"promptTokenCount\":%d}}")
            .formatted(id, input, input);
    String body =
        stream
            ? "event: response.created\n"
                + "data: {\"type\":\"response.created\",\"response\":{\"id\":\""
                + id
                + "\"}}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\","
                + "\"response\":"
                + response
                + "}\n\n"
            : response;
    return "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(stream ? "text/event-stream" : "application/json", body.length(), body);
  }

  private void answers(String id, int input, boolean stream) {
    upstream.script(RawUpstream.answering(answer(id, input, stream)));
  }

  private HttpMessage served(String key, String target, String body) throws InterruptedException {
    HttpMessage answer = ask(request(key, target, body));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    upstream.received();
    gateway.awaitBalance();
    return answer;
  }

  /** Sends a request while another is with the upstream, which both answer; returns its answer. */
  private HttpMessage besideAnother(
      String key, String target, String first, String second, String answer) {
    CountDownLatch both = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          PatientWaits.await(both);
          byteSocket.send(answer);
        });
    try (ByteSocket running = connect()) {
      running.send(request(key, target, first));
      upstream.received();
      upstream.script(RawUpstream.answering(answer));
      HttpMessage beside = ask(request(key, target, second));
      both.countDown();
      assertThat(running.answer().status()).isEqualTo(200);
      return beside;
    }
  }

  private void goesAlone(String key, String target, String body) {
    HttpMessage second = besideAnother(key, target, body, body, answer("resp_a", 50, false));
    refused(second, 429, "key_budget");
    assertThat(second.text()).contains("and requests that run keep them");
    gateway.awaitBalance();
  }

  private void goesBesideAnother(String key, String target, String body) {
    HttpMessage second = besideAnother(key, target, body, body, answer("resp_b", 50, false));
    assertThat(second.status()).as(second.text()).isEqualTo(200);
    upstream.received();
    gateway.awaitBalance();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "adam|/openai/v1/responses|\"input\":\"Hi\",\"previous_response_id\":\"unknown\"",
        "bert|/openai/v1/responses|\"input\":\"Hi\",\"conversation\":{\"id\":\"conv\"}",
        "carl|/openai/v1/responses|\"input\":\"Hi\",\"prompt\":{\"id\":\"pmpt\"}",
        "dave|/openai/v1/responses|\"input\":[{\"content\":[{\"type\":\"input_file\",\"file_id\":\"f\"}]}]",
        "erin|/openai/v1/chat/completions|\"messages\":[],\"web_search_options\":{}",
        "frank|/anthropic/v1/messages|\"messages\":[],\"max_tokens\":9,\"mcp_servers\":[{}]",
        "grace|/gemini/v1beta/models/m:generateContent|\"contents\":[],\"cachedContent\":\"c\""
      })
  void requestsWithUnknownInput_goOneAtATime(String key, String target, String members)
      throws Exception {
    String body = "{\"model\":\"m\"," + members + "}";
    goesAlone(key, target, body);
    answers("resp_c", 50, false);
    served(key, target, body);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({"heidi, false", "ivan, true"})
  void chain_isKnownFromTheFirstAnswerThatInherited(String key, boolean stream) throws Exception {
    answers("resp_1", 10, stream);
    served(key, RESPONSES, AND_NOW.formatted("m", "\"stream\":" + stream));
    String members = "\"stream\":" + stream + ",\"previous_response_id\":\"%s\"";
    goesAlone(key, RESPONSES, AND_NOW.formatted("m", members.formatted("resp_1")));
    answers("resp_2", 2_000, stream);
    served(key, RESPONSES, AND_NOW.formatted("m", members.formatted("resp_1")));
    goesBesideAnother(key, RESPONSES, AND_NOW.formatted("m", members.formatted("resp_2")));
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "judy|\"tools\":[{\"type\":\"web_search\"}]",
        "kim|\"conversation\":\"resp_2\"",
        "lena|\"prompt\":{\"id\":\"resp_2\"}",
        "max|\"tools\":[{\"type\":\"mcp\",\"server_url\":\"u\"}]"
      })
  void chainThatIsKnown_countsNotForWhatElseMayBeAdded(String key, String more) throws Exception {
    answers("resp_2", 20, false);
    String known = "\"previous_response_id\":\"resp_1\"";
    served(key, RESPONSES, AND_NOW.formatted("m", known));
    String next = "\"previous_response_id\":\"resp_2\"";
    goesBesideAnother(key, RESPONSES, AND_NOW.formatted("m", next));
    goesAlone(key, RESPONSES, AND_NOW.formatted("m", next + "," + more));
  }

  @Test
  void chainOfAnotherKey_isNotKnown() throws Exception {
    answers("resp_9", 20, false);
    String first = AND_NOW.formatted("m", "\"previous_response_id\":\"resp_1\"");
    served("nina", RESPONSES, first);
    String next = AND_NOW.formatted("m", "\"previous_response_id\":\"resp_9\"");
    goesAlone("otto", RESPONSES, next);
    goesBesideAnother("nina", RESPONSES, next);
  }

  @Test
  void plainRequest_goesBesideOneOfUnknownInput() throws Exception {
    String unknown = AND_NOW.formatted("m", "\"previous_response_id\":\"unknown\"");
    String plain = "{\"model\":\"m\",\"input\":\"Hi\",\"max_output_tokens\":20}";
    HttpMessage beside =
        besideAnother("paul", RESPONSES, unknown, plain, answer("resp_d", 50, false));
    assertThat(beside.status()).as(beside.text()).isEqualTo(200);
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "quinn|/openai/v1/responses|\"input\":\"Hi\",\"previous_response_id\":\"unknown\"",
        "rosa|/openai/v1/chat/completions|\"messages\":[],\"web_search_options\":{}",
        "sven|/anthropic/v1/messages|\"messages\":[],\"max_tokens\":9,\"mcp_servers\":[{}]",
        "tina|/gemini/v1beta/models/m:streamGenerateContent|\"contents\":[],\"cachedContent\":\"c\""
      })
  void clientThatLeavesBeforeTheUsage_hasUsedWhatIsLeft(String key, String target, String members)
      throws Exception {
    String body = "{\"model\":\"m\",\"stream\":true," + members + "}";
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(BEGINNING);
          byteSocket.request(); // until the client has left
        });
    try (ByteSocket leaving = connect()) {
      leaving.send(request(key, target, body));
      upstream.received();
      assertThat(leaving.awaitByte()).isTrue();
    }
    gateway.awaitBalance();
    upstream.script(RawUpstream.answering(OK));
    refused(ask(request(key, target, body)), 429, "key_budget");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "anna|/openai/v1/responses|\"input\":\"Hi\",\"previous_response_id\":\"unknown\"|"
            + "{\"type\":\"response.completed\",\"response\":{\"usage\":"
            + "{\"input_tokens\":90,\"output_tokens\":5}}}",
        "beth|/openai/v1/chat/completions|\"messages\":[],\"web_search_options\":{}|"
            + "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":"
            + "{\"prompt_tokens\":90,\"completion_tokens\":5}}",
        "cleo|/anthropic/v1/messages|\"messages\":[],\"max_tokens\":9,\"mcp_servers\":[{}]|"
            + "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":"
            + "{\"input_tokens\":90,\"output_tokens\":5}}",
        "dora|/gemini/v1beta/models/m:streamGenerateContent|\"contents\":[],\"cachedContent\":\"c\"|"
            + "{\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":"
            + "{\"promptTokenCount\":90,\"candidatesTokenCount\":5}}"
      })
  void clientThatLeavesWithTheUsage_hasUsedNoMoreThanThat(
      String key, String target, String members, String last) throws Exception {
    String body = "{\"model\":\"m\",\"stream\":true," + members + "}";
    String event = "data: " + last + "\n\n";
    String more = "%x\r\n%s\r\n".formatted(event.length(), event);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(BEGINNING + more);
          byteSocket.request(); // until the client has left
        });
    try (ByteSocket leaving = connect()) {
      leaving.send(request(key, target, body));
      upstream.received();
      assertThat(leaving.head().status()).isEqualTo(200);
      StringBuilder read = new StringBuilder();
      while (!read.toString().contains(last)) {
        read.append(leaving.chunk());
      }
    }
    gateway.awaitBalance();
    answers("resp_g", 50, false);
    served(key, target, body);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void answerInTheBackground_countsWithWhatIsLeft() throws Exception {
    String body =
        AND_NOW.formatted("m", "\"background\":true,\"previous_response_id\":\"unknown\"");
    served("bg", RESPONSES, body);
    refused(ask(request("bg", RESPONSES, body)), 429, "key_budget");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keysOfAGroup_goOneAtATimeInItsBudget() {
    String body = AND_NOW.formatted("m", "\"previous_response_id\":\"unknown\"");
    CountDownLatch both = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          PatientWaits.await(both);
          byteSocket.send(answer("resp_e", 50, false));
        });
    try (ByteSocket running = connect()) {
      running.send(request("group1", RESPONSES, body));
      upstream.received();
      refused(ask(request("group2", RESPONSES, body)), 429, "group_budget");
      both.countDown();
      assertThat(running.answer().status()).isEqualTo(200);
    }
  }

  @Test
  void keyThatWaits_sendsTheNextWhenTheOneBeforeHasEnded() {
    String body = AND_NOW.formatted("m", "\"previous_response_id\":\"unknown\"");
    CountDownLatch end = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          PatientWaits.await(end);
          byteSocket.send(answer("resp_f", 50, false));
        });
    try (ByteSocket first = connect();
        ByteSocket second = connect()) {
      first.send(request("wim", RESPONSES, body));
      upstream.received();
      second.send(request("wim", RESPONSES, body));
      end.countDown();
      assertThat(first.answer().status()).isEqualTo(200);
      assertThat(second.answer().status()).isEqualTo(200);
      upstream.received();
    }
  }

  @Test
  void contextOfTheModel_countsWhereNothingIsKnown() {
    goesBesideAnother(
        "ken", RESPONSES, AND_NOW.formatted("small", "\"previous_response_id\":\"other\""));
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({"uwe, smaller, 1", "vera, small, 2"})
  void contextOfModelsThatMayServeInItsPlace_countsToo(String key, String model, int none) {
    String further = none == 1 ? "\"user\":\"u\"" : "\"models\":[\"small\",\"large\"]";
    goesAlone(
        key, RESPONSES, AND_NOW.formatted(model, further + ",\"previous_response_id\":\"other\""));
  }
}
