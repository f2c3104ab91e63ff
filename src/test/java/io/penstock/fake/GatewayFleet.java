package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.suite.GatewayStarts;
import io.penstock.suite.JavaCommand;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Gateways in processes of their own, clients that send them requests, and a log of all their
 * releases.
 */
public final class GatewayFleet implements AutoCloseable {
  /**
   * A release of a ticket.
   *
   * @param unixNanos its time
   * @param instance index of the gateway, from 0
   */
  public record Released(
      long unixNanos, int instance, long tokens, long waitedNanos, String endpoint) {}

  /** Receives the time of each answer. Safe from any thread. */
  @FunctionalInterface
  public interface Timing {
    /** Takes the instant of an answer and its duration, in nanoseconds. */
    void answered(long atNanos, long tookNanos);
  }

  private record Running(Process process, int port, Path log) {}

  private static final String OPERATOR_PORT = "--management.server.port=";

  private final Ticker ticker = Ticker.system();
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Running> instances = new ArrayList<>();
  private final Map<Integer, LongAdder> answers = new ConcurrentHashMap<>();
  private volatile boolean over;

  /**
   * Starts gateways.
   *
   * @param directory directory for their files; its subdirectory {@code routes} holds route files
   * @param routes content of one more route file
   * @param minute the length of a minute
   * @param more Spring's arguments
   */
  public GatewayFleet(Path directory, int size, String routes, Duration minute, String... more)
      throws IOException {
    Path files = Files.createDirectories(directory.resolve("routes"));
    Files.writeString(files.resolve("routes.yaml"), routes);
    List<Process> started = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      started.add(start(directory.resolve("released-" + i), files, minute, more));
    }
    for (int i = 0; i < size; i++) {
      Process process = started.get(i);
      instances.add(new Running(process, ready(process), directory.resolve("released-" + i)));
    }
  }

  private static Process start(Path log, Path routes, Duration minute, String... more)
      throws IOException {
    List<String> command = JavaCommand.gateway(FleetProcess.class, true, "-Xmx512m");
    command.addAll(
        List.of(
            log.toString(),
            routes.toString(),
            Long.toString(minute.toMillis()),
            "--server.port=0"));
    command.addAll(Arrays.asList(more));
    if (Arrays.stream(more).noneMatch(each -> each.startsWith(OPERATOR_PORT))) {
      command.add(OPERATOR_PORT + "-1");
    }
    GatewayStarts.process();
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /**
   * Returns the port, and forwards the rest of the process's output, so that the process never
   * blocks on a full pipe.
   */
  private static int ready(Process process) throws IOException {
    BufferedReader said = process.inputReader(UTF_8);
    List<String> lines = new ArrayList<>();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.startsWith("READY ")) {
        var _ = ProgramOutput.follow(said, System.out::println);
        return Integer.parseInt(line.substring(6));
      }
      lines.add(line);
    }
    throw new IOException("it did not start: " + String.join("\n", lines));
  }

  /**
   * Starts clients that send requests repeatedly, until {@link #stop}.
   *
   * @param counts number of clients for each instance
   * @param path path, with an optional {@code %d} for the number of tokens
   * @param key their secret, or null
   */
  public void ask(
      int[] counts, String path, @Nullable String key, int leastTokens, int mostTokens) {
    for (int instance = 0; instance < counts.length; instance++) {
      for (int i = 0; i < counts[instance]; i++) {
        Random random = new Random(instance * 1_000L + i);
        int port = instances.get(instance).port();
        threads.execute(
            () -> {
              while (!over) {
                once(port, path.formatted(random.nextInt(leastTokens, mostTokens + 1)), key);
              }
            });
      }
    }
  }

  /**
   * Starts clients that send requests to the first gateway repeatedly, until {@link #stop}, each
   * time with the next of many keys.
   */
  public void askInTurn(int clients, String path, List<String> keys) {
    AtomicInteger turn = new AtomicInteger();
    int port = instances.getFirst().port();
    for (int i = 0; i < clients; i++) {
      threads.execute(
          () -> {
            while (!over) {
              once(port, path, keys.get(Math.floorMod(turn.getAndIncrement(), keys.size())));
            }
          });
    }
  }

  /**
   * Starts clients that send requests at a fixed pace, whatever the answers are, until {@link
   * #stop}.
   *
   * @param counts number of clients for each instance
   * @param everyNanos time between two requests of a client that is answered in time
   * @param took receives the time of each answer, on the ticker, and its duration
   */
  public void pace(int[] counts, String path, @Nullable String key, long everyNanos, Timing took) {
    for (int instance = 0; instance < counts.length; instance++) {
      for (int i = 0; i < counts[instance]; i++) {
        int port = instances.get(instance).port();
        long first = ticker.nanos() + everyNanos * i / counts[instance];
        threads.execute(() -> paced(first, everyNanos, () -> once(port, path, key), took));
      }
    }
  }

  private void paced(long first, long everyNanos, Runnable request, Timing took) {
    for (long at = first; !over; at += everyNanos) {
      long now = ticker.nanos();
      if (at > now) {
        LockSupport.parkNanos(at - now);
      }
      long from = ticker.nanos();
      request.run();
      long to = ticker.nanos();
      took.answered(to, to - from);
      at = Math.max(at, to - everyNanos);
    }
  }

  private void once(int port, String path, @Nullable String key) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    if (key != null) {
      request.header("x-penstock-key", key);
    }
    try {
      HttpResponse<Void> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.discarding());
      answers.computeIfAbsent(answer.statusCode(), none -> new LongAdder()).increment();
    } catch (IOException gone) {
      if (!over) {
        answers.computeIfAbsent(0, none -> new LongAdder()).increment();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns a gateway's port. */
  public int port(int instance) {
    return instances.get(instance).port();
  }

  /** Returns the CPU time used by a gateway so far, over all processors. */
  public Duration ran(int instance) {
    return instances.get(instance).process().info().totalCpuDuration().orElseThrow();
  }

  /** Returns the resident memory of a gateway, according to Linux. */
  public long residentBytes(int instance) throws IOException {
    String pid = Long.toString(instances.get(instance).process().pid());
    return Files.readAllLines(Path.of("/proc", pid, "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
        .findFirst()
        .orElseThrow();
  }

  /** Kills a gateway at once. */
  public void kill(int instance) {
    instances.get(instance).process().destroyForcibly().onExit().join();
  }

  /** Returns the Unix time, to the millisecond. */
  public long unixNanos() {
    return WallClock.system().unixMillis() * 1_000_000;
  }

  /** Stops all clients without waiting for their answers. */
  public void stop() {
    over = true;
    client.shutdownNow();
    threads.shutdownNow();
  }

  /** Returns the number of answers by status; 0 is a broken connection. */
  public Map<Integer, Long> answers() {
    Map<Integer, Long> all = new TreeMap<>();
    answers.forEach((status, count) -> all.put(status, count.sum()));
    return all;
  }

  /** Returns the number of answers so far. */
  public long answered() {
    return answers.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** Returns the releases at an endpoint so far, in order. */
  public List<Released> released(String endpoint) throws IOException {
    List<Released> all = new ArrayList<>();
    for (int i = 0; i < instances.size(); i++) {
      all.addAll(ReleaseNotes.read(instances.get(i).log(), i, endpoint));
    }
    all.sort(Comparator.comparingLong(Released::unixNanos));
    return all;
  }

  /** Returns the sums of released tokens by cells of the Unix clock. */
  public static Map<Long, Long> cells(List<Released> all, long cellNanos) {
    TreeMap<Long, Long> sums = new TreeMap<>();
    all.forEach(
        each -> sums.merge(Math.floorDiv(each.unixNanos(), cellNanos), each.tokens(), Long::sum));
    return sums;
  }

  /** Returns the content of trailing windows; each release counts {@code 1} or its tokens. */
  public static TrailingChecker trailing(
      List<Released> all, long limit, long windowNanos, boolean requests) {
    TrailingChecker checker = new TrailingChecker(limit, windowNanos);
    all.forEach(each -> checker.charge(each.unixNanos(), requests ? 1 : each.tokens()));
    return checker;
  }

  /**
   * Returns the smallest number of releases that count at the end of any sub-cell in the given
   * time: a release in one of the sixty sub-cells counts until the end of that cell plus the
   * window.
   */
  public static long counted(List<Released> all, long windowNanos, long from, long to) {
    long cell = windowNanos / 60;
    TrailingChecker checker = trailing(all, Long.MAX_VALUE, windowNanos + cell, true);
    return LongStream.rangeClosed(Math.ceilDiv(from, cell), to / cell)
        .map(end -> checker.used(end * cell - 1))
        .min()
        .orElse(0);
  }

  @Override
  public void close() {
    stop();
    client.close();
    threads.close();
    for (Running each : instances) {
      each.process().destroyForcibly().onExit().join();
    }
  }
}
