package io.penstock.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GatewayFleet;
import io.penstock.fake.HttpMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures the cost of clients that wait at an object of the coordination API, in a process of its
 * own.
 */
@Isolated("measures")
@Timeout(300)
class CoordinationFigures {
  private static final int WAITERS = 10_000;
  private static final Duration LOOK = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private final FigureTable figureTable = new FigureTable();

  private static HttpMessage get(int port, String target) {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket
          .send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .answer();
    }
  }

  @Test
  void thoseWhoWait_costNothing() throws Exception {
    List<SocketChannel> waiting = new ArrayList<>();
    try (GatewayFleet fleet =
        new GatewayFleet(
            directory,
            1,
            "endpoints: [{path: /a}]",
            Duration.ofMinutes(1),
            "--penstock.coordination.tenant-share=1",
            "--penstock.coordination.enabled=true")) {
      int port = fleet.port(0);
      for (int i = 0; i < WAITERS; i++) {
        SocketChannel client =
            SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        client.write(
            ByteBuffer.wrap(
                "GET /v1/barrier/b/wait?size=10001 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    .getBytes(US_ASCII)));
        waiting.add(client);
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> get(port, "/v1/barrier/b/stats").text().contains("\"waiting\":10000,"));
      assertThat(get(port, "/v1/barrier/b/wait?size=10001").status()).isEqualTo(204);
      for (SocketChannel client : waiting) {
        client.read(ByteBuffer.allocate(1_000));
        client.write(
            ByteBuffer.wrap(
                "GET /v1/event/e/wait HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII)));
      }
      pass(Duration.ofSeconds(10)); // until compilation and garbage collection have settled
      Duration before = fleet.ran(0);
      pass(LOOK);
      double share = (double) fleet.ran(0).minus(before).toMillis() / LOOK.toMillis();
      figureTable.add(
          "CPU of a gateway in which 10,000 wait: less than 2 %",
          share < 0.02, "%.2f %%".formatted(share * 100));
    } finally {
      for (SocketChannel each : waiting) {
        each.close();
      }
    }
    System.out.println("\n" + figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }

  private static void pass(Duration time) throws InterruptedException {
    assertThat(new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
  }
}
