package io.penstock.bench;

import io.penstock.GatewayServer;
import io.penstock.time.Ticker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** Prints the milliseconds that a start takes, from a new JVM to a listening gateway. */
final class StartTime {
  private StartTime() {}

  /** Starts a gateway; the arguments are the route file, and Spring's arguments. */
  public static void main(String[] arguments) {
    Ticker ticker = Ticker.system();
    long before = ticker.nanos();
    String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
    GatewayServer.Start start = GatewayServer.start(Map.of(), Path.of(arguments[0]), rest);
    if (!(start instanceof GatewayServer.Started started)) {
      throw new IllegalStateException("did not start: " + start);
    }
    System.out.println("started in " + (ticker.nanos() - before) / 1_000_000);
    started.context().close();
  }
}
