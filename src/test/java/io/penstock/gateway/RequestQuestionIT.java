package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests what a client is told about its own requests, and that it learns nothing of others. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class RequestQuestionIT extends HostileCase {
  private static final String ALICE = "alices-secret";
  private static final String BOB = "bobs-secret";
  private static final String SPACED = "/spaced/v1/chat/completions";
  private static final String SINGLE = "/single/v1/chat/completions";

  @Override
  String routes() {
    return """
    keys:
      - {name: alice, sha256: ALICE}
      - {name: bob, sha256: BOB}
    endpoints:
      - path: /openai
        dialect: openai
        queue_timeout: 5
        upstreams: [{id: o, url: "%1$s", models: [m]}]
      - path: /spaced
        dialect: openai
        algorithm: strict
        rate: 2
        unit: rpm
        upstreams: [{id: sp, url: "%1$s"}]
      - path: /single
        dialect: openai
        upstreams: [{id: si, url: "%1$s", concurrency: 1}]
    """
        .replace("ALICE", KeyedRequestsIT.sha256(ALICE))
        .replace("BOB", KeyedRequestsIT.sha256(BOB));
  }

  private ByteSocket chat(String path, String secret, String id) {
    return connect()
        .send(
            ByteSocket.request("POST", path, ASK)
                .replace(
                    "Host: penstock\r\n",
                    "Host: a\r\nx-penstock-key: %s\r\nx-request-id: %s\r\n".formatted(secret, id)));
  }

  private ByteSocket parked(String path, String secret, String id) {
    long waiting = gateway.count(path, TicketFate.WAITING);
    ByteSocket byteSocket = chat(path, secret, id);
    gateway.await(path, TicketFate.WAITING, waiting + 1);
    return byteSocket;
  }

  private HttpMessage question(String secret, String id) {
    return ask(
        "GET /v1/penstock/requests/%s HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\n\r\n"
            .formatted(id, secret));
  }

  private JsonNode told(String secret, String id) {
    HttpMessage answer = question(secret, id);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    return JsonMapper.shared().readTree(answer.text());
  }

  private void awaitState(String secret, String id, String state) {
    RunningGateway.awaiting()
        .untilAsserted(() -> assertThat(told(secret, id).get("state").asString()).isEqualTo(state));
  }

  @Test
  void waitingRequest_hasItsPlaceItsWaitAndWhatItWaitsFor() throws Exception {
    Ticker since = Ticker.system();
    try (ByteSocket first = chat(SPACED, ALICE, "first")) {
      assertThat(first.answer().status()).isEqualTo(200);
      upstream.received();
    }
    try (ByteSocket second = parked(SPACED, BOB, "second");
        ByteSocket third = parked(SPACED, ALICE, "third")) {
      // without a position while the owner of the queue has not answered within a second
      JsonNode told =
          RunningGateway.awaiting()
              .until(() -> told(ALICE, "third"), answer -> answer.path("position").asInt() == 2);
      assertThat(told.get("id").asString()).isEqualTo("third");
      assertThat(told.get("endpoint").asString()).isEqualTo("/spaced");
      assertThat(told.get("state").asString()).isEqualTo("waiting");
      long sinceMillis = since.nanos() / 1_000_000;
      assertThat(told.get("expected_ms").asLong()).isBetween(59_999 - sinceMillis, 60_000L);
      assertThat(told.get("bound").asBoolean()).isFalse();
      assertThat(told.get("waited_ms").asLong()).isBetween(0L, sinceMillis);
      assertThat(told.get("waits_for").asString()).isEqualTo("limit");
      assertThat(told.get("of").asString()).isEqualTo("endpoint");
      second.reset();
      third.reset();
      gateway.await(SPACED, TicketFate.WAITING, 0);
    }
    awaitState(ALICE, "third", "cancelled");
    JsonNode told = told(ALICE, "third");
    assertThat(told.get("status").isNull()).isTrue();
    assertThat(told.get("reason").isNull()).isTrue();
  }

  @Test
  void runningRequest_isToldItsUpstream_andThenItsAnswer() throws Exception {
    CountDownLatch ends = new CountDownLatch(1);
    Ticker since = Ticker.system();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          PatientWaits.await(ends);
          byteSocket.send(OK);
        });
    try (ByteSocket running = chat(SINGLE, ALICE, "running")) {
      upstream.received();
      JsonNode told = told(ALICE, "running");
      assertThat(told.get("state").asString()).isEqualTo("running");
      assertThat(told.get("upstream").asString()).isEqualTo("si");
      try (ByteSocket waiting = parked(SINGLE, ALICE, "waiting")) {
        JsonNode bound =
            RunningGateway.awaiting()
                .until(() -> told(ALICE, "waiting"), answer -> answer.path("bound").asBoolean());
        assertThat(bound.get("of").asString()).isEqualTo("upstream");
        ends.countDown();
        assertThat(running.answer().status()).isEqualTo(200);
        assertThat(waiting.answer().status()).isEqualTo(200);
      }
      upstream.received();
    }
    awaitState(ALICE, "running", "answered");
    assertThat(told(ALICE, "running").get("status").asInt()).isEqualTo(200);
    assertThat(told(ALICE, "running").get("queued_ms").asLong())
        .isBetween(0L, since.nanos() / 1_000_000);
  }

  @Test
  void refusedRequest_isToldItsReason() {
    gateway.endpoint("/openai").pause(true);
    try (ByteSocket refused = parked(CHAT, ALICE, "refused")) {
      assertThat(refused.answer().status()).isEqualTo(429);
    } finally {
      gateway.endpoint("/openai").pause(false);
    }
    awaitState(ALICE, "refused", "refused");
    JsonNode told = told(ALICE, "refused");
    assertThat(told.get("status").asInt()).isEqualTo(429);
    assertThat(told.get("reason").asString()).isEqualTo("queue_timeout");
    assertThat(told.get("queued_ms").asLong()).isGreaterThanOrEqualTo(5_000);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void requestOfAnother_looksLikeOneThatNeverWas() {
    gateway.endpoint("/openai").pause(true);
    try (ByteSocket waiting = parked(CHAT, ALICE, "hers")) {
      HttpMessage hers = question(BOB, "hers");
      HttpMessage nobodys = question(BOB, "nobodys");
      assertThat(hers.status()).isEqualTo(404);
      assertThat(hers.header("content-type")).isEqualTo("application/problem+json");
      assertThat(hers.text()).isEqualTo(nobodys.text());
      assertThat(hers.headers().stream().map(line -> line.split(":", 2)[0]).toList())
          .isEqualTo(nobodys.headers().stream().map(line -> line.split(":", 2)[0]).toList());
      refused(question("nobodys-secret", "hers"), 401, "unauthenticated");
      waiting.reset();
      gateway.await(CHAT, TicketFate.WAITING, 0);
    } finally {
      gateway.endpoint("/openai").pause(false);
    }
  }

  @Test
  void idWithASlashAndAPercentSign_isFoundEscaped() throws Exception {
    try (ByteSocket asked = chat(CHAT, ALICE, "a/b%c")) {
      assertThat(asked.answer().status()).isEqualTo(200);
    }
    upstream.received();
    awaitState(ALICE, "a%2Fb%25c", "answered");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void withoutKeys_onlyIdsThatTheGatewayMadeAreKnown() throws Exception {
    try (RunningGateway open =
        RunningGateway.start(
            """
            endpoints:
              - {path: /permit, algorithm: none}
            """)) {
      try (ByteSocket byteSocket = ByteSocket.to(open.port())) {
        String get = "GET %s HTTP/1.1\r\nHost: a\r\n%s\r\n";
        HttpMessage made = byteSocket.send(get.formatted("/permit", "")).answer();
        String id = made.header("x-request-id");
        byteSocket.send(get.formatted("/permit", "x-request-id: guessed\r\n")).answer();
        RunningGateway.awaiting()
            .untilAsserted(
                () ->
                    assertThat(
                            byteSocket
                                .send(get.formatted("/v1/penstock/requests/" + id, ""))
                                .answer()
                                .text())
                        .contains("\"state\":\"answered\"", "\"status\":200"));
        assertThat(
                byteSocket
                    .send(get.formatted("/v1/penstock/requests/guessed", ""))
                    .answer()
                    .status())
            .isEqualTo(404);
      }
    }
  }
}
