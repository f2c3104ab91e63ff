package io.penstock.fake;

import io.penstock.Server;
import io.penstock.event.EventBus;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A gateway in a process of its own that writes down what it lets go, see {@link ReleaseNotes}. It
 * ends with its standard input.
 */
final class FleetInstance {
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
    try (ReleaseNotes _ =
            new ReleaseNotes(
                Path.of(arguments[0]),
                context.getBean(EventBus.class),
                context.getBean(Ticker.class));
        context) {
      System.out.println(
          "READY " + context.getEnvironment().getRequiredProperty("local.server.port"));
      while (System.in.read() >= 0) {
        // what is said does not matter
      }
    }
  }
}
