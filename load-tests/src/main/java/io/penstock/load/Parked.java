package io.penstock.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code 07-ten-thousand-parked}: what a request costs that waits, body and connection and all, in
 * a gateway with a heap of 512 MiB.
 */
final class Parked implements Scenario {
  private static final int MANY = 10_000;
  private static final int BEFORE = 1_000;
  private static final double GOAL_KIB = 16;
  private static final Duration LONGEST = Duration.ofMinutes(8);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** What the program has of memory, in bytes. */
  private record Memory(double heap, long other) {
    double kib(Memory before, int many) {
      return (heap - before.heap + other - before.other) / 1024 / many;
    }
  }

  @Override
  public String name() {
    return "07-ten-thousand-parked";
  }

  @Override
  public Duration longest(Settings settings) {
    return LONGEST;
  }

  private static String routes(int upstream) {
    // a slot in half an hour: the first goes, nobody else does
    return """
    keys:
      - name: load
        sha256: %s
        tpm: 900000000
    endpoints:
      - path: /waiting
        dialect: openai
        algorithm: strict
        rate: 0.0005
        max_queue_size: 20000
        upstreams: [{id: w, url: "http://127.0.0.1:%d", tpm_limit: 900000000, settle: usage}]
      - path: /load
        dialect: openai
        upstreams: [{id: o, url: "http://127.0.0.1:%d", tpm_limit: 900000000, settle: usage}]
    """
        .formatted(Penstock.sha256(Load.SECRET), upstream, upstream);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    try (Stage stage = new Stage(made, settings.jar())) {
      int upstream = stage.upstream("upstream");
      Gateway gateway = stage.penstock(Penstock.NAME, routes(upstream), List.of(Jvm.TRACKED));
      String head = "/load" + Cast.PATH;
      Peer peer = new Peer("warm-up", gateway.port(), head, "", Double.NaN, each -> true);
      OpenLoop.to(peer).run(200, Duration.ZERO, settings.warmup(10));
      leave(gateway, park(gateway, BEFORE), 0);
      Memory empty = memory(gateway);
      List<SocketChannel> clients = park(gateway, MANY);
      long waiting = gateway.operator().waiting();
      Memory full = memory(gateway);
      leave(gateway, clients, 0);
      return report(waiting, empty, full, memory(gateway));
    }
  }

  /** Sends so many requests, each on a connection of its own; all but the very first one wait. */
  private static List<SocketChannel> park(Gateway gateway, int many)
      throws IOException, InterruptedException {
    String path = "/waiting" + Cast.PATH;
    Peer peer = new Peer("parked", gateway.port(), path, "", Double.NaN, each -> true);
    byte[] request = LoadClient.http(peer.path(), Load.headers(peer), Load.BODY);
    List<SocketChannel> clients = new ArrayList<>();
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port());
    for (int at = 0; at < many; at++) {
      SocketChannel client = SocketChannel.open(address);
      clients.add(client);
      ByteBuffer bytes = ByteBuffer.wrap(request);
      while (bytes.hasRemaining()) {
        client.write(bytes);
      }
    }
    Operator operator = gateway.operator();
    Operator.await(many + " wait", PATIENCE, () -> operator.waiting() >= many - 1);
    return clients;
  }

  private static void leave(Gateway gateway, List<SocketChannel> clients, long rest)
      throws IOException, InterruptedException {
    for (SocketChannel client : clients) {
      client.close();
    }
    Operator operator = gateway.operator();
    Operator.await("nobody waits", PATIENCE, () -> operator.waiting() == rest);
  }

  private static Memory memory(Gateway gateway) throws IOException, InterruptedException {
    Jvm jvm = new Jvm(gateway);
    jvm.collect();
    double heap = gateway.operator().metric("jvm_memory_used_bytes", "area=\"heap\"");
    return new Memory(heap, jvm.otherBytes());
  }

  private Report report(long waiting, Memory empty, Memory full, Memory after) {
    double each = full.kib(empty, MANY);
    String line = "%-24s %12s %20s%n";
    StringBuilder table = new StringBuilder(line.formatted("", "heap MiB", "outside it MiB"));
    Map<String, Memory> all = new LinkedHashMap<>();
    all.put("nobody waits", empty);
    all.put("%,d wait".formatted(waiting), full);
    all.put("they have left", after);
    all.forEach(
        (when, memory) ->
            table.append(
                line.formatted(
                    when,
                    "%.1f".formatted(memory.heap() / (1 << 20)),
                    "%.1f".formatted((double) memory.other() / (1 << 20)))));
    table.append(
        "After two collections. Outside the heap: what the program asked for, pools too.\n");
    double heapKib = (full.heap() - empty.heap()) / 1024 / MANY;
    List<Figure> figures =
        List.of(
            Figure.atMost(
                "heap + direct memory per parked request, KiB",
                "–",
                GOAL_KIB,
                each,
                "%.1f: %.1f of heap, %.1f outside".formatted(each, heapKib, each - heapKib)),
            Figure.that(
                "10,000 parked in a heap of 512 MiB",
                "all wait",
                waiting >= MANY - 1,
                "%,d wait".formatted(waiting)));
    String title =
        "%s: %,d requests of %,d bytes, HTTP/1.1; %s"
            .formatted(name(), MANY, Load.BODY.length(), Machine.described());
    return new Report(title, table.toString(), figures, Map.copyOf(all), waiting >= MANY - 1);
  }
}
