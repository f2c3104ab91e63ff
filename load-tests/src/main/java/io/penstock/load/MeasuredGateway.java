package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A gateway of one of two jars, with everything that is measured of it. All of it is measured from
 * outside, over HTTP and the beans of its JVM, so it does not matter what the jar's classes are
 * called.
 */
final class MeasuredGateway implements AutoCloseable {
  /** How many requests a second the fixed rate is. */
  static final int PER_SECOND = 500;

  /** How long a token window of the endpoint is that releases everything at its end. */
  private static final Duration WINDOW = Duration.ofSeconds(5);

  /** How many requests wait for such a window. */
  private static final int RELEASED = 1_000;

  private static final int MOST_TRIES = 3;

  /** How many requests wait while the heap is looked at. */
  private static final int PARKED = 2_000;

  private static final int CONNECTIONS = 32;
  private static final Duration LEAD = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String name;
  private final Stage stage;
  private final Gateway gateway;
  private final RemoteJvm jvm;
  private final Load load;
  private final OpenLoop steady;

  /** Starts it in front of an upstream. */
  MeasuredGateway(String name, Path made, Path jar, int upstream, Settings settings)
      throws IOException, InterruptedException {
    this.name = name;
    this.stage = new Stage(made, jar);
    this.load = settings.load(Settings.loadBy(), made, settings.connections(CONNECTIONS));
    try {
      this.gateway = stage.penstock(name, routes(upstream), List.of());
      this.jvm = new RemoteJvm(gateway);
    } catch (IOException | InterruptedException e) {
      stage.close();
      throw e;
    }
    this.steady = OpenLoop.to(peer("/load" + Cast.PATH));
  }

  private static String routes(int upstream) {
    // a slot of /waiting in half an hour: the first request goes, nobody else does
    return Penstock.unlimited(upstream)
        + """
          - path: /decide
            algorithm: token_window
            tokens_per_window: 200000000
            window_seconds: 60
          - path: /waiting
            dialect: openai
            algorithm: strict
            rate: 0.0005
            max_queue_size: 20000
            upstreams: [{id: w, url: "http://127.0.0.1:%d", tpm_limit: 900000000, settle: usage}]
          - path: /release
            algorithm: token_window
            tokens_per_window: %d
            window_seconds: %d
            max_queue_size: 20000
        """
            .formatted(upstream, RELEASED, WINDOW.toSeconds());
  }

  String name() {
    return name;
  }

  private Peer peer(String path) {
    return new Peer(name, gateway.port(), path, "", Double.NaN, head -> true);
  }

  /** Returns the requests a second that pass to the upstream, as many as 32 clients can send. */
  double requests(Duration length) throws IOException, InterruptedException {
    return saturated(load, "/load" + Cast.PATH, length);
  }

  /**
   * What a stretch of long requests came to.
   *
   * @param requests per second
   * @param cpuMillis processor time of the gateway per request
   */
  record LongRequests(double requests, double cpuMillis) {}

  /** Returns how many conversations of 40 KiB a second pass to the upstream, and what one costs. */
  LongRequests longRequests(Duration length) throws IOException, InterruptedException {
    Duration before = jvm.cpuTime();
    double requests = saturated(load.sending(Load.LONG_BODY), "/load" + Cast.PATH, length);
    Duration used = jvm.cpuTime().minus(before);
    return new LongRequests(requests, used.toNanos() / 1e6 / (requests * length.toNanos() / 1e9));
  }

  /** Returns the permits a second of an endpoint without upstreams that has room for all. */
  double decisions(Duration length) throws IOException, InterruptedException {
    return saturated(load.sending("{}"), "/decide?tokens=1", length);
  }

  private double saturated(Load by, String path, Duration length)
      throws IOException, InterruptedException {
    Load.Stretch stretch = by.measure(peer(path), length);
    if (stretch.failures() > 0 || stretch.requests() <= 0) {
      throw new IOException(
          "%s: %d requests of %s failed, %.0f/s were answered; its log ends: %s"
              .formatted(name, stretch.failures(), path, stretch.requests(), tail()));
    }
    return stretch.requests();
  }

  /**
   * What a stretch at the fixed rate came to.
   *
   * @param latencies from when each request was due until its whole answer was there
   * @param allocatedBytes per request, by all threads of the gateway, whatever they did meanwhile
   */
  record Steady(Latencies latencies, double allocatedBytes) {}

  /** Sends requests at the fixed rate for so long. */
  Steady steady(Duration length) throws IOException, InterruptedException {
    long before = jvm.allocatedBytes();
    Latencies latencies = steady.run(PER_SECOND, LEAD, length);
    long allocated = jvm.allocatedBytes() - before;
    if (latencies.failures() > 0) {
      throw new IOException(
          "%s: %d requests at the fixed rate failed: %s; its log ends: %s"
              .formatted(name, latencies.failures(), latencies.reasons(), tail()));
    }
    long sent = PER_SECOND * LEAD.plus(length).toSeconds();
    return new Steady(latencies, (double) allocated / sent);
  }

  /** Returns the bytes of heap that a request takes while it waits, with its connection. */
  double parkedHeap() throws IOException, InterruptedException {
    Operator operator = gateway.operator();
    long empty = jvm.heapBytes();
    long full;
    try (ParkedBatch batch = new ParkedBatch(peer("/waiting" + Cast.PATH), Load.BODY, PARKED)) {
      Operator.await(
          "%s: %,d requests wait".formatted(name, batch.size()),
          PATIENCE,
          () -> operator.waiting() >= batch.size() - 1);
      full = jvm.heapBytes();
    }
    Operator.await(name + ": nobody waits", PATIENCE, () -> operator.waiting() == 0);
    if (full <= empty) {
      throw new IOException(
          "%s: the heap is %,d bytes with %,d requests parked and %,d without"
              .formatted(name, full, PARKED, empty));
    }
    return (double) (full - empty) / PARKED;
  }

  /**
   * Returns how many parked requests are answered a second once their token window begins: one
   * request spends a whole window, the others wait for the next one, which has room for all. Where
   * the window ends before all of them have come, it is tried again.
   */
  double releases() throws IOException, InterruptedException {
    Operator operator = gateway.operator();
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      try (ParkedBatch spend = new ParkedBatch(peer("/release?tokens=" + RELEASED), "{}", 1)) {
        spend.answeredNanos(PATIENCE);
      }
      long end = System.nanoTime() + WINDOW.toNanos();
      try (ParkedBatch batch = new ParkedBatch(peer("/release?tokens=1"), "{}", RELEASED)) {
        long waiting = operator.waiting();
        while (waiting < RELEASED && System.nanoTime() < end) {
          waiting = operator.waiting();
        }
        long nanos = batch.answeredNanos(PATIENCE);
        if (waiting == RELEASED) {
          return (RELEASED - 1) * 1e9 / nanos;
        }
      }
    }
    throw new IOException(
        "%s: in none of %d windows of %s did %,d requests wait; the machine is too slow"
            .formatted(name, MOST_TRIES, WINDOW, RELEASED));
  }

  private String tail() throws IOException {
    return gateway.child().tail();
  }

  @Override
  public void close() throws IOException {
    try {
      jvm.close();
    } finally {
      stage.close();
    }
  }
}
