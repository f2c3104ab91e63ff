package io.penstock.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everybody who plays in a comparison, each a process of its own on loopback: the upstream, and
 * those in front of it. Who cannot be started is {@link #missing()}; all end with {@link #close}.
 */
final class Cast implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(90);
  private static final Duration ANSWER = Duration.ofSeconds(20);
  private static final String PATH = "/v1/chat/completions";
  private static final String ROUTE = "--spring.cloud.gateway.server.webflux.routes[0].";

  /** What Spring Boot would set up because Redis's client is on the class path of all. */
  private static final String NO_REDIS =
      "--spring.autoconfigure.exclude="
          + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
          + "org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration,"
          + "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration";

  private interface Start {
    Peer peer() throws IOException, InterruptedException;
  }

  private final Path directory;
  private final List<Child> children = new ArrayList<>();
  private final List<Peer> peers = new ArrayList<>();
  private final List<Peer.Missing> missing = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private int upstream;

  /** Makes one that keeps logs and configurations in a directory. */
  Cast(Path directory) {
    this.directory = directory;
  }

  /** Starts all there are, for {@code 01-overhead}. */
  void startAll(Path jar) throws IOException, InterruptedException {
    startUpstream();
    peers.add(new Peer("direct", upstream, PATH, "", Double.NaN, headers -> true));
    add(Penstock.NAME, () -> penstock(jar));
    add("Spring Cloud Gateway", this::bareGateway);
    add("raw Reactor Netty", this::rawProxy);
    add("SCG + Redis limiter", this::limitedGateway);
    add("nginx", this::nginx);
    add("Portkey", this::portkey);
    missing.add(new Peer.Missing("LiteLLM", "not tried yet"));
    missing.add(new Peer.Missing("Bifrost", "not tried yet"));
  }

  /** Returns those that run and answer, in the order of the table. */
  List<Peer> peers() {
    return peers;
  }

  /** Returns those that do not, and why. */
  List<Peer.Missing> missing() {
    return missing;
  }

  private void add(String name, Start start) throws InterruptedException {
    try {
      Peer peer = start.peer();
      check(peer);
      peers.add(peer);
    } catch (IOException e) {
      missing.add(new Peer.Missing(name, String.valueOf(e.getMessage())));
    }
  }

  /** A peer that answers anything else than the upstream does is not measured. */
  private void check(Peer peer) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + peer.port() + peer.path()))
            .timeout(ANSWER)
            .POST(HttpRequest.BodyPublishers.ofString(Load.BODY));
    for (String line : Load.headers(peer).strip().split("\r\n", -1)) {
      int colon = line.indexOf(':');
      request.header(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    HttpResponse<String> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    String usage = "\"completion_tokens\":" + Upstream.COMPLETION_TOKENS;
    if (answer.statusCode() != 200 || !answer.body().contains(usage)) {
      throw new IOException("answers " + answer.statusCode() + " " + answer.body());
    }
    HttpHeaders headers = answer.headers();
    if (!peer.atWork().test(headers)) {
      throw new IOException("does not do what it is here for, by its headers " + headers.map());
    }
  }

  private int started(String name, int port, List<String> command)
      throws IOException, InterruptedException {
    Child child = Child.start(name, directory, command);
    children.add(child);
    child.awaitPort(port, START);
    return port;
  }

  private void startUpstream() throws IOException, InterruptedException {
    int port = Machine.freePort();
    upstream = started("upstream", port, Machine.main(Upstream.class, "--port=" + port));
  }

  private Peer penstock(Path jar) throws IOException, InterruptedException {
    Path routes = directory.resolve("routes.yaml");
    Files.writeString(routes, Penstock.unlimited(upstream));
    int port = Machine.freePort();
    started(Penstock.NAME, port, Penstock.command(jar, routes, port));
    return new Peer(Penstock.NAME, port, "/load" + PATH, "", Double.NaN, Penstock::weighs);
  }

  private Peer bareGateway() throws IOException, InterruptedException {
    int port = Machine.freePort();
    List<String> command = gateway(port);
    command.add(NO_REDIS);
    started("gateway", port, command);
    return new Peer("Spring Cloud Gateway", port, PATH, "", 1.0, headers -> true);
  }

  private Peer limitedGateway() throws IOException, InterruptedException {
    Path program = installed("redis-server");
    int redis = Machine.freePort();
    List<String> redisCommand = new ArrayList<>(List.of(program.toString()));
    redisCommand.addAll(List.of("--bind", "127.0.0.1", "--port", String.valueOf(redis)));
    redisCommand.addAll(List.of("--save", "", "--appendonly", "no"));
    redisCommand.addAll(List.of("--dir", directory.toAbsolutePath().toString()));
    started("redis", redis, redisCommand);
    int port = Machine.freePort();
    List<String> command = gateway(port);
    command.add("--spring.data.redis.host=127.0.0.1");
    command.add("--spring.data.redis.port=" + redis);
    String filter = ROUTE + "filters[0].";
    command.add(filter + "name=RequestRateLimiter");
    command.add(filter + "args.key-resolver=#{@credential}");
    command.add(filter + "args.redis-rate-limiter.replenishRate=1000000");
    command.add(filter + "args.redis-rate-limiter.burstCapacity=1000000");
    started("gateway-redis", port, command);
    // it lets everything through when it does not reach Redis, and says -1
    return new Peer("SCG + Redis limiter", port, PATH, "", 3.0, Cast::countsInRedis);
  }

  private static boolean countsInRedis(HttpHeaders headers) {
    return headers
        .firstValue("X-RateLimit-Remaining")
        .filter(left -> !left.equals("-1"))
        .isPresent();
  }

  private List<String> gateway(int port) {
    List<String> command = Machine.main(BareGateway.class);
    command.add("--server.address=127.0.0.1");
    command.add("--server.port=" + port);
    command.add("--logging.level.root=WARN");
    command.add(ROUTE + "id=upstream");
    command.add(ROUTE + "uri=http://127.0.0.1:" + upstream);
    command.add(ROUTE + "predicates[0]=Path=/**");
    return command;
  }

  private Peer rawProxy() throws IOException, InterruptedException {
    int port = Machine.freePort();
    String behind = "--upstream=" + upstream;
    started("raw", port, Machine.main(RawProxy.class, "--port=" + port, behind));
    return new Peer("raw Reactor Netty", port, PATH, "", 0.7, headers -> true);
  }

  private Peer nginx() throws IOException, InterruptedException {
    Path program = installed("nginx");
    int port = Machine.freePort();
    Path home = Files.createDirectories(directory.resolve("nginx").toAbsolutePath());
    Path configuration = home.resolve("nginx.conf");
    Files.writeString(configuration, Nginx.configuration(home, port, upstream));
    started(
        "nginx",
        port,
        List.of(
            program.toString(),
            "-p",
            home.toString(),
            "-c",
            configuration.toString(),
            "-e",
            "stderr"));
    return new Peer("nginx", port, PATH, "", Double.NaN, headers -> true);
  }

  private Peer portkey() throws IOException, InterruptedException {
    Path home = Portkey.install(directory, installed("npm"));
    int port = Machine.freePort();
    started("portkey", port, Portkey.command(home, installed("node"), port));
    return new Peer("Portkey", port, PATH, Portkey.headers(upstream), 10.0, headers -> true);
  }

  private static Path installed(String program) throws IOException {
    Optional<Path> path = Machine.program(program);
    return path.orElseThrow(() -> new IOException(program + " is not installed"));
  }

  @Override
  public void close() {
    client.shutdownNow();
    children.reversed().forEach(Child::close);
  }
}
