package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.WebsocketServerSpec;
import reactor.netty.http.websocket.WebsocketInbound;
import reactor.netty.http.websocket.WebsocketOutbound;

/**
 * Tests that a WebSocket is passed through unchanged, and counts as one request for all its life.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class UpgradeIT extends HostileCase {
  private static final String REFUSAL = "{\"error\":\"" + "x".repeat(20_000) + "\"}";

  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
  private final DisposableServer sockets =
      HttpServer.create()
          .host("127.0.0.1")
          .port(0)
          .route(
              routes ->
                  routes
                      .get(
                          "/v1/realtime",
                          (request, response) -> {
                            seen.add(
                                request.uri()
                                    + " "
                                    + request.requestHeaders().get("authorization")
                                    + " "
                                    + request.requestHeaders().get("openai-beta"));
                            return response.sendWebsocket(
                                this::serve,
                                WebsocketServerSpec.builder().protocols("realtime,other").build());
                          })
                      .get("/v1/denied", (request, response) -> response.status(403).send())
                      .get(
                          "/v1/spoken",
                          (request, response) ->
                              response
                                  .status(401)
                                  .header("Content-Type", "application/json")
                                  .header("x-says", "no")
                                  .sendString(Mono.just(REFUSAL))))
          .bindNow();

  @Override
  String routes() {
    return """
    endpoints:
      - path: /ws
        dialect: openai
        upstreams:
          - {id: w, url: "http://127.0.0.1:PORT", api_key: "${SECRET}", rpm_limit: 100}
      - path: /raw
        dialect: openai
        upstreams: [{id: r, url: "%1$s", api_key: "${SECRET}"}]
      - path: /never
        dialect: openai
        upgrade: refuse
        upstreams: [{id: n, url: "%1$s", api_key: "${SECRET}"}]
      - path: /metered
        dialect: openai
        algorithm: token_window
        tokens_per_window: 100000
        window_seconds: 36000
        upstreams: [{id: m, url: "http://127.0.0.1:PORT", api_key: "${SECRET}"}]
      - path: /closed
        dialect: openai
        upstreams: [{id: c, url: "http://127.0.0.1:1"}]
    """
        .replace("PORT", "" + sockets.port());
  }

  @AfterAll
  void stopSockets() {
    sockets.disposeNow();
  }

  /**
   * Serves a WebSocket that echoes, records how it was closed, and closes when a message asks for
   * it.
   */
  private Mono<Void> serve(WebsocketInbound in, WebsocketOutbound out) {
    in.receiveCloseStatus().map(WebSocketCloseStatus::code).subscribe(closed::add);
    Flux<String> texts = in.aggregateFrames(1 << 20).receive().asString();
    return texts
        .filter(text -> !text.isEmpty()) // the answer to a ping
        .concatMap(
            text ->
                text.startsWith("close")
                    ? out.sendClose(4321, "enough")
                    : text.startsWith("{")
                        ? said(out, text)
                        : out.sendString(Mono.just("echo " + text)).then())
        .then();
  }

  /** Sends a message in two frames with a ping between them. */
  private static Mono<Void> said(WebsocketOutbound out, String text) {
    int half = text.length() / 2;
    return out.sendObject(
            Flux.just(
                new TextWebSocketFrame(false, 0, text.substring(0, half)),
                new PingWebSocketFrame(),
                new ContinuationWebSocketFrame(true, 0, text.substring(half))))
        .then();
  }

  /** Returns the tokens that are charged to the endpoint. */
  private long charged() {
    return gateway
        .endpoint("/metered")
        .limits()
        .getFirst()
        .limit()
        .balance(gateway.bean(Ticker.class).nanos())
        .charged();
  }

  @Test
  void usageThatASessionStates_isChargedToTheEndpoint_andAddedUp() throws InterruptedException {
    Ears ears = new Ears();
    WebSocket socket = open("/metered/v1/realtime?model=m", ears);
    PatientWaits.take(seen);
    String done =
        "{\"type\":\"response.done\",\"response\":{\"usage\":{\"total_tokens\":250,"
            + "\"input_tokens\":200,\"output_tokens\":50,"
            + "\"input_token_details\":{\"cached_tokens\":100}},\"id\":\"r\"}}";
    for (String text :
        new String[] {
          done, "{\"type\":\"response.created\",\"response\":{\"usage\":null}}", done
        }) {
      socket.sendText(text, true).join();
      assertThat(ears.next()).isEqualTo(text);
    }
    // a window takes running output once for each of its sixty parts
    RunningGateway.awaiting().until(() -> charged() >= 50);
    socket.sendClose(1000, "bye").join();
    PatientWaits.take(closed);
    gateway.await("/metered", TicketFate.RUNNING, 0);
    RunningGateway.awaiting().until(() -> charged() == 500);
    Ears others = new Ears();
    WebSocket cut = open("/metered/v1/realtime?model=m", others);
    PatientWaits.take(seen);
    cut.sendText(done, true).join();
    assertThat(others.next()).isEqualTo(done);
    cut.abort();
    RunningGateway.awaiting().until(() -> charged() == 750);
    PatientWaits.take(closed);
    gateway.await("/metered", TicketFate.RUNNING, 0);
  }

  /** Records the messages that a client receives. */
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
    public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
      messages.add("pong");
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
      messages.add("error");
    }

    String next() throws InterruptedException {
      return PatientWaits.take(messages);
    }
  }

  private WebSocket open(String path, Ears ears) {
    return HttpClient.newHttpClient()
        .newWebSocketBuilder()
        .header("Authorization", "Bearer " + CLIENT_SECRET)
        .header("OpenAI-Beta", "realtime=v1")
        .subprotocols("realtime", "unknown")
        .buildAsync(URI.create("ws://127.0.0.1:" + gateway.port() + path), ears)
        .join();
  }

  @Test
  void framesPassBothWays_andCloseIsPassedOn() throws InterruptedException {
    long before = gateway.count("/ws", TicketFate.SERVED);
    Ears ears = new Ears();
    WebSocket socket = open("/ws/v1/realtime?model=m", ears);
    assertThat(socket.getSubprotocol()).isEqualTo("realtime");
    assertThat(PatientWaits.take(seen))
        .isEqualTo("/v1/realtime?model=m Bearer " + UPSTREAM_SECRET + " realtime=v1");
    gateway.await("/ws", TicketFate.RUNNING, 1);
    socket.sendText("hello", true).join();
    assertThat(ears.next()).isEqualTo("echo hello");
    String large = "x".repeat(200_000);
    socket.sendText(large, true).join();
    assertThat(ears.next()).isEqualTo("echo " + large);
    socket.sendPing(ByteBuffer.allocate(0)).join();
    assertThat(ears.next()).isEqualTo("pong");
    socket.sendClose(4001, "bye").join();
    assertThat(PatientWaits.take(closed)).isEqualTo(4001);
    gateway.await("/ws", TicketFate.SERVED, before + 1);
  }

  @Test
  void closeOfTheUpstream_closesTheClient() throws InterruptedException {
    long before = gateway.count("/ws", TicketFate.SERVED);
    Ears ears = new Ears();
    WebSocket socket = open("/ws/v1/realtime", ears);
    PatientWaits.take(seen);
    socket.sendText("close", true).join();
    assertThat(ears.next()).isEqualTo("closed 4321 enough");
    PatientWaits.take(closed);
    gateway.await("/ws", TicketFate.SERVED, before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void clientThatVanishes_closesTheUpstream() throws InterruptedException {
    long offered = gateway.count("/ws", TicketFate.OFFERED);
    Ears ears = new Ears();
    WebSocket socket = open("/ws/v1/realtime", ears);
    PatientWaits.take(seen);
    gateway.await("/ws", TicketFate.RUNNING, 1);
    socket.abort();
    gateway.await("/ws", TicketFate.RUNNING, 0);
    PatientWaits.take(closed);
    assertThat(gateway.count("/ws", TicketFate.OFFERED)).isEqualTo(offered + 1);
  }

  /** Returns the status with which an upgrade is refused. */
  private int refused(String path) {
    try {
      open(path, new Ears());
      throw new AssertionError("it was upgraded");
    } catch (CompletionException failed) {
      return failed.getCause() instanceof WebSocketHandshakeException refusal
          ? refusal.getResponse().statusCode()
          : -1;
    }
  }

  @Test
  void refusalOfTheUpstream_keepsItsStatus() {
    assertThat(refused("/ws/v1/denied")).isEqualTo(403);
  }

  /** Returns the answer to an upgrade that is refused. */
  private HttpMessage spoken(String path) {
    return ask(
        "GET "
            + path
            + " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  }

  @Test
  void refusalOfTheUpstream_keepsWhatItSays() {
    HttpMessage answer = spoken("/ws/v1/spoken");
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.header("content-type")).isEqualTo("application/json");
    assertThat(answer.header("x-says")).isEqualTo("no");
    assertThat(answer.header("x-penstock-upstream")).isEqualTo("w");
    assertThat(answer.all("x-request-id")).hasSize(1);
    assertThat(answer.text()).isEqualTo(REFUSAL);
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @CsvSource({"65536, 65536", "65537, 0"})
  void refusalThatIsVeryLong_isOnlyItsStatus(int bytes, int passed) throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 403 X\r\nContent-Length: " + bytes + "\r\n\r\n" + "x".repeat(bytes)));
    HttpMessage answer = spoken("/raw/v1/realtime");
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.body()).hasSize(passed);
    upstream.received();
  }

  @Test
  void endpointThatPassesNoUpgrades_is426() {
    assertThat(refused("/never/v1/realtime")).isEqualTo(426);
  }

  @Test
  void upstreamThatIsNotThere_is502() {
    assertThat(refused("/closed/v1/realtime")).isEqualTo(502);
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void upstreamThatIgnoresTheUpgrade_hasItsAnswerPassedOn() throws InterruptedException {
    upstream.script(RawUpstream.answering(OK));
    assertThat(refused("/raw/v1/realtime")).isEqualTo(200);
    upstream.received();
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void ignoredUpgradeWithALongAnswer_is502() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 X\r\nContent-Length: 65537\r\n\r\n" + "x".repeat(65_537)));
    HttpMessage answer = spoken("/raw/v1/realtime");
    refused(answer, 502, "upstream_unreachable");
    assertThat(answer.text()).contains("the upstream did not become a WebSocket");
    upstream.received();
    upstream.received(); // it is sent once more, as after every call without an answer
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @CsvSource({"200, 502", "403, 403"})
  void answerToAnUpgradeThatNeverEnds_isAwaitedNoLongerThanItIsKept(int status, int answered)
      throws InterruptedException {
    upstream.script(
        (server, byteSocket) -> {
          server.read(byteSocket);
          byteSocket.send("HTTP/1.1 " + status + " X\r\nTransfer-Encoding: chunked\r\n\r\n");
          byteSocket.chunk("x".repeat(65_537));
          byteSocket.take(1); // until the gateway closes the connection
        });
    assertThat(spoken("/raw/v1/realtime").status()).isEqualTo(answered);
    upstream.received();
    if (answered == 502) {
      upstream.received(); // it is sent once more
    }
  }
}
