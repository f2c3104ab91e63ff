package io.penstock.shares;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.FaultProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.ProgramProcess;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RepeatingClients;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Three gateways in processes of their own that share limits through one Redis, each by a proxy of
 * its own; clients that always send; and an upstream that notes when each request arrives.
 */
final class FaultyFleet implements AutoCloseable {
  /** A limit that binds all the time. */
  enum Limit {
    WINDOW("limit:endpoint:%2Fwindow#requests:10000", 300, 10),
    MINUTE("ratelimit:u:*#requests:60000", 1_200, 60);

    /** Its name at {@code GET /sharing}. */
    private final String id;

    private final long capacity;
    private final int seconds;

    Limit(String id, long capacity, int seconds) {
      this.id = id;
      this.capacity = capacity;
      this.seconds = seconds;
    }

    long capacity() {
      return capacity;
    }

    int seconds() {
      return seconds;
    }
  }

  private record Arrival(Limit limit, long nanos) {}

  static final int LEASE_SECONDS = 12;

  static final int SIZE = 3;
  private static final int[] EVEN = {6, 6, 6};
  private static final int[] SKEWED = {18, 1, 1};
  private static final JsonMapper JSON = new JsonMapper();
  private static final String FILL =
      "for i = 1, 30000 do redis.call('SET', 'filler:' .. i, string.rep('x', 1000)) end";
  private static final String EMPTY = "for i = 1, 30000 do redis.call('DEL', 'filler:' .. i) end";
  private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

  private final Ticker ticker = Ticker.system();
  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final RawUpstream upstream = RawUpstream.start((self, byteSocket) -> serve(byteSocket));
  private final RedisServer redis =
      RedisServer.started(
          "user app on >secret ~* &* +@all", "rdbcompression no", "key-load-delay 300");
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<ProgramProcess> gateways = new ArrayList<>();
  private final List<RepeatingClients> clients = new ArrayList<>();
  private final Path routes;
  private int[] load = {};
  private @Nullable ByteSocket crowd;
  private @Nullable ProgramProcess newcomer;

  FaultyFleet(Path directory) throws IOException {
    routes = Files.writeString(directory.resolve("routes.yaml"), routes());
    for (int i = 0; i < SIZE; i++) {
      proxies.add(new FaultProxy(redis.port()));
      gateways.add(new ProgramProcess(routes, properties(i)));
    }
  }

  private String routes() {
    return """
    endpoints:
      - path: /window
        algorithm: sliding_window
        rate: %d
        window_seconds: %d
        strip_prefix: false
        upstreams: [{id: w, url: "%s", rpd: 1000000}]
      - path: /minute
        strip_prefix: false
        upstreams: [{id: u, url: "%s", rpm: %d, rpd: 1000000}]
    """
        .formatted(
            Limit.WINDOW.capacity() / Limit.WINDOW.seconds(),
            Limit.WINDOW.seconds(),
            upstream.url(),
            upstream.url(),
            Limit.MINUTE.capacity());
  }

  private String[] properties(int gateway) {
    return new String[] {
      "--penstock.redis.url=redis://app:secret@127.0.0.1:" + proxies.get(gateway).port(),
      "--penstock.redis.lease=" + LEASE_SECONDS + "s"
    };
  }

  /** Serves a connection until it is closed, which ends it by an exception. */
  private void serve(ByteSocket byteSocket) {
    while (true) {
      String target = byteSocket.request().target();
      arrivals.add(
          new Arrival(target.startsWith("/window") ? Limit.WINDOW : Limit.MINUTE, ticker.nanos()));
      byteSocket.send(ANSWER);
    }
  }

  /**
   * Lets one gateway have nine tenths of all clients, or each as many as the others; returns
   * whether that is another load than before.
   */
  boolean load(boolean skewed) {
    int[] next = skewed ? SKEWED : EVEN;
    if (Arrays.equals(load, next)) {
      return false;
    }
    load = next;
    clients.forEach(RepeatingClients::close);
    clients.clear();
    for (int i = 0; i < SIZE; i++) {
      clients.add(clients(i));
    }
    return true;
  }

