package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gateways behind a load balancer that are replaced as Kubernetes does with the chart's: one more
 * is started; once it is ready, an old one is removed from the balancer, told to stop after the
 * pause of {@code preStop}, and gone when its process ends. The readiness probe is the chart's,
 * too.
 */
public final class RollingDeployment implements AutoCloseable {
  /**
   * Times of a replacement.
   *
   * @param server its index at the balancer
   * @param toldMillis the Unix time of the stop signal
   * @param startSeconds until the new gateway got requests
   * @param drainSeconds from the signal to the end of the old gateway
   */
  public record Replaced(
      int server,
      long toldMillis,
      int exit,
      List<String> log,
      double startSeconds,
      double drainSeconds) {}

  private static final Path CHART = Path.of("k8s", "penstock");

  private final Ticker ticker = Ticker.system();
  private final Path directory;
  private final String[] more;
  private final List<HaProxy.Server> servers = new ArrayList<>();
  private final HaProxy balancer;
  private final List<LoggedProgram> all = new ArrayList<>();
  private final Deque<LoggedProgram> running = new ArrayDeque<>();

  /** Properties of a deployment besides its routes. */
  public record Shape(Path program, int size, HaProxy.Manner manner) {}

  /**
   * Starts gateways and a balancer, and waits until all of them get requests.
   *
   * @param directory directory for their files
   * @param routes a route file
   * @param more Spring's arguments
   */
  public RollingDeployment(Shape shape, Path directory, String routes, String... more)
      throws Exception {
    this.directory = directory;
    this.more = more;
    Path files = Files.createDirectories(directory.resolve("routes"));
    Files.writeString(files.resolve("routes.yaml"), routes);
    for (int i = 0; i <= shape.size(); i++) {
      servers.add(new HaProxy.Server(RunningGateway.freePort(), RunningGateway.freePort()));
    }
    balancer = HaProxy.start(shape.program(), directory, servers, probe(), shape.manner());
    for (int i = 0; i < shape.size(); i++) {
      running.add(start(i));
    }
    running.forEach(this::awaitSentTo);
  }

  /** The readiness probe in the chart. */
  private static HaProxy.Check probe() throws IOException {
    MatchResult said =
        find(
            CHART.resolve("values.yaml"),
            "readinessProbe:\\s+httpGet: \\{path: (\\S+), port: operator}"
                + "\\s+periodSeconds: (\\d+)\\s+timeoutSeconds: \\d+"
                + "\\s+failureThreshold: (\\d+)");
    return new HaProxy.Check(
        said.group(1), Integer.parseInt(said.group(2)), Integer.parseInt(said.group(3)));
  }

  /** Returns the chart's pause before the stop signal. */
  public static Duration preStop() throws IOException {
    return seconds("preStopSeconds");
  }

  /** Returns for how long the chart lets a gateway serve new requests after the stop signal. */
  public static Duration drainPause() throws IOException {
    return seconds("pauseSeconds");
  }

  private static Duration seconds(String value) throws IOException {
    MatchResult said = find(CHART.resolve("values.yaml"), " " + value + ": (\\d+)");
    return Duration.ofSeconds(Long.parseLong(said.group(1)));
  }

  private static MatchResult find(Path file, String regex) throws IOException {
    return Pattern.compile(regex)
        .matcher(Files.readString(file))
        .results()
        .findFirst()
        .orElseThrow(() -> new AssertionError(file + " has nothing like " + regex));
  }

  private LoggedProgram start(int server) throws IOException {
    LoggedProgram loggedProgram =
        new LoggedProgram(all.size(), server, servers.get(server), directory, more);
    all.add(loggedProgram);
    balancer.putIn(server);
    return loggedProgram;
  }

  private void awaitSentTo(LoggedProgram loggedProgram) {
    PatientWaits.await()
        .failFast(
            () ->
                assertThat(loggedProgram.lives())
                    .as("lives; log: %s", loggedProgram.log())
                    .isTrue())
        .until(() -> balancer.sendsTo(loggedProgram.server()));
  }

  /** Returns the port for clients. */
  public int port() {
    return balancer.port();
  }

  /**
   * Replaces the oldest gateway.
   *
   * @param pause from the removal at the balancer until the stop signal
   */
  public Replaced replaceOldest(Duration pause) throws Exception {
    long from = ticker.nanos();
    LoggedProgram next = start(free());
    awaitSentTo(next);
    double started = secondsSince(from);
    LoggedProgram old = running.remove();
    running.add(next);
    balancer.takeOut(old.server());
    pause(pause);
    long reported = ticker.nanos();
    long toldMillis = WallClock.system().unixMillis();
    old.terminate();
    int exit = old.ended();
    return new Replaced(old.server(), toldMillis, exit, old.log(), started, secondsSince(reported));
  }

  /** Kills the oldest gateway like {@code kill -9}; returns its index at the balancer. */
  public int killOldest() {
    LoggedProgram killed = running.remove();
    killed.kill();
    return killed.server();
  }

  private int free() {
    List<Integer> taken = running.stream().map(LoggedProgram::server).toList();
    for (int i = 0; i < servers.size(); i++) {
      if (!taken.contains(i)) {
        return i;
      }
    }
    throw new IllegalStateException("all places are taken");
  }

  /** Waits, as Kubernetes does. */
  public void pause(Duration time) {
    long until = ticker.nanos() + time.toNanos();
    for (long now = ticker.nanos(); now < until; now = ticker.nanos()) {
      LockSupport.parkNanos(until - now);
    }
  }

  private double secondsSince(long nanos) {
    return (ticker.nanos() - nanos) / 1e9;
  }

  /** Returns the outcome of a request at the balancer; null while it is unknown. */
  public HaProxy.@Nullable Sent sent(String id) {
    return balancer.sent(id);
  }

  /**
   * Returns the releases of all gateways at an endpoint, in order, including those of gateways that
   * have ended.
   */
  public List<GatewayFleet.Released> released(String endpoint) throws IOException {
    List<GatewayFleet.Released> released = new ArrayList<>();
    for (LoggedProgram loggedProgram : all) {
      released.addAll(loggedProgram.released(endpoint));
    }
    released.sort(Comparator.comparingLong(GatewayFleet.Released::unixNanos));
    return released;
  }

  @Override
  public void close() {
    balancer.close();
    all.forEach(LoggedProgram::close);
  }
}
