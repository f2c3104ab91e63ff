package io.penstock.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelOption;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.PatientWaits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/** Tests that clients with large bodies take turns on the event loop that they share. */
class ReadTurnsTest {
  private static final int BODY = 1 << 20;
  private static final int MOST_A_TURN = 64 << 10;

  /** Bytes of a body, and whose they are. */
  private record Piece(String path, int bytes) {}

  private final List<Piece> pieces = new CopyOnWriteArrayList<>();
  private final CountDownLatch bothCame = new CountDownLatch(2);
  private final CountDownLatch bothRead = new CountDownLatch(2);
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  private DisposableServer server(LoopResources loop) {
    HttpServer server =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .runOn(loop)
            .childOption(ChannelOption.SO_RCVBUF, BODY)
            .handle(
                (request, response) ->
                    request
                        .receive()
                        .asByteArray()
                        .doOnSubscribe(subscription -> bothCame.countDown())
                        .doOnNext(bytes -> pieces.add(new Piece(request.uri(), bytes.length)))
                        .doOnComplete(bothRead::countDown)
                        .then(response.send()));
    ClientConnections connections = new ClientConnections(Duration.ofMinutes(1));
    return ConnectionGuard.guard(server, connections, new Http2Faults(new FakeTicker())).bindNow();
  }

  private static SocketChannel open(DisposableServer server, String path) throws IOException {
    SocketChannel client = SocketChannel.open(server.address());
    String head = "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + BODY + "\r\n\r\n";
    client.write(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
    client.configureBlocking(false);
    return client;
  }

  /** Sends what the sockets take of a body while nobody reads; returns the rest. */
  private static ByteBuffer fill(SocketChannel client) throws IOException {
    ByteBuffer body = ByteBuffer.allocate(BODY);
    while (client.write(body) > 0) {
      assertThat(body.position()).isPositive();
    }
    return body;
  }

  private void hold() {
    held.countDown();
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the most bytes of one body that were read in a row while there was also the other. */
  private int longestRun(int eachAtLeast) {
    int longest = 0;
    int run = 0;
    String last = "";
    int first = 0;
    int second = 0;
    for (Piece piece : pieces) {
      boolean isFirst = piece.path().equals("/first");
      first += isFirst ? piece.bytes() : 0;
      second += isFirst ? 0 : piece.bytes();
      if (Math.max(first, second) > eachAtLeast) {
        break;
      }
      run = piece.path().equals(last) ? run + piece.bytes() : piece.bytes();
      last = piece.path();
      longest = Math.max(longest, run);
    }
    return longest;
  }

  @Test
  void twoLargeBodies_onOneEventLoop_areReadInTurns() throws Exception {
    LoopResources loop = LoopResources.create("turns", 1, true);
    DisposableServer server = server(loop);
    try (SocketChannel first = open(server, "/first");
        SocketChannel second = open(server, "/second")) {
      PatientWaits.await(bothCame);
      loop.onServer(true).next().execute(this::hold);
      held.await();
      ByteBuffer ofFirst = fill(first);
      ByteBuffer ofSecond = fill(second);
      int each = Math.min(ofFirst.position(), ofSecond.position());
      assertThat(each).as("bytes that wait to be read").isGreaterThan(3 * MOST_A_TURN);
      released.countDown();
      first.configureBlocking(true);
      first.write(ofFirst);
      second.configureBlocking(true);
      second.write(ofSecond);
      PatientWaits.await(bothRead);
      // one connection may be the last of a round and the first of the next
      assertThat(longestRun(each)).isPositive().isLessThanOrEqualTo(2 * MOST_A_TURN);
    } finally {
      server.disposeNow();
      loop.dispose();
    }
  }
}
