package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.JavaCommand;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the memory that waiting requests take, in a gateway with a process of its own; its
 * clients are in this process.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
@Tag(TaggedTests.FULL)
class FootprintIT {
  private static final String WAITING = "/waiting/v1/chat/completions";
  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":50,\"messages\":[{\"role\":\"user\",\"content\":\""
          + "How many wait?".repeat(40)
          + "\"}]}";
  private static final String OK =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
          + "Content-Length: 2\r\n\r\n{}";

  @TempDir Path directory;

  /** The process of the gateway, which answers questions line by line. */
  private static final class Gateway implements AutoCloseable {
    private final Process process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Queue<String> log = new ConcurrentLinkedQueue<>();
    private final int port;

    Gateway(Path routes, String... flags) throws Exception {
      List<String> command = JavaCommand.gateway(FootprintProcess.class, true, "-Xmx512m");
      command.addAll(1, List.of(flags));
      command.add(routes.toString());
      command.add("--server.port=0");
      command.add("--penstock.allowed-hosts=*"); // the host of the requests is made up
      command.add("--management.server.port=" + RunningGateway.freePort());
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
      Thread.ofVirtual().start(this::read);
      port = Integer.parseInt(ask("port"));
    }

    private void read() {
      process
          .inputReader(UTF_8)
          .lines()
          .forEach(
              line -> {
                if (line.startsWith(FootprintProcess.ANSWER)) {
                  answers.add(line.substring(FootprintProcess.ANSWER.length()));
                } else {
                  log.add(line);
                }
              });
    }

    String ask(String question) throws Exception {
      process.outputWriter(UTF_8).append(question).append('\n').flush();
      PatientWaits.await("answer to " + question)
          .failFast(() -> assertThat(process.isAlive()).as("lives; log: %s", log).isTrue())
          .until(() -> !answers.isEmpty());
      return answers.remove();
    }

    long[] totals() throws Exception {
      return Arrays.stream(ask("totals").split(" ")).mapToLong(Long::parseLong).toArray();
    }

    @Override
    public void close() throws IOException {
      process.outputWriter(UTF_8).close();
      PatientWaits.end(process, () -> log);
      process.destroyForcibly();
    }
  }

  private Path routes(RawUpstream upstream) throws IOException {
    return Files.writeString(
        directory.resolve("routes.yaml"),
        """
        endpoints:
          - path: /waiting
            dialect: openai
            algorithm: strict
            rate: 0.0005
            max_queue_size: 20000
            upstreams: [{id: w, url: "%1$s", tpm_limit: 100000000, otpm: 100000000}]
          - path: /open
            dialect: openai
            upstreams: [{id: o, url: "%1$s"}]
        """
            .formatted(upstream.url()));
  }

  private static SocketChannel connect(int port) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    SocketChannel channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return channel;
  }

  private static List<SocketChannel> park(Gateway gateway, int many) throws Exception {
    byte[] request = ByteSocket.request("POST", WAITING, ASK).getBytes(UTF_8);
    List<SocketChannel> clients = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      SocketChannel client = connect(gateway.port);
      client.write(ByteBuffer.wrap(request));
      clients.add(client);
    }
    awaitTotals(gateway, totals -> totals[0] == many);
    return clients;
  }

  private interface Condition {
    boolean holds(long[] totals);
  }

  private static void awaitTotals(Gateway gateway, Condition condition) {
    RunningGateway.awaiting().until(() -> condition.holds(gateway.totals()));
  }

  private static void serve(Gateway gateway, String path, int times) {
    for (int i = 0; i < times; i++) {
      try (ByteSocket byteSocket = ByteSocket.to(gateway.port)) {
        assertThat(byteSocket.post(path, ASK).answer().status()).isEqualTo(200);
      }
    }
  }

  private static void leave(List<SocketChannel> clients) throws IOException {
    for (SocketChannel client : clients) {
      client.close();
    }
  }

  @Test
  void tenThousandWaiting_fitInHalfAGigabyteAndLeaveNothing() throws Exception {
    int many = 10_000;
    var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    assertThat(system.getMaxFileDescriptorCount()).as("ulimit -n").isGreaterThan(many + 500);
    try (RawUpstream upstream = RawUpstream.start(RawUpstream.answering(OK));
        Gateway gateway = new Gateway(routes(upstream))) {
      serve(gateway, WAITING, 1);
      serve(gateway, "/open/v1/chat/completions", 200);
      long before = Long.parseLong(gateway.ask("heap"));
      List<SocketChannel> clients = park(gateway, many);
      long with = Long.parseLong(gateway.ask("heap"));
      long[] parked = gateway.totals();
      assertThat(parked[0]).as("waiting").isEqualTo(many);
      assertThat(parked[3]).as("tokens waiting").isPositive();
      assertThat(parked[4]).as("bytes waiting").isEqualTo((long) many * ASK.length());
      assertThat(parked[5]).as("bytes of bodies").isEqualTo((long) many * ASK.length());
      long each = (with - before) / many;
      System.out.printf(
          "a parked request: %,d bytes of heap, %d of them body%n", each, ASK.length());
      assertThat(each).as("heap of a parked request").isLessThan(24_000);
      leave(clients);
      awaitTotals(gateway, totals -> totals[2] == many);
      awaitTotals(gateway, totals -> Arrays.equals(totals, new long[] {0, 0, many, 0, 0, 0, 0}));
      long after = Long.parseLong(gateway.ask("heap"));
      System.out.printf("and when all have left: %,d bytes%n", (after - before) / many);
      assertThat((after - before) / many).as("heap of one that left").isLessThan(2_000);
      assertThat(gateway.log).noneMatch(line -> line.contains("Exception"));
    }
  }

  @Test
  void thousandWaitingUnderParanoidLeakDetection_leakNothing() throws Exception {
    try (RawUpstream upstream = RawUpstream.start(RawUpstream.answering(OK));
        Gateway gateway =
            new Gateway(routes(upstream), "-Dio.netty.leakDetection.level=paranoid")) {
      serve(gateway, WAITING, 1);
      List<SocketChannel> clients = park(gateway, 1_000);
      for (int i = 0; i < 50; i++) {
        clients.add(halfOfABody(gateway, i % 2 == 0));
      }
      serve(gateway, "/open/v1/chat/completions", 50);
      leave(clients);
      awaitTotals(gateway, totals -> totals[0] == 0 && totals[5] == 0);
      // a leak is reported when the leaked buffer was collected and the next buffers are allocated
      for (int i = 0; i < 3; i++) {
        gateway.ask("gc");
        serve(gateway, "/open/v1/chat/completions", 50);
      }
      assertThat(gateway.log).noneMatch(line -> line.contains("LEAK"));
      for (int i = 0; i < 20; i++) {
        gateway.ask("leak");
      }
      gateway.ask("gc");
      serve(gateway, "/open/v1/chat/completions", 50);
      RunningGateway.awaiting()
          .until(() -> gateway.log.stream().anyMatch(line -> line.contains("LEAK")));
    }
  }

  private static SocketChannel halfOfABody(Gateway gateway, boolean weighed) throws IOException {
    SocketChannel client = connect(gateway.port);
    String whole =
        ByteSocket.request(
            "POST", weighed ? WAITING : "/open/v1/files", ASK.repeat(weighed ? 1 : 100));
    client.write(ByteBuffer.wrap(whole.substring(0, whole.length() - 100).getBytes(UTF_8)));
    return client;
  }
}
