package io.penstock.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends the same request at a steady rate, however long answers take, each on a connection on which
 * nothing else is under way. Whoever calls {@link #run} sends, a thread of its own receives.
 */
final class OpenLoop {
  /** More than that are open at no time; beyond it requests wait, and their time counts. */
  private static final int MOST_CONNECTIONS = 8_000;

  private static final Duration LAST_ANSWERS = Duration.ofSeconds(30);
  private static final long HIGHEST_MICROS = 600_000_000;

  private final InetSocketAddress address;
  private final byte[] request;
  private final int events;

  /** A connection, and the request that is under way on it. */
  private static final class Connection {
    final SocketChannel channel;
    final AnswerEnd end = new AnswerEnd(true);
    boolean counted;

    /** When the first byte of its body came; negative while none has. */
    long firstMicros;

    /** When the request was due; written last before it is sent. */
    volatile long dueNanos;

    /** Whether a request is under way; whoever ends it, ends it once. */
    final AtomicBoolean busy = new AtomicBoolean();

    Connection(SocketChannel channel) {
      this.channel = channel;
    }
  }

  /**
   * Makes one.
   *
   * @param port of loopback
   * @param request as it goes over the wire
   * @param events how many events an answer has if it is whole; 0 if it is no stream
   */
  OpenLoop(int port, byte[] request, int events) {
    this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.request = request;
    this.events = events;
  }

  /** Makes one that sends what {@link Load} sends to a peer. */
  static OpenLoop to(Peer peer) {
    byte[] request = LoadClient.http(peer.path(), Load.headers(peer), Load.BODY);
    return new OpenLoop(peer.port(), request, 0);
  }

  /**
   * Sends for so long, and waits for what is under way then.
   *
   * @param lead for how long before that nothing is counted
   */
  Latencies run(int perSecond, Duration lead, Duration length)
      throws IOException, InterruptedException {
    try (Run run = new Run()) {
      Thread receiver = Thread.ofPlatform().daemon().name("receiver").start(run::receive);
      try {
        run.send(1e9 / perSecond, lead.toNanos(), length.toNanos());
        run.awaitAnswers();
      } finally {
        run.over = true;
        run.selector.wakeup();
        receiver.join();
      }
      return run.result();
    }
  }

  private final class Run implements AutoCloseable {
    final Selector selector = Selector.open();
    final BlockingDeque<Connection> idle = new LinkedBlockingDeque<>();
    final Queue<Connection> opened = new ConcurrentLinkedQueue<>();
    final AtomicInteger open = new AtomicInteger();

    /** How many that count are under way. */
    final AtomicInteger underWay = new AtomicInteger();

    /** Why those that count failed, and how many. */
    final ConcurrentMap<String, Long> reasons = new ConcurrentHashMap<>();

    final ByteBuffer read = ByteBuffer.allocateDirect(64 * 1024);
    final Histogram first = new Histogram(HIGHEST_MICROS, 3);
    final Histogram whole = new Histogram(HIGHEST_MICROS, 3);
    long answers;
    long streamed;
    volatile boolean over;

    Run() throws IOException {}

    void send(double everyNanos, long leadNanos, long lengthNanos) throws InterruptedException {
      long begin = System.nanoTime();
      for (long sent = 0; sent * everyNanos < leadNanos + lengthNanos; sent++) {
        long due = begin + (long) (sent * everyNanos);
        for (long now = System.nanoTime(); now - due < 0; now = System.nanoTime()) {
          LockSupport.parkNanos(due - now);
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
        }
        send(due, due - begin >= leadNanos);
      }
    }

    private void send(long due, boolean counted) throws InterruptedException {
      underWay.addAndGet(counted ? 1 : 0);
      try {
        send(free(), due, counted);
      } catch (IOException notConnected) {
        ended(counted, "not connected: " + notConnected.getMessage());
      }
    }

    /** A reason is null where nothing failed. */
    private void ended(boolean counted, @Nullable String reason) {
      if (counted) {
        underWay.decrementAndGet();
        if (reason != null) {
          reasons.merge(reason, 1L, Long::sum);
        }
      }
    }

    private Connection free() throws IOException, InterruptedException {
      Connection connection = idle.pollFirst();
      if (connection != null) {
        return connection;
      }
      return open.get() < MOST_CONNECTIONS ? connect() : idle.takeFirst();
    }

    private Connection connect() throws IOException {
      Connection connection = new Connection(SocketChannel.open(address));
      connection.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      connection.channel.configureBlocking(false);
      open.incrementAndGet();
      opened.add(connection);
      selector.wakeup();
      return connection;
    }

    private void send(Connection connection, long due, boolean counted) {
      connection.end.begin();
      connection.counted = counted;
      connection.firstMicros = -1;
      connection.dueNanos = due;
      connection.busy.set(true);
      ByteBuffer bytes = ByteBuffer.wrap(request);
      try {
        while (bytes.hasRemaining()) {
          connection.channel.write(bytes);
        }
      } catch (IOException broken) {
        if (connection.busy.compareAndSet(true, false)) {
          ended(counted, "not sent: " + broken.getMessage());
        }
      }
    }

    void receive() {
      try {
        while (!over) {
          selector.select(this::serve, 100);
          for (Connection each = opened.poll(); each != null; each = opened.poll()) {
            each.channel.register(selector, SelectionKey.OP_READ, each);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void serve(SelectionKey key) {
      Connection connection = (Connection) key.attachment();
      long due = connection.dueNanos;
      try {
        if (connection.channel.read(read.clear()) < 0) {
          throw new IOException("closed before its answer");
        }
        boolean ended = connection.end.reached(read.flip());
        long tookMicros = Math.min(HIGHEST_MICROS, (System.nanoTime() - due) / 1_000);
        if (connection.firstMicros < 0 && connection.end.bodyBegun()) {
          connection.firstMicros = tookMicros;
        }
        if (ended) {
          answered(connection, tookMicros);
        }
      } catch (IOException broken) {
        gone(connection, String.valueOf(broken.getMessage()));
      }
    }

    private void answered(Connection connection, long tookMicros) {
      AnswerEnd end = connection.end;
      @Nullable String failed = failed(end);
      if (connection.counted) {
        streamed += end.events();
      }
      if (connection.counted && failed == null) {
        answers++;
        first.recordValue(Math.max(0, connection.firstMicros));
        whole.recordValue(tookMicros);
      }
      connection.busy.set(false);
      ended(connection.counted, failed);
      if (end.closes()) {
        close(connection);
      } else {
        idle.addFirst(connection);
      }
    }

    private @Nullable String failed(AnswerEnd end) {
      if (end.status() != 200) {
        return "status " + end.status();
      }
      return events == 0 || end.events() == events ? null : "not all events";
    }

    private void gone(Connection connection, String reason) {
      close(connection);
      idle.remove(connection);
      if (connection.busy.compareAndSet(true, false)) {
        boolean begun = connection.firstMicros >= 0;
        ended(connection.counted, (begun ? "in its answer: " : "") + reason);
      }
    }

    private void close(Connection connection) {
      try {
        connection.channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      open.decrementAndGet();
    }

    void awaitAnswers() throws InterruptedException {
      long end = System.nanoTime() + LAST_ANSWERS.toNanos();
      while (underWay.get() > 0 && System.nanoTime() < end) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
    }

    /** To be called when the receiver has ended. */
    Latencies result() {
      if (underWay.get() > 0) {
        reasons.put("no answer", (long) underWay.get());
      }
      long failures = reasons.values().stream().mapToLong(Long::longValue).sum();
      return new Latencies(answers, failures, streamed, first, whole, new TreeMap<>(reasons));
    }

    @Override
    public void close() throws IOException {
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      for (Connection each : opened) {
        each.channel.close();
      }
      selector.close();
    }
  }
}
