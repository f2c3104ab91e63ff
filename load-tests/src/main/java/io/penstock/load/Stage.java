package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where a scenario plays: the processes it started, each on a free port of loopback. All end with
 * {@link #close}.
 */
final class Stage implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(5);
  private static final String ROUTE = "--spring.cloud.gateway.server.webflux.routes[0].";

  /** What Spring Boot would set up because Redis's client is on the class path of all. */
  private static final String NO_REDIS =
      "--spring.autoconfigure.exclude="
          + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
          + "org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration,"
          + "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration";

  private final Path directory;
  private final Path jar;
  private final List<Child> children = new ArrayList<>();

  /** Makes one that keeps logs and configurations in a directory, and measures a jar. */
  Stage(Path directory, Path jar) {
    this.directory = directory;
    this.jar = jar;
  }

  Path directory() {
    return directory;
  }

  /** Starts a program, and returns when it listens. */
  Child start(String name, int port, List<String> command)
      throws IOException, InterruptedException {
    Child child = Child.start(name, directory, command);
    children.add(child);
    child.awaitPort(port, START);
    return child;
  }

  /** Starts a provider, and returns its port; the arguments are those of {@link Upstream}. */
  int upstream(String name, String... arguments) throws IOException, InterruptedException {
    int port = Machine.freePort();
    List<String> command = Machine.main(Upstream.class, arguments);
    command.add("--port=" + port);
    start(name, port, command);
    return port;
  }

  /**
   * Starts a Penstock.
   *
   * @param routes the text of its route file
   * @param flags of its JVM, beside those of all
   * @param arguments beside its addresses and routes
   */
  Gateway penstock(String name, String routes, List<String> flags, String... arguments)
      throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve(name + ".yaml"), routes);
    return penstock(name, file, Machine.freePort(), flags, arguments);
  }

  /** Starts a Penstock that serves a file, or a directory of them, on a port. */
  Gateway penstock(String name, Path routes, int port, List<String> flags, String... arguments)
      throws IOException, InterruptedException {
    int operator = Machine.freePort();
    List<String> command = Penstock.command(jar, routes, port, operator, flags);
    return penstock(name, command, port, operator, arguments);
  }

  /** Starts one in the place of another one that has ended, on the same ports. */
  Gateway again(String name, Path routes, Gateway old, String... arguments)
      throws IOException, InterruptedException {
    int operator = old.operator().port();
    List<String> command = Penstock.command(jar, routes, old.port(), operator, List.of());
    return penstock(name, command, old.port(), operator, arguments);
  }

  private Gateway penstock(
      String name, List<String> command, int port, int operator, String... arguments)
      throws IOException, InterruptedException {
    command.addAll(List.of(arguments));
    Child child = start(name, port, command);
    Gateway gateway = new Gateway(child, port, new Operator(operator));
    Operator.await(name + " is ready", START, gateway.operator()::ready);
    return gateway;
  }

  /** Starts a Spring Cloud Gateway as it comes, and returns its port. */
  int bareGateway(String name, int upstream) throws IOException, InterruptedException {
    int port = Machine.freePort();
    List<String> command = gateway(port, upstream);
    command.add(NO_REDIS);
    start(name, port, command);
    return port;
  }

  /** Starts one that limits by a Redis, by so much that it never does, and returns its port. */
  int limitedGateway(String name, int upstream, int redis)
      throws IOException, InterruptedException {
    int port = Machine.freePort();
    List<String> command = gateway(port, upstream);
    command.add("--spring.data.redis.host=127.0.0.1");
    command.add("--spring.data.redis.port=" + redis);
    String filter = ROUTE + "filters[0].";
    command.add(filter + "name=RequestRateLimiter");
    command.add(filter + "args.key-resolver=#{@credential}");
    command.add(filter + "args.redis-rate-limiter.replenishRate=1000000");
    command.add(filter + "args.redis-rate-limiter.burstCapacity=1000000");
    start(name, port, command);
    return port;
  }

  private static List<String> gateway(int port, int upstream) {
    List<String> command = Machine.peer(BareGateway.class);
    command.add("--server.address=127.0.0.1");
    command.add("--server.port=" + port);
    command.add("--logging.level.root=WARN");
    command.add(ROUTE + "id=upstream");
    command.add(ROUTE + "uri=http://127.0.0.1:" + upstream);
    command.add(ROUTE + "predicates[0]=Path=/**");
    return command;
  }

  /** Starts a Redis that keeps nothing on the disk. */
  Child redis(int port) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(installed("redis-server").toString()));
    command.addAll(List.of("--bind", "127.0.0.1", "--port", String.valueOf(port)));
    command.addAll(List.of("--save", "", "--appendonly", "no"));
    command.addAll(List.of("--maxmemory-policy", "noeviction"));
    command.addAll(List.of("--dir", directory.toString()));
    return start("redis", port, command);
  }

  /** Returns a program of this machine; the failure says that it is not installed. */
  static Path installed(String program) throws IOException {
    Optional<Path> path = Machine.program(program);
    return path.orElseThrow(() -> new IOException(program + " is not installed"));
  }

  @Override
  public void close() {
    children.reversed().forEach(Child::close);
  }
}
