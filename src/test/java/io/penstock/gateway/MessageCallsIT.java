package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.gateway.request.OpenWebSockets;
import io.penstock.key.KeyRegistry;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.WebsocketServerSpec;
import reactor.netty.http.websocket.WebsocketInbound;
import reactor.netty.http.websocket.WebsocketOutbound;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that each message of a WebSocket of the Responses API is a call of its own. */
class MessageCallsIT extends HostileCase {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String DELTA = "{\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}";

  private final List<WebSocket> open = new ArrayList<>();
  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> offered = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> pings = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> upstreamEnds = new LinkedBlockingQueue<>();

  /** The connection that was opened last, as the upstream has it. */
  private volatile @Nullable Channel latest;

  private final DisposableServer sockets =
      HttpServer.create()
          .host("127.0.0.1")
          .port(0)
          .route(
              routes ->
                  routes.ws(
                      "/v1/responses",
                      this::serve,
                      WebsocketServerSpec.builder()
                          .handlePing(true)
                          .maxFramePayloadLength(1 << 22)
                          .build()))
          .bindNow();

  @Override
  String routes() {
    return """
    keys:
      - {name: any, sha256: ANY}
      - {name: agent, sha256: AGENT, tpm: 5000, on_limit: reject}
      - {name: budgeted, sha256: BUDGETED, budget_tokens_per_day: 12000}
      - {name: leaving, sha256: LEAVING}
      - {name: revoked, sha256: REVOKED}
      - {name: scoped, sha256: SCOPED, allowed_models: [m], calls: weighed, max_output_tokens: 50}
      - {name: single, sha256: SINGLE, concurrency: 1, on_limit: reject}
    endpoints:
      - path: /ws
        dialect: openai
        upstreams:
          - id: w
            url: "http://127.0.0.1:PORT"
            api_key: "${SECRET}"
            tpm: 1000000
            models: {m: own-m, other: other}
      - path: /budget
        dialect: openai
        upstreams: [{id: b, url: "http://127.0.0.1:PORT", tpm: 1000000}]
      - path: /silent
        dialect: openai
        upstreams:
          - id: silent
            url: "http://127.0.0.1:PORT"
            first_byte_timeout: 1
            stall_timeout: 1
      - path: /small
        dialect: openai
        max_body_bytes: 70000
        upstreams: [{id: s, url: "http://127.0.0.1:PORT", api_key: "${SECRET}", rpm: 1000}]
    """
        .replace("PORT", "" + sockets.port())
        .replace("ANY", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("AGENT", KeyedRequestsIT.sha256("agent"))
        .replace("SCOPED", KeyedRequestsIT.sha256("scoped"))
        .replace("BUDGETED", KeyedRequestsIT.sha256("budgeted"))
        .replace("REVOKED", KeyedRequestsIT.sha256("revoked"))
        .replace("LEAVING", KeyedRequestsIT.sha256("leaving"))
        .replace("SINGLE", KeyedRequestsIT.sha256("single"));
  }

  private Mono<Void> serve(WebsocketInbound in, WebsocketOutbound out) {
    offered.add(Objects.requireNonNullElse(in.headers().get("Sec-WebSocket-Extensions"), ""));
    out.withConnection(connection -> latest = connection.channel());
    in.receiveCloseStatus().map(WebSocketCloseStatus::code).subscribe(upstreamEnds::add);
    return in.aggregateFrames(1 << 22).receiveFrames().doOnNext(this::hears).then();
  }

  private void hears(WebSocketFrame frame) {
    if (frame instanceof TextWebSocketFrame text) {
      asked.add(text.text());
    } else if (frame instanceof PingWebSocketFrame) {
      pings.add("upstream");
    }
  }

  /** Sends a message, in two frames if it begins with a line, or closes the WebSocket. */
  private void say(String text) {
    Channel to = Objects.requireNonNull(latest);
    if (text.equals("close")) {
      to.writeAndFlush(new CloseWebSocketFrame(4321, "enough")).awaitUninterruptibly();
    } else if (text.startsWith("|")) {
      int half = text.length() / 2;
      var _ = to.write(new TextWebSocketFrame(false, 0, text.substring(1, half)));
      to.writeAndFlush(new ContinuationWebSocketFrame(true, 0, text.substring(half)))
          .awaitUninterruptibly();
    } else {
      to.writeAndFlush(new TextWebSocketFrame(text)).awaitUninterruptibly();
    }
  }

  @AfterEach
  void closeAll() {
    open.forEach(WebSocket::abort);
    open.clear();
    RunningGateway.awaiting().until(() -> gateway.bean(OpenWebSockets.class).open() == 0);
    BodyBudget bodies = gateway.bean(BodyBudget.class);
    RunningGateway.awaiting().until(() -> bodies.heldBytes() == 0 && bodies.parkedBytes() == 0);
    asked.clear();
    upstreamEnds.clear();
  }

  @AfterAll
  void stopSockets() {
    sockets.disposeNow();
  }

  /** Records the messages that a client receives, and how its WebSocket ends. */
  private static final class Ears implements WebSocket.Listener {
    final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    final StringBuilder part = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        messages.add(part.toString());
        part.setLength(0);
      }
      socket.request(1);
      return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
      messages.add("ping");
      socket.request(1);
      return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      messages.add("closed " + status + " " + reason);
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      messages.add("error " + error);
    }

