package io.penstock.fake;

import io.penstock.GatewayServer;
import io.penstock.event.EventBus;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A gateway in a process of its own that logs its releases, see {@link ReleaseNotes}. It ends when
 * its standard input ends.
 */
final class FleetProcess {
  private FleetProcess() {}

  /**
   * Starts a gateway; the arguments are the log, the routes, the milliseconds of a minute, and
   * Spring's arguments.
   */
  public static void main(String[] arguments) throws IOException {
    String[] spring = Arrays.copyOfRange(arguments, 3, arguments.length);
    Duration minute = Duration.ofMillis(Long.parseLong(arguments[2]));
    GatewayServer.Start start =
        GatewayServer.start(Map.of(), Path.of(arguments[1]), minute, spring);
    if (!(start instanceof GatewayServer.Started(ConfigurableApplicationContext context))) {
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
        // the content of the input does not matter
      }
    }
  }
}
