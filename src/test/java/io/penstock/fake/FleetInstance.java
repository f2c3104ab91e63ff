package io.penstock.fake;

import io.penstock.Server;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A gateway in a process of its own that writes down each release as it happens: the Unix
 * nanosecond, the tokens, how long it waited, and the endpoint. It ends with its standard input.
 */
final class FleetInstance {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int LOOKS = 50;

  private FleetInstance() {}

  /** Starts; arguments are the log, the routes, the milliseconds of a minute, and Spring's. */
  public static void main(String[] arguments) throws IOException {
    String[] spring = Arrays.copyOfRange(arguments, 3, arguments.length);
    Duration minute = Duration.ofMillis(Long.parseLong(arguments[2]));
    Server.Start start = Server.start(Map.of(), Path.of(arguments[1]), minute, spring);
    if (!(start instanceof Server.Started(ConfigurableApplicationContext context))) {
      System.out.println("FAILED " + start);
      return;
    }
    try (BufferedWriter log = Files.newBufferedWriter(Path.of(arguments[0]));
        context) {
      EventBus events = context.getBean(EventBus.class);
      long shift = shift(context.getBean(Ticker.class));
      events.subscribe(event -> note(event, shift, log));
      System.out.println(
          "READY " + context.getEnvironment().getRequiredProperty("local.server.port"));
      while (System.in.read() >= 0) {
        // what is said does not matter
      }
    }
  }

  /**
   * What to add to the ticker for the wall clock. That one tells milliseconds: at the instant at
   * which one begins it is exact, and who was held up notices that later, never earlier.
   */
  private static long shift(Ticker ticker) {
    WallClock wall = WallClock.system();
    long shift = Long.MIN_VALUE;
    for (int look = 0; look < LOOKS; look++) {
      long before = wall.unixMillis();
      while (wall.unixMillis() == before) {
        Thread.onSpinWait();
      }
      shift = Math.max(shift, wall.unixMillis() * NANOS_PER_MILLI - ticker.nanos());
    }
    return shift;
  }

  private static synchronized void note(Event event, long shift, BufferedWriter log) {
    if (!(event instanceof Event.Released released)) {
      return;
    }
    try {
      log.write(
          "%d %d %d %s%n"
              .formatted(
                  released.atNanos() + shift,
                  released.cost().inputTokens() + released.cost().outputTokens(),
                  released.waitedNanos(),
                  released.endpoint()));
      log.flush(); // it may be killed at any instant
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
