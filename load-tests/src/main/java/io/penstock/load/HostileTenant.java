package io.penstock.load;

import com.sun.management.OperatingSystemMXBean;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tenant that attacks in {@code 13-two-tenants}, a process of its own with a bounded number of
 * threads, connections and attempts a second. It waits to be told when to do what, so that its
 * start is no part of what is measured.
 */
final class HostileTenant {
  private static final int PATIENCE_MILLIS = 2_000;
  private static final int SMALL_BUFFER = 4 * 1024;
  private static final long QUARTER_MILLI_NANOS = 250_000;
  private static final long LEAVING_TIMES = 16;
  private static final byte[] FINISHED =
      "\"finish_reason\":\"stop\"".getBytes(StandardCharsets.UTF_8);

  /** What the attempts of a stretch get in words, where they get no status. */
  private static final String CLOSED = "closed";

  private static final String UNANSWERED = "no answer";
  private static final String LEFT = "left";

  /** The secret of the key with which harmless requests are sent. */
  static final String HARMLESS = "load-test-harmless";

  private final InetSocketAddress gateway;
  private final int threads;

  /** Makes one that attacks a port of loopback. */
  HostileTenant(int port, int threads) {
    this.gateway = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.threads = threads;
  }

  /**
   * Attacks the gateway at {@code --gateway} with {@code --threads} threads. What {@link #path}
   * returns, asked on {@code --port}, does an attack and is answered with a {@link Stretch} in JSON
   * when it is over.
   */
  public static void main(String[] arguments) throws IOException {
    Arguments given = new Arguments(arguments);
    HostileTenant tenant = new HostileTenant(given.number("gateway"), given.number("threads"));
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), given.number("port"));
    HttpServer server = HttpServer.create(address, 0);
    server.createContext("/", tenant::told);
    server.start();
  }

  /**
   * What a stretch came to.
   *
   * @param attempts how many were made
   * @param outcomes what became of them: a status, or a word
   * @param cpuMillis the time of a processor that this process took
   */
  record Stretch(long attempts, Map<String, Long> outcomes, long cpuMillis) {
    /** Reads what {@link #main} answers. */
    static Stretch parse(String json) {
      return new JsonMapper().readValue(json, Stretch.class);
    }
  }

  /**
   * Returns what is to be asked for an attack, or instead of it for as many requests of the kind
   * that the other tenant sends.
   *
   * @param rate how many attempts a second there are at most
   */
  static String path(Attack attack, boolean harmless, long millis, int rate) {
    return "/%s?%d&%d%s".formatted(attack.shown(), millis, rate, harmless ? "&harmless" : "");
  }

  private void told(HttpExchange exchange) throws IOException {
    URI uri = exchange.getRequestURI();
    String[] given = uri.getQuery().split("&", -1);
    Attack attack = Attack.of(uri.getPath().substring(1));
    byte[] answer;
    try {
      boolean harmless = given.length > 2;
      Stretch stretch = run(attack, harmless, Long.parseLong(given[0]), Integer.parseInt(given[1]));
      answer = new JsonMapper().writeValueAsBytes(stretch);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in " + attack, e);
    }
    exchange.sendResponseHeaders(200, answer.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(answer);
    }
  }

  /** Does an attack, or sends harmless requests instead of it. */
  Stretch run(Attack attack, boolean harmless, long millis, int rate) throws InterruptedException {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpuBefore = system.getProcessCpuTime();
    Outcomes outcomes = new Outcomes();
    Pace pace = new Pace(rate, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    List<Thread> workers = new ArrayList<>();
    List<Worker> all = new ArrayList<>();
    for (int at = 0; at < threads; at++) {
      Worker worker = new Worker(attack, harmless, pace, outcomes);
      all.add(worker);
      workers.add(Thread.ofPlatform().daemon().name("attack-" + at).start(worker::work));
    }
    for (Thread each : workers) {
      each.join();
    }
    all.forEach(Worker::release);
    long cpu = system.getProcessCpuTime() - cpuBefore;
    return new Stretch(pace.made(), outcomes.counts(), TimeUnit.NANOSECONDS.toMillis(cpu));
  }

  /** Which attempt is due when; one for all threads. */
  private static final class Pace {
    private final AtomicLong taken = new AtomicLong();
    private final long begunNanos = System.nanoTime();
    private final double everyNanos;
    private final long endNanos;
    private final AtomicLong made = new AtomicLong();

    Pace(int perSecond, long endNanos) {
      this.everyNanos = 1e9 / perSecond;
      this.endNanos = endNanos;
    }

    /** Waits for the next attempt and returns its number; −1 when time is up. */
    long next() {
      long number = taken.getAndIncrement();
      long due = begunNanos + (long) (number * everyNanos);
      if (due - endNanos >= 0) {
        return -1;
      }
      for (long now = System.nanoTime(); now - due < 0; now = System.nanoTime()) {
        LockSupport.parkNanos(due - now);
      }
      if (System.nanoTime() - endNanos >= 0) {
        return -1;
      }
      made.incrementAndGet();
      return number;
    }

    long made() {
      return made.get();
    }
  }

  /** One thread of the tenant, with a connection that is kept and those that it holds open. */
  private final class Worker {
    private final Attack attack;
    private final boolean harmless;
    private final Pace pace;
    private final Outcomes outcomes;
    private final byte[] read = new byte[64 * 1024];
    private final Deque<SocketChannel> held = new ArrayDeque<>();
    private @Nullable Socket kept;

    Worker(Attack attack, boolean harmless, Pace pace, Outcomes outcomes) {
      this.attack = attack;
      this.harmless = harmless;
      this.pace = pace;
      this.outcomes = outcomes;
    }

    void work() {
      for (long number = pace.next(); number >= 0; number = pace.next()) {
        String outcome = attempt(number);
        if (outcome != null) {
          outcomes.add(outcome);
        }
      }
    }

    /** Returns null where the outcome is not known before the connection is given up. */
    private @Nullable String attempt(long number) {
      try {
        return harmless
            ? exchange(HostileRequests.harmless(attack.endpoint(), HARMLESS))
            : attack(attack.secret(), number);
      } catch (SocketTimeoutException e) {
        reset();
        return UNANSWERED;
      } catch (IOException e) {
        reset();
        return CLOSED;
      }
    }

    private @Nullable String attack(String secret, long number) throws IOException {
      return switch (attack) {
        case LARGE_BODIES -> exchange(HostileRequests.large(secret, number));
        case BROKEN_BODIES -> alone(HostileRequests.broken(secret, number));
        case REPEATED_MEMBERS -> exchange(HostileRequests.repeated(secret, number));
        case INVALID_UTF8 -> exchange(HostileRequests.invalid(secret, number));
        case MAXIMUM_ABOVE_LIMITS -> exchange(HostileRequests.above(secret, number));
        case ABORTED_STREAMS ->
            aborted(HostileRequests.streaming(secret, PromptedUpstream.LATE_USAGE));
        case UNREAD_ANSWERS -> hold(HostileRequests.streaming(secret, PromptedUpstream.FLOOD), 250);
        case PARKED_REQUESTS ->
            hold(HostileRequests.prompting(secret, PromptedUpstream.SLOW), 4_000);
        case IGNORED_UPGRADES -> alone(HostileRequests.upgrade(secret, number));
        case POISONED_PROMPTS -> exchange(HostileRequests.prompting(secret, PromptedUpstream.FAIL));
        case WRONG_KEYS -> exchange(HostileRequests.harmless(attack.endpoint(), "wrong-" + number));
        case COORDINATION_OBJECTS -> exchange(HostileRequests.object(secret, number));
        case QUESTIONS ->
            number % HostileRequests.ASKED_EVERY == 0
                ? hold(HostileRequests.asked(secret, number), 2_000)
                : exchange(HostileRequests.question(secret, number));
        case SLOW_UPLOADS -> hold(HostileRequests.slow(secret), 2_000);
        case MANY_CONNECTIONS -> hold(HostileRequests.silent(number), 4_000);
        case HEADER_FLOODS -> alone(HostileRequests.flood(secret, number));
        case POISONED_ESTIMATES -> exchange(HostileRequests.searching(secret));
        case HIDDEN_INPUT -> exchange(HostileRequests.continuing(secret, number));
        case MANY_LANES -> hold(HostileRequests.naming(secret, number), 4_000);
        case LARGE_WAITING_BODIES -> hold(HostileRequests.largeAndSlow(secret), 64);
        case FILLED_QUEUE -> hold(HostileRequests.queued(secret), 4_000);
        case REFUSED_WARMUPS ->
            number % HostileRequests.SLOW_EVERY == 0
                ? hold(HostileRequests.prompting(secret, PromptedUpstream.SLOW), 250)
                : exchange(HostileRequests.beginning(secret, number));
        case LEFT_RETRIES ->
            left(
                HostileRequests.prompting(secret, PromptedUpstream.REFUSE), number % LEAVING_TIMES);
      };
    }

    /** Sends on the connection that is kept, and returns the status of the answer. */
    private String exchange(byte[] request) throws IOException {
      Socket socket = kept == null ? connect() : kept;
      kept = socket;
      socket.getOutputStream().write(request);
      AnswerEnd end = new AnswerEnd();
      end.begin();
      boolean whole = false;
      while (!whole) {
        int many = socket.getInputStream().read(read);
        if (many < 0) {
          throw new IOException("closed before the end of its answer");
        }
        try {
          whole = end.reached(ByteBuffer.wrap(read, 0, many));
        } catch (IOException noLength) {
          // such as 204, which has no body
          whole = true;
        }
      }
      if (end.closes()) {
        reset();
      }
      return String.valueOf(end.status());
    }

    /** Sends on a connection of its own, and returns the status of the first answer. */
    private String alone(byte[] request) throws IOException {
      reset();
      Socket socket = connect();
      kept = socket;
      try {
        socket.getOutputStream().write(request);
      } catch (IOException refusedBefore) {
        // an answer may be there all the same
      }
      int many = socket.getInputStream().readNBytes(read, 0, "HTTP/1.1 200".length());
      reset();
      return many < "HTTP/1.1 200".length()
          ? CLOSED
          : new String(read, "HTTP/1.1 ".length(), 3, StandardCharsets.ISO_8859_1);
    }

    /** Leaves a stream when it has said how it ended. */
    private String aborted(byte[] request) throws IOException {
      reset();
      Socket socket = connect();
      kept = socket;
      socket.getOutputStream().write(request);
      int length = 0;
      while (length < read.length) {
        int many = socket.getInputStream().read(read, length, read.length - length);
        if (many < 0) {
          break;
        }
        length += many;
        if (contains(length, FINISHED)) {
          reset();
          return LEFT;
        }
      }
      reset();
      return CLOSED;
    }

    /** Leaves a request some parts of a millisecond after it was sent. */
    private String left(byte[] request, long quarters) throws IOException {
      reset();
      Socket socket = connect();
      kept = socket;
      socket.getOutputStream().write(request);
      LockSupport.parkNanos(quarters * QUARTER_MILLI_NANOS);
      reset();
      return LEFT;
    }

    private boolean contains(int length, byte[] part) {
      return new String(read, 0, length, StandardCharsets.ISO_8859_1)
          .contains(new String(part, StandardCharsets.ISO_8859_1));
    }

    /**
     * Sends on one more connection, which stays open and is not read; beyond so many of all threads
     * together the oldest is given up.
     */
    private @Nullable String hold(byte[] request, int most) throws IOException {
      SocketChannel channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_BUFFER);
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
      held.addLast(channel);
      channel.connect(gateway);
      ByteBuffer bytes = ByteBuffer.wrap(request);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      if (held.size() > Math.max(1, most / threads)) {
        return heldFor(held.removeFirst());
      }
      return null;
    }

    /** Returns what has come on a connection, and closes it. */
    private String heldFor(SocketChannel channel) {
      try (channel) {
        channel.configureBlocking(false);
        int many = channel.read(ByteBuffer.wrap(read, 0, "HTTP/1.1 200".length()));
        return many < 0
            ? CLOSED
            : many == 0
                ? UNANSWERED
                : new String(read, "HTTP/1.1 ".length(), 3, StandardCharsets.ISO_8859_1);
      } catch (IOException e) {
        return CLOSED;
      }
    }

    /** Gives up all connections, and counts what had come on those that were held. */
    void release() {
      reset();
      while (!held.isEmpty()) {
        outcomes.add(heldFor(held.removeFirst()));
      }
    }

    private Socket connect() throws IOException {
      Socket socket = new Socket();
      // a reset leaves no port behind that cannot be used again for a minute
      socket.setSoLinger(true, 0);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.connect(gateway, PATIENCE_MILLIS);
      return socket;
    }

    private void reset() {
      Socket socket = kept;
      kept = null;
      if (socket != null) {
        try {
          socket.close();
        } catch (IOException gone) {
          outcomes.add("not closed");
        }
      }
    }
  }
}
