package io.penstock.cli;

import io.penstock.cli.OperatorClient.Events;
import io.penstock.cli.OperatorClient.Failed;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Puts what a gateway streams into a queue, until it is closed: changes of its state, and events as
 * they occur. Reconnects, repeatedly, when the gateway goes away.
 *
 * <p>A full queue stops the reading; the gateway then drops events and reports their number.
 */
final class GatewayFeed implements AutoCloseable {
  private static final long FIRST_RETRY_MILLIS = 250;
  private static final long LAST_RETRY_MILLIS = 5_000;
  private static final Duration TEST = Duration.ofMinutes(15);
  private static final int MOST_TESTS = 20;
  private static final String LIVE = "/live";

  private final OperatorClient client;
  private final BlockingQueue<ViewerMessage> to;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicInteger tests = new AtomicInteger();

  GatewayFeed(OperatorClient client, BlockingQueue<ViewerMessage> to) {
    this.client = client;
    this.to = to;
  }

  /** Starts the threads. */
  void start() {
    start("state", () -> follow(LIVE));
    start("events", () -> follow("/events?lines"));
  }

  private void start(String name, Work work) {
    Thread.ofVirtual().name("penstock-top-" + name).start(() -> untilClosed(work));
  }

  /** Asks for the configuration of an endpoint. */
  void askConfiguration(String path) {
    start(
        "configuration",
        () -> {
          String target = "/endpoints?path=" + OperatorClient.encoded(path);
          try {
            JsonNode found = client.ask("GET", target, null).body();
            to.put(new ViewerMessage.Configured(path, found.path(0).path("config")));
          } catch (Failed failed) {
            to.put(new ViewerMessage.Done(false, "configuration", path, failed.why()));
          }
        });
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
    start(
        verb,
        () -> {
          to.put(asked(verb, path));
          if (test) {
            tests.decrementAndGet();
          }
        });
  }

  private ViewerMessage asked(String verb, String path) {
    try {
      String target = "/endpoints/" + verb + "?path=" + OperatorClient.encoded(path);
      JsonNode body = client.ask("POST", target, null, TEST).body();
      String message = CommandJson.members(body);
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

  /** Reads a stream; the one with the state decides whether there is a connection. */
  private void follow(String path) throws InterruptedException {
    boolean live = path.equals(LIVE);
    long retry = FIRST_RETRY_MILLIS;
    while (!isClosed()) {
      String why;
      try (Events opened = client.stream(path)) {
        if (live) {
          to.put(new ViewerMessage.Connected());
        }
        retry = FIRST_RETRY_MILLIS;
        why = read(opened, live);
      } catch (Failed failed) {
        why = failed.why();
        if (failed.hopeless()) {
          to.put(
              new ViewerMessage.Hopeless(
                  failed.missing() ? "this gateway is too old for top: it has no " + path : why));
          return;
        }
      }
      if (live) {
        to.put(new ViewerMessage.Disconnected(why));
      }
      if (closed.await(retry, TimeUnit.MILLISECONDS)) {
        return;
      }
      retry = Math.min(LAST_RETRY_MILLIS, retry * 2);
    }
  }

  /** Reads until the stream ends, and returns the reason. */
  private String read(Events from, boolean live) throws InterruptedException {
    String name = "";
    StringBuilder data = new StringBuilder();
    try {
      for (String line = from.line(); line != null && !isClosed(); line = from.line()) {
        if (line.startsWith("event:")) {
          name = line.substring(6).strip();
        } else if (line.startsWith("data:")) {
          data.append(line, 5, line.length());
        } else if (line.isEmpty() && !data.isEmpty()) {
          put(live, name, data.toString());
          name = "";
          data.setLength(0);
        }
      }
      return "the gateway ended the stream";
    } catch (IOException broken) {
      return "the connection broke";
    }
  }

  private void put(boolean live, String name, String text) throws InterruptedException {
    try {
      JsonNode data = CommandJson.read(text);
      to.put(
          live ? new ViewerMessage.LiveUpdate(name, data) : new ViewerMessage.LogEvent(name, data));
    } catch (JacksonException unreadable) {
      to.put(new ViewerMessage.Done(false, "event", "", "one is not JSON"));
    }
  }

  /**
   * Ends all work without waiting for it. The threads that read the streams end with the next line,
   * which may take 15 seconds, or with the program: closing the connection from here would block
   * until that line.
   */
  @Override
  public void close() {
    closed.countDown();
  }
}
