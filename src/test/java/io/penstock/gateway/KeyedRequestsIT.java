package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import java.net.ConnectException;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests which keys are let in, what upstreams see of them, and what clients are told. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class KeyedRequestsIT extends HostileCase {
  private static final String BOB = "bobs-secret";
  private static final String LATE = "a-secret-of-the-past";
  private static final String ONCE = "once-a-minute";
  private static final String TWO = "limited-for-one-model";
  private static final String ONCE_MORE = "once-a-minute-too";

  static String sha256(String secret) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  String routes() {
    return """
    models:
      scarce: {rpm: 10}
    keys:
      - {name: alice, sha256: ALICE, rpm: 1000, tpm: 100000}
      - name: bob
        sha256: BOB
        allowed_models: [m]
        allowed_endpoints: [/openai, /any, /dyn/a, /azure, /gemini]
      - {name: late, sha256: LATE, expires_at: 2020-01-01}
      - {name: once, sha256: ONCE_A, rpm: 1, models: {m: {rpm: 7}}, on_limit: reject}
      - {name: two, sha256: TWO, models: {m: {rpm: 100}}, on_limit: reject}
      - {name: again, sha256: ONCE_B, rpm: 1, on_limit: reject}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}", models: [m, x]}]
      - path: /any
        dialect: openai
        upstreams: [{id: y, url: "%1$s", api_key: "${SECRET}"}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: a, url: "%1$s", api_key: "${SECRET}"}]
      - {path: /azure, dialect: azure, upstreams: [{id: az, url: "%1$s"}]}
      - {path: /gemini, dialect: gemini, upstreams: [{id: g, url: "%1$s"}]}
      - path: /through
        dialect: openai
        upstreams: [{id: t, url: "%1$s", api_key: passthrough}]
      - path: /shown
        dialect: openai
        expose_upstream_limits: true
        upstreams: [{id: s, url: "%1$s", rpm_limit: 600}]
      - path: /sticky
        dialect: openai
        affinity: key
        upstreams: [{id: s1, url: "%1$s"}, {id: s2, url: "%1$s"}]
      - {path: /permit, algorithm: token_bucket, rate: 2, burst_size: 10}
      - {path: /dyn, algorithm: none}
    """
        .replace("ALICE", sha256(CLIENT_SECRET))
        .replace("BOB", sha256(BOB))
        .replace("LATE", sha256(LATE))
        .replace("TWO", sha256(TWO))
        .replace("ONCE_A", sha256(ONCE))
        .replace("ONCE_B", sha256(ONCE_MORE));
  }

  private HttpMessage get(String target, String... headers) {
    return ask(head("GET", target, headers) + "\r\n");
  }

  private static String head(String method, String target, String... headers) {
    StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: a\r\n");
    List.of(headers).forEach(header -> head.append(header).append("\r\n"));
    return head.toString();
  }

  private HttpMessage post(String target, String secret, String body) {
    return ask(
        ByteSocket.request("POST", target, body)
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + secret + "\r\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Bearer SECRET",
        "authorization: bearer   SECRET",
        "x-api-key: SECRET",
        "api-key: SECRET",
        "x-goog-api-key: SECRET",
        "x-penstock-key: SECRET",
        "x-penstock-key: SECRET\r\nAuthorization: Bearer SECRET\r\nx-penstock-key: SECRET"
      })
  void key_inAnyOfItsPlaces_letsIn_andNeverReachesTheUpstream(String line) throws Exception {
    HttpMessage answer = get(FILES, line.replace("SECRET", CLIENT_SECRET));
    assertThat(answer.status()).isEqualTo(200);
    assertUpstreamsOwn(upstream.received());
  }

  private static void assertUpstreamsOwn(HttpMessage asked) {
    assertThat(asked.all("authorization")).containsExactly("Bearer " + UPSTREAM_SECRET);
    assertThat(asked.headers()).noneMatch(line -> line.contains(CLIENT_SECRET));
    assertThat(asked.target()).doesNotContain("key");
  }

  @Test
  void key_inTheQuery_letsIn_andNeverReachesTheUpstream() throws Exception {
    assertThat(get(FILES + "?a=b&key=" + CLIENT_SECRET).status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertUpstreamsOwn(asked);
    assertThat(asked.target()).isEqualTo("/v1/files?a=b");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-nothing: at all",
        "Authorization: Bearer",
        "Authorization: Bearer ",
        "Authorization: Basic " + CLIENT_SECRET,
        "Authorization: " + CLIENT_SECRET,
        "x-api-key:",
        "x-api-key: wrong",
        "x-api-key: \u00fcml\u00e4ut",
        "x-api-key: " + LATE,
        "x-penstock-key: " + CLIENT_SECRET + "x"
      })
  void noGoodKey_isRefusedBeforeTheBodyIsRead(String line) {
    long before = gateway.count("/openai", TicketFate.REFUSED);
    try (ByteSocket byteSocket = connect()) {
      HttpMessage answer =
          byteSocket.send(head("POST", CHAT, line, "Content-Length: 1000") + "\r\n").answer();
      refused(answer, 401, "unauthenticated");
    }
    assertThat(gateway.count("/openai", TicketFate.REFUSED)).isEqualTo(before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void keyOf10KiB_isNobodys() {
    refused(get(FILES, "x-api-key: " + "k".repeat(10_240)), 401, "unauthenticated");
  }

  @Test
  void wrongBasePath_isRefusedInTheDialectOfTheClient_andNamesOnlyEndpointsOfItsKey() {
    HttpMessage openAi = post("/v1/chat/completions", CLIENT_SECRET, "{}");
    refused(openAi, 404, "no_endpoint");
    JsonNode error = JsonMapper.shared().readTree(openAi.text()).get("error");
    assertThat(error.get("type").asString()).isEqualTo("not_found_error");
    assertThat(error.get("message").asString())
        .startsWith("Invalid URL (POST /v1/chat/completions)")
        .contains("/openai", "/v1, such as http://HOST:PORT/openai/v1");
    HttpMessage anthropic = post("/v1/messages", CLIENT_SECRET, "{}");
    refused(anthropic, 404, "no_endpoint");
    assertThat(anthropic.text()).contains("\"type\":\"not_found_error\"", "/anthropic");
    HttpMessage gemini = post("/v1beta/models/m:generateContent", CLIENT_SECRET, "{}");
    refused(gemini, 404, "no_endpoint");
    assertThat(gemini.text()).contains("\"status\":\"NOT_FOUND\"");
    HttpMessage nobody = post("/v1/chat/completions", "wrong", "{}");
    refused(nobody, 401, "unauthenticated");
    assertThat(nobody.text()).contains("invalid_api_key").doesNotContain("/openai");
    HttpMessage bound = post("/v1/messages", BOB, "{}");
    refused(bound, 404, "no_endpoint");
    assertThat(bound.text()).contains("base URL").doesNotContain("Endpoints that speak");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-penstock-key: other",
        "Authorization: Bearer other",
        "x-api-key: other",
        "x-api-key: " + BOB
      })
  void twoDifferentKeys_areABadRequest(String other) {
    refused(get(FILES, "x-api-key: " + CLIENT_SECRET, other), 400, "bad_request");
    refused(get(FILES, other, "x-api-key: " + CLIENT_SECRET), 400, "bad_request");
    refused(get(FILES + "?key=other", "x-api-key: " + CLIENT_SECRET), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void endpointThatIsNotAllowed_isForbiddenBeforeTheBodyIsRead_andNoneIsMade() {
    try (ByteSocket byteSocket = connect()) {
      String head =
          head("POST", MESSAGES, "x-penstock-key: " + BOB, "Content-Length: 1000") + "\r\n";
      HttpMessage answer = byteSocket.send(head).answer();
      refused(answer, 403, "forbidden_endpoint");
    }
    for (String path : List.of("/dyn", "/dyn/b", "/dyn/ab", "/dyn/a%2Fb", "/permit")) {
      assertThat(get(path, "x-penstock-key: " + BOB).status()).as(path).isEqualTo(403);
    }
    assertThat(Objects.requireNonNull(gateway.bean(EndpointRegistry.class).find("/dyn/b")).path())
        .isEqualTo("/dyn");
    for (String path : List.of("/dyn/a", "//dyn/%61", "/dyn/a/below")) {
      assertThat(get(path, "x-penstock-key: " + BOB).status()).as(path).isEqualTo(200);
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void modelThatIsNotAllowed_isForbidden() throws Exception {
    assertThat(post(CHAT, BOB, ASK).status()).isEqualTo(200);
    upstream.received();
    String other = ASK.replace("\"m\"", "\"x\"");
    HttpMessage answer = post(CHAT, BOB, other);
    refused(answer, 403, "forbidden_model");
    assertThat(post(CHAT, CLIENT_SECRET, other).status()).isEqualTo(200);
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/azure/openai/deployments/m/deployments/x/chat/completions",
        "/azure/openai/deployments/m%2Fx/chat/completions",
        "/openai/deployments/x/chat/completions",
        "/any/engines/x/chat/completions",
        "/gemini/v1beta/models/m:x/models/m:generateContent",
        "/gemini/v1beta/models/x%2Fmodels%2Fm:generateContent",
      })
  void modelThatIsNotAllowed_isNotHiddenInAPathBesideAnother(String target) throws Exception {
    refused(post(target, BOB, ASK), 400, "bad_request");
    for (String plain :
        List.of(
            "/azure/openai/deployments/m/chat/completions",
            "/gemini/v1beta/models/m:generateContent")) {
      assertThat(post(plain, BOB, ASK).status()).isEqualTo(200);
      upstream.received();
      refused(post(plain.replace("/m", "/x"), BOB, ASK), 403, "forbidden_model");
    }
  }

  private static String askNaming(String members) {
    return "{" + members + "," + ASK.substring(1);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"models\":[\"m\",\"x\"]",
        "\"models\":[\"x\"],\"route\":\"fallback\"",
        "\"route\":[{\"model\":\"x\"}]",
      })
  void furtherModelThatIsNotAllowed_isForbidden(String members) throws Exception {
    for (String path : List.of(CHAT, "/any/v1/chat/completions")) {
      refused(post(path, BOB, askNaming(members)), 403, "forbidden_model");
      assertThat(post(path, CLIENT_SECRET, askNaming(members)).status()).isEqualTo(200);
      upstream.received();
    }
  }

  @Test
  void furtherModelThatIsAllowed_isPassedOn() throws Exception {
    String body = askNaming("\"models\":[\"m\"],\"route\":\"fallback\"");
    assertThat(post(CHAT, BOB, body).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body);
  }

  @Test
  void furtherModelThatTheUpstreamDoesNotServe_isNotFound() throws Exception {
    String body = askNaming("\"models\":[\"m\",\"y\"]");
    refused(post(CHAT, CLIENT_SECRET, body), 404, "no_upstream_for_model");
    assertThat(post("/any/v1/chat/completions", CLIENT_SECRET, body).status()).isEqualTo(200);
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void furtherModelWithLimitsOfItsOwn_isForbidden_unlessItIsTheOneAskedFor() throws Exception {
    String other = ASK.replace("\"m\"", "\"x\"");
    HttpMessage ofKey = post(CHAT, TWO, "{\"models\":[\"m\"]," + other.substring(1));
    refused(ofKey, 403, "forbidden_model");
    assertThat(ofKey.text()).contains("limits of its own");
    HttpMessage ofModel =
        post("/any/v1/chat/completions", TWO, askNaming("\"models\":[\"scarce-latest\"]"));
    refused(ofModel, 403, "forbidden_model");
    assertThat(post(CHAT, TWO, askNaming("\"models\":[\"m-2025-01-01\",\"x\"]")).status())
        .isEqualTo(404);
    assertThat(
            post("/any/v1/chat/completions", TWO, askNaming("\"models\":[\"m-2025-01-01\"]"))
                .status())
        .isEqualTo(200);
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyThatAProviderMayReadOtherwise_isRefused() {
    String second = ASK.replace("\"max_tokens\"", "\"Model\":\"x\",\"max_tokens\"");
    refused(post(CHAT, BOB, second), 400, "bad_request");
    String overlong =
        ByteSocket.request("POST", CHAT, second.replace("Model", "mod##l"))
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + BOB + "\r\n")
            .replace("##", "\u00C1\u00A5");
    try (ByteSocket byteSocket = connect()) {
      HttpMessage answer = byteSocket.send(overlong.getBytes(ISO_8859_1)).answer();
      refused(answer, 400, "bad_request");
      assertThat(answer.text()).contains("not valid UTF-8");
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void callThatDoesNotSayItsModel_isForbiddenUnlessItOnlyAsks() throws Exception {
    refused(post("/openai/v1/images/generations", BOB, "{}"), 403, "forbidden_model");
    refused(get(FILES + "?model=x", "x-penstock-key: " + BOB), 403, "forbidden_model");
    for (String allowed : List.of(FILES, FILES + "?model=m")) {
      assertThat(get(allowed, "x-penstock-key: " + BOB).status()).isEqualTo(200);
      upstream.received();
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/v1/images/generations",
        "/openai/v1/batches",
        "/openai/v1/fine_tuning/jobs"
      })
  void modelInTheQuery_saysNothingOfACallThatHasItsModelInTheBody(String path) {
    refused(post(path + "?model=m", BOB, "{\"model\":\"x\"}"), 403, "forbidden_model");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/v1/realtime?model=x",
        "/openai/v1/realtime?model=m&model=x",
        "/openai/v1/realtime?model=m&deployment=x",
        "/openai/v1/realtime?model=m&intent=transcription",
        "/azure/openai/deployments/x/realtime?model=m",
        "/openai/v1/realtime"
      })
  void socketThatDoesNotSayItsModelWhereThatCounts_isForbidden(String target) {
    String upgrade = "Upgrade: websocket\r\nConnection: Upgrade";
    refused(get(target, "x-penstock-key: " + BOB, upgrade), 403, "forbidden_model");
  }

  @Test
  void modelList_hasOnlyWhatTheKeyMayUse() {
    assertThat(ids("/openai/v1/models", CLIENT_SECRET)).containsExactly("m", "x");
    assertThat(ids("/openai/v1/models", BOB)).containsExactly("m");
    assertThat(ids("/any/v1/models", BOB)).containsExactly("m");
  }

  @Test
  void oneModel_isDescribedOnlyToAKeyThatMayUseIt() {
    assertThat(get("/openai/v1/models/x", "x-penstock-key: " + CLIENT_SECRET).text())
        .contains("\"id\":\"x\"");
    refused(get("/openai/v1/models/x", "x-penstock-key: " + BOB), 404, "no_upstream_for_model");
    assertThat(get("/openai/v1/models/m", "x-penstock-key: " + BOB).text())
        .contains("\"id\":\"m\"");
    refused(get("/any/v1/models/x", "x-penstock-key: " + BOB), 404, "no_upstream_for_model");
  }

  private List<String> ids(String path, String secret) {
    HttpMessage answer = get(path, "x-penstock-key: " + secret);
    assertThat(answer.status()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.text()).get("data").values().stream()
        .map(each -> each.get("id").asString())
        .toList();
  }

  @Test
  void passthrough_takesTheKeyFromItsOwnHeaderOnly_andNeverPassesOneOn() throws Exception {
    String ours = "x-penstock-key: " + CLIENT_SECRET;
    assertThat(get("/through/v1/files", ours, "Authorization: Bearer theirs").status())
        .isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.all("authorization")).containsExactly("Bearer theirs");
    assertThat(asked.header("x-penstock-key")).isNull();
    String elsewhere = "Authorization: Bearer " + CLIENT_SECRET;
    refused(get("/through/v1/files", elsewhere), 401, "unauthenticated");
    refused(get("/through/v1/files", ours, elsewhere), 400, "bad_request");
    refused(get("/through/v1/files", ours, "x-api-key: " + BOB), 400, "bad_request");
  }

  @Test
  void answer_tellsWhatIsLeftOfTheKeysLimits() throws Exception {
    HttpMessage openAi = post(CHAT, CLIENT_SECRET, ASK);
    upstream.received();
    assertThat(openAi.header("ratelimit-policy"))
        .isEqualTo("\"key-rpm\";q=1000;w=60, \"key-tpm\";q=100000;qu=\"penstock-tokens\";w=60");
    assertThat(openAi.header("ratelimit"))
        .matches("\"key-rpm\";r=9\\d\\d;t=\\d+, \"key-tpm\";r=99\\d+;t=\\d+");
    assertThat(openAi.header("x-ratelimit-limit-requests")).isEqualTo("1000");
    assertThat(openAi.header("x-ratelimit-remaining-requests")).matches("9\\d\\d");
    assertThat(openAi.header("x-ratelimit-reset-requests")).matches("1m\\ds|\\d\\d?s");
    assertThat(openAi.header("x-ratelimit-limit-tokens")).isEqualTo("100000");
    HttpMessage anthropic = post(MESSAGES, CLIENT_SECRET, ASK);
    upstream.received();
    assertThat(anthropic.header("anthropic-ratelimit-requests-limit")).isEqualTo("1000");
    assertThat(anthropic.header("anthropic-ratelimit-tokens-remaining")).matches("99\\d+");
    assertThat(anthropic.header("anthropic-ratelimit-requests-reset"))
        .matches("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    assertThat(anthropic.header("x-ratelimit-limit-requests")).isNull();
  }

  @Test
  void answer_tellsOfTheEndpointsLimit_andOfTheUpstreamsOnlyWhereItIsToldTo() throws Exception {
    HttpMessage permit = get("/permit", "x-penstock-key: " + CLIENT_SECRET);
    assertThat(permit.header("ratelimit-policy")).endsWith(", \"endpoint\";q=10;w=5");
    assertThat(permit.header("ratelimit")).contains("\"endpoint\";r=9;t=1");
    String own = "HTTP/1.1 200 OK\r\nRateLimit: \"theirs\";r=1\r\nContent-Length: 2\r\n\r\n{}";
    upstream.script(io.penstock.fake.RawUpstream.answering(own));
    HttpMessage shown = post("/shown/v1/chat/completions", CLIENT_SECRET, ASK);
    upstream.received();
    assertThat(shown.header("ratelimit-policy")).endsWith(", \"upstream-rpm\";q=600;w=60");
    HttpMessage hidden = post("/any/v1/chat/completions", BOB, ASK);
    upstream.received();
    assertThat(hidden.header("ratelimit-policy")).isNull();
    assertThat(hidden.header("ratelimit")).isNull();
  }

  @Test
  void limitOfTheKey_reached_isRefusedWithWhatIsLeft() throws Exception {
    assertThat(post(CHAT, ONCE, ASK).status()).isEqualTo(200);
    upstream.received();
    HttpMessage answer = post(CHAT, ONCE, ASK);
    refused(answer, 429, "key_rpm");
    assertThat(answer.header("retry-after")).matches("[56]\\d");
    // the body was not read, so its model is unknown
    assertThat(answer.header("ratelimit")).matches("\"key-rpm\";r=0;t=[56]\\d");
    assertThat(answer.header("x-ratelimit-remaining-requests")).isEqualTo("0");
  }

  @Test
  void callThatIsNotWeighed_countsAsARequest() throws Exception {
    assertThat(get(FILES, "x-penstock-key: " + ONCE_MORE).status()).isEqualTo(200);
    upstream.received();
    refused(get(FILES, "x-penstock-key: " + ONCE_MORE), 429, "key_rpm");
  }

  @Test
  void status_tellsOfTheKeyAndWhereItMayGo() {
    refused(get("/v1/penstock/status"), 401, "unauthenticated");
    HttpMessage answer = get("/v1/penstock/status", "Authorization: Bearer " + CLIENT_SECRET);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    assertThat(answer.header("x-request-id")).isNotBlank();
    JsonNode status = JsonMapper.shared().readTree(answer.text());
    assertThat(status.get("key").asString()).isEqualTo("alice");
    JsonNode rpm = status.get("limits").get(0);
    assertThat(rpm.get("limit").asString()).isEqualTo("key-rpm");
    assertThat(rpm.get("quota").asLong()).isEqualTo(1000);
    assertThat(rpm.get("remaining").asLong()).isBetween(900L, 1000L);
    assertThat(status.at("/limits/1/unit").asString()).isEqualTo("penstock-tokens");
    assertThat(answer.text())
        .contains("{\"path\":\"/anthropic\",\"expected_wait_ms\":0,\"bound\":false}");
    HttpMessage bobs = get("/v1/penstock/status", "x-api-key: " + BOB);
    assertThat(bobs.text()).contains("\"/openai\"").doesNotContain("/anthropic");
    assertThat(bobs.text()).contains("\"limits\":[]");
  }

  @Test
  void statusBelowAnEndpoint_tellsOfThatEndpointAlone() {
    refused(get("/anthropic/v1/penstock/status"), 401, "unauthenticated");
    HttpMessage answer = get("/anthropic/v1/penstock/status", "x-api-key: " + CLIENT_SECRET);
    assertThat(answer.text())
        .contains("\"key\":\"alice\"")
        .endsWith(
            "\"endpoints\":[{\"path\":\"/anthropic\",\"expected_wait_ms\":0,\"bound\":false}]}");
    HttpMessage bobs = get("/anthropic/v1/penstock/status", "x-api-key: " + BOB);
    assertThat(bobs.text()).contains("\"key\":\"bob\"").endsWith("\"endpoints\":[]}");
    refused(get("/nowhere/v1/penstock/status", "x-api-key: " + BOB), 404, "no_endpoint");
  }

  @Test
  void affinityByKey_keepsAKeyToOneUpstream() throws Exception {
    String first = null;
    for (int i = 0; i < 6; i++) {
      HttpMessage answer = post("/sticky/v1/chat/completions", CLIENT_SECRET, ASK);
      upstream.received();
      String id = answer.header("x-penstock-upstream");
      assertThat(id).isIn("s1", "s2").isEqualTo(first == null ? id : first);
      first = id;
    }
  }

  @Test
  void keysConfigured_stillListensOnLoopbackOnly() {
    // Another address of the loopback range exists even on a machine without a network.
    assertThatThrownBy(() -> new Socket("127.0.0.2", gateway.port()).close())
        .isInstanceOf(ConnectException.class);
    assertThat(gateway.bean(Environment.class).getProperty("server.address"))
        .isEqualTo("127.0.0.1");
  }
}
