package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Tests that a connection that was upgraded takes one permit of its key, from beginning to end. */
class KeyedUpgradeIT extends HostileCase {
  private final DisposableServer sockets =
      HttpServer.create()
          .host("127.0.0.1")
          .port(0)
          .route(
              routes ->
                  routes
                      .ws("/v1/realtime", (in, out) -> out.sendString(in.receive().asString()))
                      .ws("/v1/over", (in, out) -> out.sendClose(1000, "over"))
                      .get("/v1/files", (in, out) -> out.status(200).send()))
          .bindNow();

  @Override
  String routes() {
    return """
    keys:
      - {name: one, sha256: ONE, concurrency: 1, on_limit: reject}
      - {name: waits, sha256: WAITS, concurrency: 1, on_limit: wait}
    endpoints:
      - path: /ws
        dialect: openai
        upstreams: [{id: w, url: "http://127.0.0.1:PORT", api_key: "${SECRET}"}]
    """
        .replace("PORT", "" + sockets.port())
        .replace("ONE", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("WAITS", KeyedRequestsIT.sha256("waits"));
  }

  @AfterAll
  void stopSockets() {
    sockets.disposeNow();
  }

  private CompletableFuture<WebSocket> open(String path, String secret) {
    return HttpClient.newHttpClient()
        .newWebSocketBuilder()
        .header("x-penstock-key", secret)
        .buildAsync(
            URI.create("ws://127.0.0.1:" + gateway.port() + path), new WebSocket.Listener() {});
  }

  private HttpMessage plain() {
    return ask(
        "GET /ws/v1/files HTTP/1.1\r\nHost: a\r\nx-penstock-key: "
            + CLIENT_SECRET
            + "\r\nConnection: close\r\n\r\n");
  }

  static Stream<Arguments> ends() {
    Consumer<WebSocket> closes = socket -> socket.sendClose(1000, "bye").join();
    Consumer<WebSocket> vanishes = WebSocket::abort;
    return Stream.of(
        Arguments.of("the client closes", closes), Arguments.of("the client vanishes", vanishes));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ends")
  void openSocket_holdsThePlaceOfItsKey_untilItEnds(String how, Consumer<WebSocket> end) {
    WebSocket socket = open("/ws/v1/realtime", CLIENT_SECRET).join();
    gateway.await("/ws", TicketFate.RUNNING, 1);
    refused(plain(), 429, "key_concurrency");
    assertThat(open("/ws/v1/realtime", CLIENT_SECRET)).as(how).failsWithin(PatientWaits.LONGEST);
    socket.sendText("still there", true).join();
    refused(plain(), 429, "key_concurrency");
    end.accept(socket);
    RunningGateway.awaiting().until(() -> plain().status() == 200);
  }

  @Test
  void socketThatItsUpstreamCloses_givesThePlaceBack() {
    open("/ws/v1/over", CLIENT_SECRET).join();
    RunningGateway.awaiting().until(() -> plain().status() == 200);
  }

  @Test
  void keyThatWaits_isUpgradedWhenTheSocketBeforeEnds() {
    WebSocket first = open("/ws/v1/realtime", "waits").join();
    CompletableFuture<WebSocket> second = open("/ws/v1/realtime", "waits");
    gateway.await("/ws", TicketFate.WAITING, 1);
    assertThat(second).isNotDone();
    first.abort();
    second.join().abort();
  }
}
