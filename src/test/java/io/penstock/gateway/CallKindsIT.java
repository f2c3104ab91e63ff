package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.suite.Hostile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tries every kind of call against a budget that is used up. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class CallKindsIT extends HostileCase {
  private static final String USED_UP = "key_budget";
  private static final String BATCH = "forbidden_call";
  private static final String PASSES = "";

  /** The calls: kind, expected reason of the refusal, method, target, body. */
  private static final List<List<String>> CALLS =
      List.of(
          List.of("weighed", USED_UP, "POST", CHAT, ASK),
          List.of("weighed", USED_UP, "POST", "/openai/v1/responses", "{'input':'Hi'}"),
          List.of("weighed", USED_UP, "POST", "/openai/v1/responses/compact", "{'input':'Hi'}"),
          List.of("weighed", USED_UP, "POST", "/openai/v1/embeddings", "{'input':'Hi'}"),
          List.of("weighed", USED_UP, "POST", "/openai/v1/images/generations", "{'prompt':'Hi'}"),
          List.of("weighed", USED_UP, "POST", MESSAGES, ASK),
          List.of(
              "weighed",
              USED_UP,
              "POST",
              "/gemini/v1beta/models/g:generateContent",
              "{'contents':[{'parts':[{'text':'Hi'}]}]}"),
          List.of("weighed", USED_UP, "POST", "/mistral/v1/fim/completions", "{'prompt':'Hi'}"),
          List.of("weighed", USED_UP, "POST", "/azure/openai/deployments/d/chat/completions", ASK),
          List.of("weighed", USED_UP, "POST", "/none/anything", "Hi"),
          List.of("background", USED_UP, "POST", "/openai/v1/responses", "{'background':true}"),
          List.of("not weighed", USED_UP, "POST", "/openai/v1/threads/t/runs", "{}"),
          List.of("not weighed", USED_UP, "POST", "/openai/v1/audio/speech", "{'input':'Hi'}"),
          List.of("not weighed", USED_UP, "POST", "/openai/v1/realtime/client_secrets", "{}"),
          List.of("not weighed", USED_UP, "PUT", "/openai/v1/new", "{}"),
          List.of("not weighed", USED_UP, "POST", "/gemini/v1beta/models/g:predict", "{}"),
          List.of("not weighed", USED_UP, "POST", "/gemini/v1beta/models/g:embedContent", "{}"),
          List.of("not weighed", USED_UP, "POST", "/mistral/v1/ocr", "{}"),
          List.of("not weighed", USED_UP, "POST", "/anthropic/v1/skills", "{}"),
          List.of("upload", USED_UP, "POST", "/openai/v1/audio/transcriptions", "bytes"),
          List.of("upload", USED_UP, "POST", "/openai/v1/images/edits", "bytes"),
          List.of("upload", USED_UP, "POST", FILES, "bytes"),
          List.of("batch", BATCH, "POST", "/openai/v1/batches", "{}"),
          List.of("batch", BATCH, "POST", "/anthropic/v1/messages/batches", "{}"),
          List.of("batch", BATCH, "POST", "/gemini/v1beta/models/g:batchGenerateContent", "{}"),
          List.of("decision", USED_UP, "POST", "/permits?tokens=5", ""),
          List.of("decision", USED_UP, "GET", "/permits?tokens=5", ""),
          List.of("WebSocket", USED_UP, "WS", "/openai/v1/responses", ""),
          List.of("WebSocket", USED_UP, "WS", "/openai/v1/realtime?model=m", ""),
          List.of("WebSocket", USED_UP, "WS", "/none/any", ""),
          List.of("WebSocket", USED_UP, "WS", "/gemini/ws/x.BidiGenerateContent", ""),
          List.of("stops work", PASSES, "POST", "/openai/v1/responses/r/cancel", ""),
          List.of("stops work", PASSES, "POST", "/anthropic/v1/messages/batches/b/cancel", ""),
          List.of("stops work", PASSES, "DELETE", "/openai/v1/files/f", ""),
          List.of("costs nothing", PASSES, "POST", "/openai/v1/responses/input_tokens", "{}"),
          List.of("costs nothing", PASSES, "POST", "/anthropic/v1/messages/count_tokens", "{}"),
          List.of("costs nothing", PASSES, "POST", "/gemini/v1beta/models/g:countTokens", "{}"),
          List.of("costs nothing", PASSES, "GET", "/mistral/v1/models", ""),
          List.of("reads", PASSES, "GET", "/openai/v1/responses/r", ""),
          List.of("reads", PASSES, "GET", FILES, ""));

  private final Set<String> spent = new HashSet<>();

  @Override
  String routes() {
    return """
    groups: [{name: team, budget_tokens_per_month: 1000}]
    keys:
      - {name: own, sha256: OWN, budget_tokens_per_day: 1000}
      - {name: waits, sha256: WAITS, budget_tokens_per_day: 1000, on_limit: wait}
      - {name: member, sha256: MEMBER, group: team}
      - {name: rich, sha256: RICH, budget_tokens_per_day: 1000000}
    endpoints:
      - {path: /permits, algorithm: token_window, tokens_per_window: 100000, window_seconds: 60}
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s"}]}
      - {path: /azure, dialect: azure, upstreams: [{id: z, url: "%1$s"}]}
      - {path: /mistral, dialect: mistral, upstreams: [{id: m, url: "%1$s"}]}
      - {path: /anthropic, dialect: anthropic, upstreams: [{id: a, url: "%1$s"}]}
      - {path: /gemini, dialect: gemini, upstreams: [{id: g, url: "%1$s"}]}
      - {path: /none, dialect: none, upstreams: [{id: n, url: "%1$s"}]}
    """
        .replace("OWN", KeyedRequestsIT.sha256("own"))
        .replace("WAITS", KeyedRequestsIT.sha256("waits"))
        .replace("MEMBER", KeyedRequestsIT.sha256("member"))
        .replace("RICH", KeyedRequestsIT.sha256("rich"));
  }

  static Stream<Arguments> calls() {
    return Stream.of("own", "waits", "member")
        .flatMap(
            key ->
                CALLS.stream()
                    .map(
                        each ->
                            Arguments.of(
                                key,
                                each.get(0),
                                each.get(1),
                                each.get(2),
                                each.get(3),
                                each.get(4).replace('\'', '"'))));
  }

  private HttpMessage call(String key, String method, String target, String body) {
    String upgrade =
        method.equals("WS")
            ? "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            : "";
    return ask(
        ByteSocket.request(upgrade.isEmpty() ? method : "GET", target, body)
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + key + "\r\n" + upgrade));
  }

  /** Has the key use up its budget, or that of its group, by a call with a very long answer. */
  private void useUp(String key) throws Exception {
    if (spent.add(key)) {
      String usage = "{\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":900}}";
      upstream.script(
          RawUpstream.answering(
              OK.replace("{}", usage).replace("Length: 2", "Length: " + usage.length())));
      assertThat(call(key, "POST", CHAT, "{\"messages\":[]}").status()).isEqualTo(200);
      upstream.received();
      gateway.awaitBalance();
      upstream.script(RawUpstream.answering(OK));
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest(name = "{0}: {1}, {3} {4}")
  @MethodSource("calls")
  void usedUpBudget_stopsWhatMayUseTokens(
      String key, String kind, String reason, String method, String target, String body)
      throws Exception {
    useUp(key);
    HttpMessage answer = call(key, method, target, body);
    if (reason.equals(PASSES)) {
      assertThat(answer.status()).as(kind + ": " + answer.text()).isEqualTo(200);
      upstream.received();
      return;
    }
    String right = reason.equals(USED_UP) && key.equals("member") ? "group_budget" : reason;
    boolean opensCalls = method.equals("WS") && target.endsWith("/responses");
    refused(answer, reason.equals(BATCH) ? 403 : opensCalls ? 426 : 429, right);
    if (reason.equals(USED_UP)) {
      assertThat(answer.header("x-should-retry")).isEqualTo("false");
    }
  }

  @Test
  void webSocketThatNobodyCanCount_isRefusedWhereTokensAreLimited() {
    HttpMessage answer = call("rich", "WS", "/gemini/ws/x.BidiGenerateContent", "");
    refused(answer, 426, "upgrade_refused");
    assertThat(answer.text()).contains("key rich");
  }
}
