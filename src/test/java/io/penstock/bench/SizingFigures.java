package io.penstock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GatewayFleet;
import io.penstock.fake.RepeatingClients;
import io.penstock.fake.RollingLoad;
import io.penstock.fake.RunningGateway;
import io.penstock.time.Ticker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures the needs of one gateway: memory by the number of waiting requests, and CPU time for
 * each request.
 */
@Isolated("measures")
class SizingFigures {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long WARM_SECONDS = 15;
  private static final long SECONDS = 15;
  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":50,\"messages\":[{\"role\":\"user\",\"content\":\""
          + "How many wait?".repeat(40)
          + "\"}]}";

  @TempDir private Path directory;

  private final FigureTable figureTable = new FigureTable();
  private final Ticker ticker = Ticker.system();

  private void last(long seconds) {
    long until = ticker.nanos() + seconds * 1_000_000_000L;
    Awaitility.await()
        .atMost(Duration.ofSeconds(seconds + 60))
        .until(() -> ticker.nanos() >= until);
  }

  private static String mebibytes(GatewayFleet fleet) throws Exception {
    return "%,d MiB".formatted(fleet.residentBytes(0) >> 20);
  }

  @Test
  @Timeout(300)
  void memory_ofRequestsThatWait() throws Exception {
    int operatorPort = RunningGateway.freePort();
    try (RollingLoad load = new RollingLoad();
        GatewayFleet fleet =
            new GatewayFleet(
                directory,
                1,
                load.routes() + parked(load),
                MINUTE,
                "--management.server.port=" + operatorPort,
                "--penstock.allowed-hosts=*")) {
      figureTable.add("resident, at rest", true, mebibytes(fleet));
      List<SocketChannel> clients = new ArrayList<>();
      for (int many : new int[] {1_000, 10_000}) {
        park(fleet.port(0), clients, many);
        awaitParked(operatorPort, many - 1); // the first one was released
        last(5);
        figureTable.add("resident, %,d wait".formatted(many), true, mebibytes(fleet));
      }
      for (SocketChannel client : clients) {
        client.close();
      }
      System.out.println(figureTable);
    }
  }

  private static String parked(RollingLoad load) {
    return """
      - path: /parked
        dialect: openai
        algorithm: strict
        rate: 0.0005
        max_queue_size: 20000
        upstreams: [{id: p, url: "%s", tpm_limit: 100000000, otpm: 100000000}]
    """
        .formatted(load.url());
  }

  private static void park(int port, List<SocketChannel> clients, int until) throws Exception {
    byte[] request = ByteSocket.request("POST", "/parked/v1/chat/completions", ASK).getBytes(UTF_8);
    while (clients.size() < until) {
      SocketChannel client =
          SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      clients.add(client);
      client.write(ByteBuffer.wrap(request));
    }
  }

  private static void awaitParked(int operatorPort, int many) {
    String asks = "GET /endpoints?path=/parked HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    Awaitility.await()
        .atMost(MINUTE)
        .until(
            () -> {
              try (ByteSocket byteSocket = ByteSocket.to(operatorPort)) {
                return byteSocket.send(asks).answer().text().contains("\"queue_depth\":" + many);
              }
            });
  }

  @Test
  @Timeout(600)
  void processor_ofRequests() throws Exception {
    try (RollingLoad load = new RollingLoad();
        GatewayFleet fleet = new GatewayFleet(directory, 1, load.routes(), MINUTE)) {
      figureTable.add("chat, answered in 100 ms", true, cost(fleet, load.shortQuestion(), 64));
      figureTable.add(
          "stream of 30 events in 3 s", true, cost(fleet, load.streamQuestion(30), 300));
      System.out.println(figureTable);
    }
  }

  private String cost(GatewayFleet fleet, RepeatingClients.Question question, int many)
      throws Exception {
    try (RepeatingClients repeatingClients = new RepeatingClients(fleet.port(0))) {
      repeatingClients.ask(many, question);
      last(WARM_SECONDS);
      int asked = repeatingClients.asked().size();
      Duration ran = fleet.ran(0);
      last(SECONDS);
      double requests = repeatingClients.asked().size() - asked;
      double millis = fleet.ran(0).minus(ran).toNanos() / 1e6;
      repeatingClients.finish(Duration.ofSeconds(60));
      assertThat(repeatingClients.asked()).allMatch(RepeatingClients.Asked::good);
      return "%,.0f a second, %.2f ms of a processor each: %,.0f a second would fill one"
          .formatted(requests / SECONDS, millis / requests, 1_000 * requests / millis);
    }
  }
}
