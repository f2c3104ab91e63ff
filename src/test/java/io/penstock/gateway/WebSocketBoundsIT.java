package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.request.OpenWebSockets;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Tests that WebSockets are bounded in number, in all and for each key, and are closed when idle.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class WebSocketBoundsIT extends HostileCase {
  private static final String SECOND = "second-secret";
  private static final String THIRD = "third-secret";
  private static final long IDLE_MILLIS = 10_000;
  private static final int MOST = 5;
  private static final int MOST_OF_KEY = 2;

  private final List<WebSocket> open = new ArrayList<>();
  private int opened;
  private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> upstreamEnds = new LinkedBlockingQueue<>();
  private final DisposableServer sockets =
      HttpServer.create()
          .host("127.0.0.1")
          .port(0)
          .route(
              routes ->
                  routes.ws(
                      "/v1/realtime",
                      (in, out) -> {
                        in.receiveCloseStatus()
                            .subscribe(status -> upstreamEnds.add(status.code()));
                        return out.sendString(in.receive().asString());
                      }))
          .bindNow();

  @Override
  String routes() {
    return """
    keys:
      - {name: first, sha256: FIRST}
      - {name: second, sha256: SECOND}
      - {name: third, sha256: THIRD}
    endpoints:
      - path: /ws
        dialect: openai
        upstreams: [{id: w, url: "http://127.0.0.1:PORT", api_key: "${SECRET}"}]
      - path: /plain
        dialect: openai
        upstreams: [{id: p, url: "%1$s", api_key: "${SECRET}"}]
    """
        .replace("PORT", "" + sockets.port())
        .replace("FIRST", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("SECOND", KeyedRequestsIT.sha256(SECOND))
        .replace("THIRD", KeyedRequestsIT.sha256(THIRD));
  }

  @Override
  String[] arguments() {
    return new String[] {
      "--penstock.websockets.idle-timeout=" + IDLE_MILLIS + "ms",
      "--penstock.websockets.max-open=" + MOST,
      "--penstock.websockets.tenant-share=0.5"
    };
  }

  @AfterAll
  void stopSockets() {
    sockets.disposeNow();
  }

  @AfterEach
  void closeAll() {
    open.forEach(WebSocket::abort);
    open.clear();
    RunningGateway.awaiting().until(() -> bounds().open() == 0);
    RunningGateway.awaiting().until(() -> upstreamEnds.size() == opened);
    upstreamEnds.clear();
    ends.clear();
    opened = 0;
  }

  private OpenWebSockets bounds() {
    return gateway.bean(OpenWebSockets.class);
  }

  /** Notes how a WebSocket ends. */
  private final class Listener implements WebSocket.Listener {
    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      ends.add("client " + status + " " + reason);
      return CompletableFuture.completedStage(null);
    }
  }

  private WebSocket open(String secret) {
    WebSocket socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .header("x-penstock-key", secret)
            .buildAsync(
                URI.create("ws://127.0.0.1:" + gateway.port() + "/ws/v1/realtime"), new Listener())
            .join();
    open.add(socket);
    opened++;
    return socket;
  }

  private HttpMessage upgrade(String path, String secret) {
    return ask(
        ("GET %s/v1/realtime HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            .formatted(path, secret));
  }

  @Test
  void keyWithItsShareOfWebSockets_getsNoMore_andOthersDo() {
    for (int each = 0; each < MOST_OF_KEY; each++) {
      open(CLIENT_SECRET);
    }
    HttpMessage answer = upgrade("/ws", CLIENT_SECRET);
    refused(answer, 429, "too_many_websockets");
    assertThat(answer.text())
        .contains("this client has 2 open WebSockets, the most that it may have");
    open(SECOND);
    assertThat(bounds().open()).isEqualTo(MOST_OF_KEY + 1);
    open.getFirst().abort();
    RunningGateway.awaiting().until(() -> bounds().open() == MOST_OF_KEY);
    open(CLIENT_SECRET);
  }

  @Test
  void webSocketsOfAllKeys_areBoundedToo() {
    for (String secret : List.of(CLIENT_SECRET, CLIENT_SECRET, SECOND, SECOND, THIRD)) {
      open(secret);
    }
    assertThat(bounds().open()).isEqualTo(MOST);
    HttpMessage answer = upgrade("/ws", THIRD);
    refused(answer, 429, "too_many_websockets");
    assertThat(answer.text()).contains("there are 5 open WebSockets, the most that there may be");
  }

  @Test
  void upgradesThatAreNotMade_keepNoPlace() {
    upstream.script(RawUpstream.answering(OK));
    for (int each = 0; each < 2 * MOST; each++) {
      assertThat(upgrade("/plain", CLIENT_SECRET).status()).isEqualTo(200);
    }
    RunningGateway.awaiting().until(() -> bounds().open() == 0);
    upstream.drain();
  }

  @Test
  void webSocketOnWhichNothingPasses_isClosedOnBothSides() throws InterruptedException {
    long served = gateway.count("/ws", TicketFate.SERVED);
    open(CLIENT_SECRET);
    assertThat(PatientWaits.take(ends)).isEqualTo("client 1001 nothing was sent for too long");
    Integer atUpstream = PatientWaits.take(upstreamEnds);
    opened--;
    assertThat(atUpstream).isEqualTo(1001);
    gateway.await("/ws", TicketFate.SERVED, served + 1);
  }

  @Test
  void webSocketOnWhichSomethingPasses_staysOpen() {
    WebSocket socket = open(CLIENT_SECRET);
    AtomicInteger times = new AtomicInteger();
    RunningGateway.awaiting()
        .pollInterval(Duration.ofMillis(IDLE_MILLIS / 5))
        .until(
            () -> {
              socket.sendText("still here", true).join();
              return times.incrementAndGet() == 8;
            });
    assertThat(ends).isEmpty();
    assertThat(bounds().open()).isOne();
  }
}