  private RepeatingClients clients(int gateway) {
    RepeatingClients many = new RepeatingClients(gateways.get(gateway).port());
    for (String path : List.of("/window", "/minute")) {
      many.ask(load[gateway], new RepeatingClients.Question(path, path, "", "{}"::equals));
    }
    return many;
  }

  RedisServer redis() {
    return redis;
  }

  /** Fills Redis, so that it loads its data for about ten seconds when it starts. */
  void fill() {
    redis.command("EVAL", FILL, "0");
  }

  /** Waits until Redis has loaded its data, and removes what filled it. */
  void empty() {
    PatientWaits.await().until(() -> redis.command("PING").equals("+PONG"));
    redis.command("EVAL", EMPTY, "0");
  }

  /** Keeps all gateways from connecting to Redis: it takes one connection, and this one has it. */
  void crowd() {
    crowd = ByteSocket.to(redis.port());
    crowd.send("CONFIG SET maxclients 1\r\nCLIENT KILL TYPE normal\r\nCLIENT KILL TYPE pubsub\r\n");
  }

  void makeRoom() {
    Objects.requireNonNull(crowd).send("CONFIG SET maxclients 1000\r\nQUIT\r\n").awaitEnd();
  }

  FaultProxy proxy(int gateway) {
    return proxies.get(gateway);
  }

  ProgramProcess gateway(int gateway) {
    return gateways.get(gateway);
  }

  /** Kills a gateway under load. */
  void kill(int gateway) {
    gateways.get(gateway).close();
    clients.get(gateway).close();
  }

  /** Starts another gateway in the place of one that was killed. */
  void replace(int gateway) throws IOException {
    gateways.set(gateway, new ProgramProcess(routes, properties(gateway)));
    clients.set(gateway, clients(gateway));
  }

  /** Starts one more gateway, without clients; returns once it says whether it is ready. */
  void add() throws IOException {
    newcomer = ProgramProcess.answering(routes, properties(0));
  }

  /** Returns whether the gateway that was added is ready. */
  boolean isNewcomerReady() {
    return Objects.requireNonNull(newcomer).readiness() == 200;
  }

  /** Waits until the gateway that was added is ready, and stops it. */
  void remove() {
    PatientWaits.await().until(this::isNewcomerReady);
    Objects.requireNonNull(newcomer).terminate();
    newcomer.endsWell();
  }

  /** Returns the share of a limit that each gateway holds. */
  long[] held(Limit limit) {
    String query = "?limit=" + URLEncoder.encode(limit.id, StandardCharsets.UTF_8);
    return gateways.stream()
        .mapToLong(each -> sharing(each, query).path("share").asLong())
        .toArray();
  }

  /** Waits until Redis has answered all gateways after an instant, and gives them shares. */
  void awaitSettled(Instant since) {
    PatientWaits.await()
        .until(() -> gateways.stream().allMatch(each -> isSettled(sharing(each, ""), since)));
  }

  private static boolean isSettled(JsonNode sharing, Instant since) {
    JsonNode slot = sharing.path(0);
    return Instant.parse(slot.path("answered_at").asString()).isAfter(since)
        && slot.path("settled").asBoolean()
        && slot.path("listed").asBoolean();
  }

  private static JsonNode sharing(ProgramProcess gateway, String query) {
    return JSON.readTree(gateway.operator("/sharing" + query).text());
  }

  /** Returns the instants at which requests of a limit arrived, in order. */
  long[] arrivals(Limit limit) {
    return arrivals.stream()
        .filter(each -> each.limit() == limit)
        .mapToLong(Arrival::nanos)
        .sorted()
        .toArray();
  }

  /** Returns the requests that were refused from an instant on, as its clients are told. */
  List<String> refused(long unixMillis) {
    return clients.stream()
        .flatMap(each -> each.asked().stream())
        .filter(each -> each.endedMillis() >= unixMillis && each.status() > 200)
        .map(RepeatingClients.Asked::said)
        .toList();
  }

  @Override
  public void close() {
    clients.forEach(RepeatingClients::close);
    gateways.forEach(ProgramProcess::close);
    if (newcomer != null) {
      newcomer.close();
    }
    proxies.forEach(FaultProxy::close);
    redis.close();
    upstream.close();
  }
}
