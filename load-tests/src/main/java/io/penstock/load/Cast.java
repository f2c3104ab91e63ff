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

/**
 * Everybody who plays in a comparison, each a process of its own in front of the same upstream. Who
 * cannot be started is {@link #missing()}; all end with {@link #close}.
 */
final class Cast implements AutoCloseable {
  /** What tables call those that others are named by. */
  static final String DIRECT = "direct";

  static final String BARE = "Spring Cloud Gateway";

  /** What a chat completion is asked for by. */
  static final String PATH = "/v1/chat/completions";

  private static final Duration ANSWER = Duration.ofSeconds(20);

  private interface Start {
    Peer peer(double goal) throws IOException, InterruptedException;
  }

  private final Stage stage;
  private final List<Peer> peers = new ArrayList<>();
  private final List<Peer.Missing> missing = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int upstream;

  /** Starts the upstream, and nobody yet; the arguments are those of {@link Upstream}. */
  Cast(Path directory, Path jar, String... arguments) throws IOException, InterruptedException {
    stage = new Stage(directory, jar);
    try {
      upstream = stage.upstream("upstream", arguments);
    } catch (IOException | InterruptedException e) {
      stage.close();
      throw e;
    }
    peers.add(new Peer(DIRECT, upstream, PATH, "", Double.NaN, headers -> true));
  }

  /** Starts Penstock and Spring Cloud Gateway as it comes. */
  void startTwo() throws InterruptedException {
    add(Penstock.NAME, Double.NaN, this::penstock);
    add(BARE, 1.0, this::bareGateway);
  }

  /** Starts all there are, for {@code 01-overhead}. */
  void startAll() throws InterruptedException {
    startTwo();
    add("raw Reactor Netty", 0.7, this::rawProxy);
    add("SCG + Redis limiter", 3.0, this::limitedGateway);
    add("nginx", Double.NaN, this::nginx);
    add("Portkey", 10.0, this::portkey);
    add("LiteLLM", 25.0, this::liteLlm);
    add("Bifrost", 1.2, this::bifrost);
  }

  /** Returns those that run and answer, in the order of the table. */
  List<Peer> peers() {
    return peers;
  }

  /** Returns those that do not, and why. */
  List<Peer.Missing> missing() {
    return missing;
  }

  private void add(String name, double goal, Start start) throws InterruptedException {
    try {
      Peer peer = start.peer(goal);
      check(peer);
      peers.add(peer);
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
      missing.add(new Peer.Missing(name, goal, reason));
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

  private Peer penstock(double goal) throws IOException, InterruptedException {
    Gateway gateway = stage.penstock(Penstock.NAME, Penstock.unlimited(upstream), List.of());
    return new Peer(Penstock.NAME, gateway.port(), "/load" + PATH, "", goal, Penstock::weighs);
  }

  private Peer bareGateway(double goal) throws IOException, InterruptedException {
    int port = stage.bareGateway("gateway", upstream);
    return new Peer(BARE, port, PATH, "", goal, headers -> true);
  }

  private Peer limitedGateway(double goal) throws IOException, InterruptedException {
    int redis = Machine.freePort();
    stage.redis(redis);
    int port = stage.limitedGateway("gateway-redis", upstream, redis);
    // it lets everything through when it does not reach Redis, and says -1
    return new Peer("SCG + Redis limiter", port, PATH, "", goal, Cast::countsInRedis);
  }

  private static boolean countsInRedis(HttpHeaders headers) {
    return headers
        .firstValue("X-RateLimit-Remaining")
        .filter(left -> !left.equals("-1"))
        .isPresent();
  }

  private Peer rawProxy(double goal) throws IOException, InterruptedException {
    int port = Machine.freePort();
    String behind = "--upstream=" + upstream;
    stage.start("raw", port, Machine.peer(RawProxy.class, "--port=" + port, behind));
    return new Peer("raw Reactor Netty", port, PATH, "", goal, headers -> true);
  }

  private Peer nginx(double goal) throws IOException, InterruptedException {
    String program = Stage.installed("nginx").toString();
    int port = Machine.freePort();
    Path home = Files.createDirectories(stage.directory().resolve("nginx").toAbsolutePath());
    Path configuration = home.resolve("nginx.conf");
    Files.writeString(configuration, Nginx.configuration(home, port, upstream));
    stage.start(
        "nginx",
        port,
        List.of(program, "-p", home.toString(), "-c", configuration.toString(), "-e", "stderr"));
    return new Peer("nginx", port, PATH, "", goal, headers -> true);
  }

  private Peer portkey(double goal) throws IOException, InterruptedException {
    Path home = Portkey.install(stage.directory(), Stage.installed("npm"));
    int port = Machine.freePort();
    stage.start("portkey", port, Portkey.command(home, Stage.installed("node"), port));
    return new Peer("Portkey", port, PATH, Portkey.headers(upstream), goal, headers -> true);
  }

  private Peer liteLlm(double goal) throws IOException, InterruptedException {
    Path home = LiteLlm.install(stage.directory(), Stage.installed("python3"));
    int port = Machine.freePort();
    stage.start("litellm", port, LiteLlm.command(home, port, upstream));
    return new Peer("LiteLLM", port, PATH, "", goal, headers -> true);
  }

  private Peer bifrost(double goal) throws IOException, InterruptedException {
    Path home = Bifrost.install(stage.directory(), Stage.installed("go"));
    int port = Machine.freePort();
    stage.start("bifrost", port, Bifrost.command(home, port, upstream));
    return new Peer("Bifrost", port, "/openai" + PATH, "", goal, headers -> true);
  }

  @Override
  public void close() {
    client.shutdownNow();
    stage.close();
  }
}
