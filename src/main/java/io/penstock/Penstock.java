package io.penstock;

import io.penstock.cli.PenstockCommands;
import io.penstock.mock.MockAddress;
import io.penstock.time.WallClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;

/** The program. */
public final class Penstock {
  private static final int FAILED = 1;

  private Penstock() {}

  /** Runs a command; returns only if a server was started and runs. */
  public static void main(String[] arguments) {
    Map<String, String> environment = System.getenv();
    WallClock wall = WallClock.system();
    InstantSource clock = () -> Instant.ofEpochMilli(wall.unixMillis());
    if (arguments.length > 0 && arguments[0].equals(PenstockCommands.TOP)) {
      System.exit(PenstockCommands.top(environment, clock).execute(arguments));
    }
    ServeCommand serve = new ServeCommand(environment);
    int exit =
        PenstockCommands.commandLine(environment, MockAddress::parse, clock, serve)
            .execute(PenstockCommands.withDefault(arguments));
    if (!serve.running()) {
      System.exit(exit);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(serve), "penstock-stop"));
  }

  /**
   * Stops the server with exit code 0: a requested stop is no failure, although the JVM's own exit
   * code would say so.
   */
  private static void stop(ServeCommand serve) {
    int exit = FAILED;
    try {
      serve.stop();
      exit = 0;
    } finally {
      Runtime.getRuntime().halt(exit);
    }
  }
}
