package io.penstock.bench;

import io.penstock.Server;
import io.penstock.time.Ticker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** Says how many milliseconds a start takes, from a JVM that has just begun to one that listens. */
final class StartTime {
  private StartTime() {}

  /** The arguments are the route file, and Spring's. */
  public static void main(String[] arguments) {
    Ticker ticker = Ticker.system();
    long before = ticker.nanos();
    String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
    Server.Start start = Server.start(Map.of(), Path.of(arguments[0]), rest);
    if (!(start instanceof Server.Started started)) {
      throw new IllegalStateException("did not start: " + start);
    }
    System.out.println("started in " + (ticker.nanos() - before) / 1_000_000);
    started.context().close();
  }
}
