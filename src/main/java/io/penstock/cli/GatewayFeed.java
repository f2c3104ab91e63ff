package io.penstock.cli;

import io.penstock.cli.OperatorClient.Events;
import io.penstock.cli.OperatorClient.Failed;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Puts what a gateway reports into a queue, until it is closed: events as they occur, and every
 * second the state that they do not include. Reconnects, repeatedly, when the gateway goes away.
 *
 * <p>A full queue stops the reading; the gateway then drops events and reports their number.
 */
final class GatewayFeed implements AutoCloseable {
  private static final long FIRST_RETRY_MILLIS = 250;
  private static final long LAST_RETRY_MILLIS = 5_000;
  private static final long POLL_MILLIS = 1_000;

  /**
   * Factor that makes the pause between two polls long compared to the time that a poll takes, so
   * that a gateway with many endpoints is not burdened.
   */
  private static final int REST = 20;

  private static final Duration POLL = Duration.ofSeconds(10);
  private static final Duration TEST = Duration.ofMinutes(15);
  private static final int MOST_TESTS = 20;
  private static final int MOST_QUEUES = 20;

  private final OperatorClient client;
  private final BlockingQueue<ViewerMessage> to;
  private final InstantSource clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Semaphore polls = new Semaphore(0);
  private final AtomicInteger tests = new AtomicInteger();
  private volatile boolean connected;
  private volatile boolean upstreams;

  /**
   * Whether there are waiting tickets that no event has announced: from before the connection, or
   * because events were lost.
   */
  private volatile boolean strange;

  GatewayFeed(OperatorClient client, BlockingQueue<ViewerMessage> to, InstantSource clock) {
    this.client = client;
    this.to = to;
    this.clock = clock;
  }

  /** Starts the threads. */
  void start() {
    Thread.ofVirtual().name("penstock-top-events").start(() -> untilClosed(this::listen));
    Thread.ofVirtual().name("penstock-top-polls").start(() -> untilClosed(this::poll));
  }

  /** Sets whether upstreams are polled, too. */
  void wantUpstreams(boolean wanted) {
    upstreams = wanted;
    polls.release();
  }

  /** Pauses, resumes or tests an endpoint, and reports the result. */
  void ask(String verb, String path) {
    boolean test = verb.equals("test");
    if (test && tests.incrementAndGet() > MOST_TESTS) {
      tests.decrementAndGet();
      to.offer(
          new ViewerMessage.Done(false, verb, path, MOST_TESTS + " test requests wait already"));
      return;
    }
    Thread.ofVirtual()
        .name("penstock-top-" + verb)
        .start(
            () ->
                untilClosed(
                    () -> {
                      to.put(asked(verb, path));
                      polls.release();
                      if (test) {
                        tests.decrementAndGet();
                      }
                    }));
  }

  private ViewerMessage asked(String verb, String path) {
    try {
      String target = "/endpoints/" + verb + "?path=" + OperatorClient.encoded(path);
      JsonNode body = client.ask("POST", target, null, TEST).body();
      String message = EventText.rest(body);
      return new ViewerMessage.Done(true, verb, path, message.isEmpty() ? "done" : message);
    } catch (Failed failed) {
      boolean old = failed.missing() && failed.why().contains("nothing here");
      return new ViewerMessage.Done(
          false, verb, path, old ? "this gateway is too old for it" : failed.why());
    }
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private void untilClosed(Work work) {
    try {
      work.run();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void listen() throws InterruptedException {
    long retry = FIRST_RETRY_MILLIS;
    while (!isClosed()) {
      String why;
      try (Events opened = client.events()) {
        to.put(new ViewerMessage.Connected());
        strange = true;
        connected = true;
        polls.release();
        retry = FIRST_RETRY_MILLIS;
        why = read(opened);
      } catch (Failed failed) {
        why = failed.why();
        if (failed.token() || failed.asked()) {
          to.put(new ViewerMessage.Hopeless(why));
          return;
        }
      }
      connected = false;
      to.put(new ViewerMessage.Disconnected(why));
      if (closed.await(retry, TimeUnit.MILLISECONDS)) {
        return;
      }
      retry = Math.min(LAST_RETRY_MILLIS, retry * 2);
    }
  }

  /** Reads until the stream ends, and returns the reason. */
  private String read(Events from) throws InterruptedException {
    String name = "";
    StringBuilder data = new StringBuilder();
    try {
      for (String line = from.line(); line != null && !isClosed(); line = from.line()) {
        if (line.startsWith("event:")) {
          name = line.substring(6).strip();
        } else if (line.startsWith("data:")) {
          data.append(line, 5, line.length());
        } else if (line.isEmpty() && !data.isEmpty()) {
          tell(name, data.toString());
          name = "";
          data.setLength(0);
        }
      }
      return "the gateway ended the events";
    } catch (IOException broken) {
      return "the connection broke";
    }
  }

  private void tell(String name, String data) throws InterruptedException {
    try {
      to.put(new ViewerMessage.Told(name, CommandJson.read(data)));
      if (name.equals("lost")) {
        strange = true;
      }
    } catch (JacksonException unreadable) {
      to.put(new ViewerMessage.Done(false, "event", "", "one is not JSON"));
    }
  }

  private void poll() throws InterruptedException {
    long pause = POLL_MILLIS;
    while (!isClosed()) {
      boolean _ = polls.tryAcquire(pause, TimeUnit.MILLISECONDS);
      polls.drainPermits();
      if (!connected) {
        continue;
      }
      long began = clock.millis();
      try {
        JsonNode endpoints = client.ask("GET", "/endpoints", null, POLL).body();
        to.put(new ViewerMessage.Endpoints(endpoints));
        if (strange) {
          strange = false;
          askWhoWaits(endpoints);
        }
        if (upstreams) {
          to.put(new ViewerMessage.Upstreams(client.ask("GET", "/upstreams", null, POLL).body()));
        }
      } catch (Failed late) {
        // If the gateway is gone, the event stream reports it. The poll is repeated in any case.
        to.put(new ViewerMessage.Done(false, "endpoints", "", late.why()));
      }
      pause = Math.max(POLL_MILLIS, REST * (clock.millis() - began));
    }
  }

  /**
   * Asks for waiting tickets that no event has announced, because the dots have the colour of a
   * ticket's age.
   */
  private void askWhoWaits(JsonNode endpoints) throws InterruptedException {
    int asked = 0;
    for (JsonNode each : endpoints) {
      String path = each.path("path").asString("");
      if (each.path("queue_depth").asLong(0) == 0 || asked++ >= MOST_QUEUES) {
        continue;
      }
      try {
        String target = "/tickets?path=" + OperatorClient.encoded(path);
        to.put(new ViewerMessage.Tickets(path, client.ask("GET", target, null, POLL).body()));
      } catch (Failed unknown) {
        return; // an older gateway cannot list tickets: their dots stay grey
      }
    }
  }

  /**
   * Ends all work without waiting for it. The thread that reads the event stream ends with the next
   * line, which may take 15 seconds, or with the program: closing the connection from here would
   * block until that line.
   */
  @Override
  public void close() {
    closed.countDown();
    polls.release();
  }
}
