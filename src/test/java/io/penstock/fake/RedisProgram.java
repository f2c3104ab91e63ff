package io.penstock.fake;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A program that tests run as Redis: the bundled one, or an installed one. */
public enum RedisProgram {
  BUNDLED(""),
  REDIS("redis-server"),
  VALKEY("valkey-server");

  private final String file;

  RedisProgram(String file) {
    this.file = file;
  }

  /** Returns the file of an installed program if it is in PATH. */
  Optional<Path> installed() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(directory -> Path.of(directory, file))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Skips the calling test with a message if the program is not installed. */
  public void assumeInstalled() {
    if (this != BUNDLED && installed().isEmpty()) {
      System.out.println("Tests with " + file + " are skipped: there is no " + file + " in PATH");
      Assumptions.abort("no " + file + " in PATH");
    }
  }

  /**
   * Returns how many of the histories of a differential test to run: all on the bundled program.
   */
  public int histories(int all) {
    return this == BUNDLED ? all : all / 4;
  }

  /** Starts a server, as {@link RedisServer#started(String...)} does. */
  public RedisServer started(String... settings) {
    if (this == BUNDLED) {
      return RedisServer.started(settings);
    }
    assumeInstalled();
    return RedisServer.started(installed().orElseThrow(), settings);
  }
}