    String next() throws InterruptedException {
      String message = PatientWaits.take(messages);
      return message.equals("ping") ? next() : message;
    }

    JsonNode event() throws InterruptedException {
      return JSON.readTree(next());
    }
  }

  private WebSocket open(String path, String secret, Ears ears) {
    WebSocket socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .header("x-penstock-key", secret)
            .buildAsync(
                URI.create("ws://127.0.0.1:" + gateway.port() + path + "/v1/responses"), ears)
            .join();
    open.add(socket);
    return socket;
  }

  private static String create(String model, String more) {
    return "{\"type\":\"response.create\",\"model\":\"" + model + "\"" + more + "}";
  }

  private static String input(int words) {
    return ",\"input\":\"" + "word ".repeat(words) + "\"";
  }

  private static String completed(int input, int output) {
    return "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\","
        + "\"usage\":{\"input_tokens\":%d,\"output_tokens\":%d,\"total_tokens\":%d}}}"
            .formatted(input, output, input + output);
  }

  /** Returns the tokens that the upstream's limit counts. */
  private long charged() {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find("b"))
        .pool("m", gateway.bean(Ticker.class).nanos())
        .limits()
        .getFirst()
        .limit()
        .balance(gateway.bean(Ticker.class).nanos())
        .charged();
  }

  private static void isClosed(JsonNode event) {
    assertThat(event.path("type").asString()).isEqualTo("error");
    assertThat(event.path("status").intValue()).isEqualTo(502);
  }

  private static void isError(JsonNode event, int status, String reason) {
    assertThat(event.path("type").asString()).isEqualTo("error");
    assertThat(event.path("status").intValue()).as(event.toString()).isEqualTo(status);
    assertThat(event.path("headers").path("x-penstock-reason").asString("")).isEqualTo(reason);
    assertThat(event.path("error").path("message").asString()).isNotBlank();
  }

  @Test
  void message_isACallForItself_andItsEventsPass() throws InterruptedException {
    long served = gateway.count("/ws", TicketFate.SERVED);
    Ears ears = new Ears();
    WebSocket socket = open("/ws", CLIENT_SECRET, ears);
    gateway.await("/ws", TicketFate.SERVED, served + 1);
    gateway.await("/ws", TicketFate.RUNNING, 0);
    socket.sendText(create("m", input(10)), true).join();
    assertThat(PatientWaits.take(asked)).isEqualTo(create("own-m", input(10)));
    gateway.await("/ws", TicketFate.RUNNING, 1);
    String created = "{\"type\":\"response.created\",\n\"response\":{}}";
    say(created);
    assertThat(ears.next()).isEqualTo(created.replace('\n', ' '));
    say("|" + DELTA);
    assertThat(ears.next()).isEqualTo(DELTA);
    say(completed(11, 5));
    assertThat(ears.next()).isEqualTo(completed(11, 5));
    gateway.await("/ws", TicketFate.SERVED, served + 2);
    String between = "{\"type\":\"codex.rate_limits\"}";
    say(between);
    assertThat(ears.next()).isEqualTo(between);
    socket.sendText("{\"type\":\"response.processed\",\"response_id\":\"r\"}", true).join();
    assertThat(PatientWaits.take(asked)).contains("response.processed");
    socket.sendClose(4001, "bye").join();
    RunningGateway.awaiting().until(() -> upstreamEnds.contains(4001));
  }

  @Test
  void budgetOfTheDay_isKept_andTheRestIsRefusedWithItsText() throws InterruptedException {
    PatientWaits.awaitLongDay();
    Ears ears = new Ears();
    WebSocket socket = open("/budget", "budgeted", ears);
    int used = 0;
    int refused = 0;
    for (int i = 0; i < 8; i++) {
      socket.sendText(create("m", ",\"max_output_tokens\":500" + input(2000)), true).join();
      String first = sayWhenAsked(completed(2600, 400), ears);
      if (first.contains("response.completed")) {
        used += 3000;
        gateway.await("/budget", TicketFate.RUNNING, 0);
        assertThat(charged()).as("in the upstream's tpm").isPositive().isLessThanOrEqualTo(used);
      } else {
        refused++;
        JsonNode event = JSON.readTree(first);
        isError(event, 429, "key_budget");
        assertThat(event.path("error").path("message").asString()).contains("budgeted");
        assertThat(event.path("headers").path("x-should-retry").asString()).isEqualTo("false");
      }
    }
    assertThat(used).isBetween(9000, 12_000);
    assertThat(refused).isPositive();
  }

  @Test
  void tokensOfTheMinute_areKept() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", "agent", ears);
    int used = 0;
    for (int i = 0; i < 6; i++) {
      socket.sendText(create("m", ",\"max_output_tokens\":500" + input(1000)), true).join();
      String first = sayWhenAsked(completed(1300, 200), ears);
      if (first.contains("response.completed")) {
        used += 1500;
      } else {
        isError(JSON.readTree(first), 429, "key_tpm");
      }
    }
    assertThat(used).isBetween(3000, 5000);
  }

  /** Answers the call if it comes to the upstream; returns the first message of the answer. */
  private String sayWhenAsked(String answer, Ears ears) throws InterruptedException {
    RunningGateway.awaiting().until(() -> !asked.isEmpty() || !ears.messages.isEmpty());
    if (asked.poll() != null) {
      say(answer);
    }
    return ears.next();
  }

  @Test
  void refusedMessage_isAnErrorEvent_andTheSocketStays() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", "scoped", ears);
    socket.sendText(create("other", input(1)), true).join();
    isError(ears.event(), 403, "forbidden_model");
    socket.sendText("{\"type\":\"response.creat\",\"model\":\"m\",\"input\":\"x\"}", true).join();
    isError(ears.event(), 400, "bad_request");
    socket
        .sendText(
            "{\"type\":\"response.create\",\"model\":\"m\",\"input\":\"x\",\"type\":\"a\"}", true)
        .join();
    isError(ears.event(), 400, "bad_request");
    socket.sendText("no json", true).join();
    isError(ears.event(), 400, "bad_request");
    socket.sendText(create("m", input(1)), true).join();
    assertThat(JSON.readTree(PatientWaits.take(asked)).path("max_output_tokens").intValue())
        .isEqualTo(50);
    say(completed(3, 2));
    assertThat(ears.next()).isEqualTo(completed(3, 2));
    socket.sendText(create("m", ",\"max_output_tokens\":500" + input(1)), true).join();
    JsonNode tooLarge = ears.event();
    isError(tooLarge, tooLarge.path("status").intValue(), "cost_exceeds_capacity");
    socket.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    say("{\"type\":\"response.incomplete\",\"response\":{}}");
    assertThat(ears.next()).contains("incomplete");
    gateway.await("/ws", TicketFate.RUNNING, 0);
  }

  @Test
  void oneMoreMessage_waitsForTheFirst_andAFurtherOneClosesTheSocket() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", CLIENT_SECRET, ears);
    socket.sendText(create("m", input(1)), true).join();
    socket.sendText(create("other", input(2)), true).join();
    assertThat(PatientWaits.take(asked)).contains("own-m");
    BodyBudget bodies = gateway.bean(BodyBudget.class);
    RunningGateway.awaiting().until(() -> bodies.parkedBytes() > 0);
    say(DELTA);
    assertThat(ears.next()).isEqualTo(DELTA);
    assertThat(asked).isEmpty();
    say(completed(1, 1));
    assertThat(ears.next()).isEqualTo(completed(1, 1));
    assertThat(PatientWaits.take(asked)).contains("other");
    socket.sendText(create("m", input(3)), true).join();
    socket.sendText(create("m", input(4)), true).join();
    assertThat(ears.next()).startsWith("closed 1008");
    RunningGateway.awaiting().until(() -> upstreamEnds.contains(1008));
    gateway.await("/ws", TicketFate.RUNNING, 0);
  }

  @Test
  void refusalOfAWaitingMessage_comesAfterTheAnswerBeforeIt() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", "scoped", ears);
    socket.sendText(create("m", input(1)), true).join();
    socket.sendText(create("other", input(2)), true).join();
    PatientWaits.take(asked);
    say(completed(1, 1));
    assertThat(ears.next()).isEqualTo(completed(1, 1));
    isError(ears.event(), 403, "forbidden_model");
  }

  @Test
  void messageInFrames_isPutTogether_upToTheLargestBody() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/small", CLIENT_SECRET, ears);
    String whole = create("m", input(200));
    socket.sendText(whole.substring(0, 30), false).join();
    socket.sendText(whole.substring(30, 500), false).join();
    socket.sendText(whole.substring(500), true).join();
    assertThat(PatientWaits.take(asked)).isEqualTo(whole);
    say(completed(1, 1));
    assertThat(ears.next()).isEqualTo(completed(1, 1));
    String half = "x".repeat(40_000);
    socket.sendText(create("m", ",\"input\":\"" + half).replace("}", ""), false).join();
    socket.sendText(half, false).join();
    socket.sendText("\"}", true).join();
    isError(ears.event(), 413, "body_too_large");
    socket.sendText(whole, true).join();
    assertThat(PatientWaits.take(asked)).isEqualTo(whole);
    say(completed(1, 1));
    assertThat(ears.next()).isEqualTo(completed(1, 1));
  }

  @Test
  void idleSocket_takesNoConcurrency_butItsCallsDo() throws InterruptedException {
    Ears ears = new Ears();
    Ears others = new Ears();
    WebSocket socket = open("/ws", "single", ears);
    WebSocket other = open("/ws", "single", others);
    socket.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    other.sendText(create("m", input(1)), true).join();
    isError(others.event(), 429, "key_concurrency");
    socket.abort();
    gateway.await("/ws", TicketFate.RUNNING, 0);
    other.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    say(completed(1, 1));
    assertThat(others.next()).isEqualTo(completed(1, 1));
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void errorEvents_areAnswersWithTheirStatus() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", CLIENT_SECRET, ears);
    socket.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    String bad =
        "{\"type\":\"error\",\"status\":400,\"error\":{\"code\":\"previous_response_not_found\","
            + "\"message\":\"gone\"}}";
    say(bad);
    assertThat(ears.next()).isEqualTo(bad);
    gateway.await("/ws", TicketFate.RUNNING, 0);
    socket.sendText(create("m", input(1)), true).join();
    String first = PatientWaits.take(asked);
    say(
        "{\"type\":\"error\",\"status\":429,\"error\":{\"code\":\"rate_limit_exceeded\","
            + "\"message\":\"slow down\"},\"headers\":{\"retry-after\":1,\"x-bad\":\"a\\r\\nb: c\","
            + "\"\":\"d\",\"e f\":\"g\",\"content-length\":\"3\",\"h\":{}}}");
    assertThat(PatientWaits.take(asked)).as("sent again by the gateway").isEqualTo(first);
    say(completed(1, 1));
    assertThat(ears.next()).isEqualTo(completed(1, 1));
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void upstreamThatCloses_tellsWhoWaits_andClosesTheClientWithItsCode()
      throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", CLIENT_SECRET, ears);
    socket.sendText(create("m", input(1)), true).join();
    socket.sendText(create("m", input(2)), true).join();
    PatientWaits.take(asked);
    say("close");
    isClosed(ears.event());
    isClosed(ears.event());
    assertThat(ears.next()).isEqualTo("closed 4321 enough");
    gateway.await("/ws", TicketFate.RUNNING, 0);
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void upstreamThatClosesWithinItsAnswer_closesTheClientWithItsCode() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", CLIENT_SECRET, ears);
    socket.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    say(DELTA);
    assertThat(ears.next()).isEqualTo(DELTA);
    say("close");
    assertThat(ears.next()).isEqualTo("closed 4321 enough");
    gateway.await("/ws", TicketFate.RUNNING, 0);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void clientThatVanishesWithinItsCall_leavesNothingBehind() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", CLIENT_SECRET, ears);
    socket.sendText(create("m", input(1000)), true).join();
    socket.sendText(create("m", input(1000)), true).join();
    PatientWaits.take(asked);
    say(DELTA);
    assertThat(ears.next()).isEqualTo(DELTA);
    WebSocket half = open("/ws", CLIENT_SECRET, new Ears());
    half.sendText("{\"type\":\"response.create\",", false).join();
    half.abort();
    socket.abort();
    RunningGateway.awaiting().until(() -> gateway.bean(OpenWebSockets.class).open() == 0);
    gateway.await("/ws", TicketFate.RUNNING, 0);
  }

  /** Removes a key from the route file. */
  private void revoke(String key) throws IOException {
    String routes = Files.readString(gateway.routes());
    String without = routes.replaceAll("(?m)^  - \\{name: " + key + ".*\\R", "");
    Path aside = Path.of(gateway.routes() + ".new");
    Files.writeString(aside, without);
    Files.move(aside, gateway.routes(), StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void revokedKey_hasItsRunningAnswerToTheEnd_andNoOther() throws Exception {
    Ears ears = new Ears();
    WebSocket socket = open("/ws", "revoked", ears);
    socket.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    say(DELTA);
    assertThat(ears.next()).isEqualTo(DELTA);
    revoke("revoked");
    KeyRegistry keys = gateway.bean(KeyRegistry.class);
    RunningGateway.awaiting().until(() -> keys.find("revoked") == null);
    socket.sendText(create("m", input(2)), true).join();
    say(DELTA);
    assertThat(ears.next()).isEqualTo(DELTA);
    say(completed(1, 1));
    assertThat(ears.next()).isEqualTo(completed(1, 1));
    isError(ears.event(), 401, "unauthenticated");
    assertThat(ears.next()).startsWith("closed 1008");
    assertThat(asked).isEmpty();
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void upstreamThatSaysNothing_isTold_andTheSocketEnds() throws Exception {
    Ears ears = new Ears();
    WebSocket socket = open("/silent", CLIENT_SECRET, ears);
    socket.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    JsonNode event = ears.event();
    assertThat(event.path("type").asString()).isEqualTo("error");
    assertThat(event.path("status").intValue()).as(event.toString()).isEqualTo(504);
    assertThat(ears.next()).startsWith("closed 1011");
    gateway.await("/silent", TicketFate.RUNNING, 0);
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void upstreamThatStopsWithinItsAnswer_endsTheSocket() throws Exception {
    Ears ears = new Ears();
    WebSocket socket = open("/silent", CLIENT_SECRET, ears);
    socket.sendText(create("m", input(1)), true).join();
    PatientWaits.take(asked);
    say(DELTA);
    assertThat(ears.next()).isEqualTo(DELTA);
    assertThat(ears.next()).startsWith("closed 1011");
    gateway.await("/silent", TicketFate.RUNNING, 0);
  }

  @Test
  void compression_isOfferedToNeitherSide() {
    String upgrade =
        "GET /ws/v1/responses HTTP/1.1\r\nHost: a\r\nx-penstock-key: "
            + CLIENT_SECRET
            + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13"
            + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
            + "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
    String answer;
    try (ByteSocket byteSocket = connect()) {
      answer = byteSocket.send(upgrade).head().toString();
    }
    assertThat(answer).contains(" 101 ").doesNotContainIgnoringCase("permessage");
    assertThat(offered).isNotEmpty().doesNotContain("permessage-deflate");
  }

  @Test
  void bothSidesArePinged_andAnIdleSocketOfARevokedKeyIsClosed() throws Exception {
    Ears ears = new Ears();
    open("/ws", "leaving", ears);
    revoke("leaving");
    assertThat(PatientWaits.take(pings)).isEqualTo("upstream");
    assertThat(PatientWaits.take(ears.messages)).isEqualTo("ping");
    assertThat(ears.next()).startsWith("closed 1008");
  }
}
