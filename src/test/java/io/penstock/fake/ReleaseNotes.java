package io.penstock.fake;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.env.Environment;

/**
 * Logs each release of a gateway as it happens: the Unix nanosecond, the tokens, the waiting time,
 * and the endpoint. A program started with {@link #ARGUMENT} does this, too.
 */
final class ReleaseNotes implements AutoCloseable {
  /** Argument that makes Spring create an instance in the unchanged program. */
  static final String ARGUMENT = "--spring.main.sources=" + ReleaseNotes.class.getName();

  /** Spring's property with the path of the log. */
  static final String FILE = "test.released";

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int LOOKS = 50;

  private final BufferedWriter log;
  private final long shift;

  @Autowired
  ReleaseNotes(EventBus events, Ticker ticker, Environment environment) throws IOException {
    this(Path.of(environment.getRequiredProperty(FILE)), events, ticker);
  }

  ReleaseNotes(Path file, EventBus events, Ticker ticker) throws IOException {
    this.log = Files.newBufferedWriter(file);
    this.shift = shift(ticker);
    events.subscribe(this::note);
  }

  /**
   * Returns the offset of the wall clock from the ticker. The wall clock has milliseconds and is
   * exact at the instant at which one begins; a delayed thread notices that later, but never
   * earlier.
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

  private synchronized void note(Event event) {
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
      log.flush(); // the process may be killed at any instant
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the releases of a gateway at an endpoint. */
  static List<GatewayFleet.Released> read(Path file, int instance, String endpoint)
      throws IOException {
    List<GatewayFleet.Released> all = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ", 4);
      if (words.length == 4 && words[3].equals(endpoint)) {
        long at = Long.parseLong(words[0]);
        long tokens = Long.parseLong(words[1]);
        all.add(
            new GatewayFleet.Released(at, instance, tokens, Long.parseLong(words[2]), endpoint));
      }
    }
    return all;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
