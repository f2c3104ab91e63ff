package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which calls a key and an endpoint let through, and that limited tokens stop batches. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class ForbiddenCallsIT extends HostileCase {
  @Override
  String routes() {
    return """
    groups: [{name: team, budget_tokens_per_month: 1000000}]
    keys:
      - {name: free, sha256: FREE}
      - {name: narrow, sha256: NARROW, calls: weighed}
      - {name: listed, sha256: LISTED, calls: [/v1/files, /v1/embeddings]}
      - {name: limited, sha256: LIMITED, tpm: 1000000}
      - {name: budgeted, sha256: BUDGETED, budget_tokens_per_day: 1000000}
      - {name: member, sha256: MEMBER, group: team}
      - {name: modelled, sha256: MODELLED, models: {m: {tpm: 1000000}}}
      - {name: counted, sha256: COUNTED, rpm: 1000, concurrency: 100}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", rpm: 100000}]
      - path: /weighed
        dialect: openai
        calls: weighed
        upstreams: [{id: o, url: "%1$s", rpm: 100000}]
      - path: /known
        dialect: openai
        calls: weighed
        upstreams: [{id: named, url: "%1$s", models: [m]}]
      - path: /listed
        dialect: openai
        calls: [weighed, /v1/files, /v1/models]
        upstreams: [{id: o, url: "%1$s", rpm: 100000}]
      - path: /gemini
        dialect: gemini
        calls: [/v1beta/models/m]
        upstreams: [{id: g, url: "%1$s"}]
      - path: /claude
        dialect: anthropic
        upstreams: [{id: c, url: "%1$s"}]
      - path: /window
        dialect: openai
        algorithm: token_window
        tokens_per_window: 1000000
        window_seconds: 60
        upstreams: [{id: o, url: "%1$s", rpm: 100000}]
      - path: /tpm
        dialect: gemini
        upstreams: [{id: limits, url: "%1$s", limits: [{models: [m], itpm: 1000000}]}]
      - path: /plain
        dialect: none
        upstreams: [{id: n, url: "%1$s"}]
      - path: /permit
        algorithm: none
    """
        .replace("FREE", KeyedRequestsIT.sha256("free"))
        .replace("NARROW", KeyedRequestsIT.sha256("narrow"))
        .replace("LISTED", KeyedRequestsIT.sha256("listed"))
        .replace("LIMITED", KeyedRequestsIT.sha256("limited"))
        .replace("BUDGETED", KeyedRequestsIT.sha256("budgeted"))
        .replace("MEMBER", KeyedRequestsIT.sha256("member"))
        .replace("MODELLED", KeyedRequestsIT.sha256("modelled"))
        .replace("COUNTED", KeyedRequestsIT.sha256("counted"));
  }

  private HttpMessage ask(String key, String method, String target, String body) {
    return ask(
        ByteSocket.request(method, target, body)
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + key + "\r\n"));
  }

  private void passes(String key, String method, String target) throws Exception {
    assertThat(ask(key, method, target, ASK).status()).isEqualTo(200);
    upstream.received();
  }

  private void forbidden(String key, String method, String target) {
    HttpMessage answer = ask(key, method, target, ASK);
    refused(answer, 403, "forbidden_call");
    assertThat(answer.header("x-penstock-upstream")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "free, POST, /openai/v1/files",
    "free, POST, /weighed/v1/chat/completions",
    "free, POST, /weighed/v1/chat/completions;x",
    "free, POST, /weighed/v1/messages",
    "free, POST, /listed/v1/embeddings",
    "free, POST, /listed/v1/files",
    "free, GET, /listed/v1/files/file-1/content",
    "free, GET, /listed/V1/Files/",
    "free, GET, /listed/v1/models",
    "free, POST, /gemini/v1beta/models/m:generateContent",
    "free, POST, /gemini/v1beta/models/m:countTokens",
    "free, POST, /gemini/models/m:generateContent",
    "narrow, POST, /openai/v1/chat/completions",
    "narrow, POST, /listed/v1/responses",
    "listed, GET, /openai/v1/files/f",
    "listed, POST, /openai/v1/embeddings",
    "free, GET, /plain/anything",
  })
  void callThatPasses_isServed(String key, String method, String target) throws Exception {
    passes(key, method, target);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "free, POST, /weighed/v1/files",
    "free, GET, /weighed/v1/chat/completions",
    "free, GET, /weighed/v1/models",
    "free, DELETE, /weighed/v1/files/f",
    "free, OPTIONS, /weighed/v1/files",
    "free, POST, /weighed/v1/audio/speech",
    "free, POST, /listed/v1/batches",
    "free, POST, /listed/v1/filesystem",
    "free, POST, /listed/v1/audio/v1/files",
    "free, POST, /gemini/v1beta/models/mm:generateContent",
    "free, POST, /gemini/v1beta/cachedContents",
    "narrow, POST, /openai/v1/files",
    "narrow, GET, /listed/v1/files",
    "narrow, GET, /plain/anything",
    "listed, POST, /openai/v1/chat/completions",
    "listed, POST, /weighed/v1/files",
  })
  void callThatDoesNotPass_isForbidden(String key, String method, String target) {
    forbidden(key, method, target);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void upgrade_isACallThatIsNotWeighed() {
    HttpMessage answer =
        ask(
            "GET /weighed/v1/realtime?model=m HTTP/1.1\r\nHost: a\r\nx-penstock-key: free\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    refused(answer, 403, "forbidden_call");
  }

  @Test
  void listOfModelsThatTheGatewayAnswers_isNoCall() {
    assertThat(ask("narrow", "GET", "/known/v1/models", "").text()).contains("\"id\":\"m\"");
    assertThat(ask("narrow", "GET", "/known/v1/models/m", "").status()).isEqualTo(200);
    assertThat(ask("narrow", "GET", "/permit", "").status()).isEqualTo(200);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyOfAForbiddenCall_isNotRead() {
    HttpMessage answer =
        ask(
            "POST /openai/v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-penstock-key: listed\r\n"
                + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
    refused(answer, 403, "forbidden_call");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "limited, /openai/v1/batches, key limited",
    "limited, /openai/v1/batches;x, key limited",
    "limited, /openai/v1/%2562atches/, key limited",
    "limited, /claude/v1/messages/batches, key limited",
    "budgeted, /openai/v1/batches, key budgeted",
    "member, /openai/v1/batches, group team",
    "modelled, /openai/v1/batches, key modelled",
    "free, /window/v1/batches, endpoint /window",
    "free, /tpm/v1beta/models/m:batchGenerateContent, upstream limits",
    "free, /tpm/v1beta/models/m:asyncBatchEmbedContent, upstream limits",
    "free, /tpm/v1beta/openai/batches, upstream limits",
  })
  void batch_isRefusedWhereTokensAreLimited(String key, String target, String owner) {
    HttpMessage answer = ask(key, "POST", target, "{\"input_file_id\":\"file-1\"}");
    refused(answer, 403, "forbidden_call");
    assertThat(answer.text())
        .contains("a batch uses tokens that cannot be counted in advance")
        .contains(owner + " has a limit of tokens here");
  }

  @ParameterizedTest
  @CsvSource({
    "free, POST, /openai/v1/batches",
    "counted, POST, /openai/v1/batches",
    "counted, POST, /claude/v1/messages/batches",
    "limited, GET, /openai/v1/batches",
    "limited, POST, /openai/v1/batches/b/cancel",
    "limited, GET, /openai/v1/batches/b",
    "limited, POST, /openai/v1/vector_stores/v/file_batches",
    "limited, POST, /plain/v1/batches",
  })
  void batch_passesWhereTokensAreNot_andItsOtherCallsAlways(
      String key, String method, String target) throws Exception {
    passes(key, method, target);
  }
}
