package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lets the jar of an older commit and the one of the present sources check the same broken route
 * files. Both must say the same, letter by letter; what differs is printed.
 */
class BrokenRouteFilesTrial {
  private static final long SEED = Long.getLong("penstock.broken.seed", 49);
  private static final int FILES = 1_000;
  private static final int MOST_PRINTED = 10;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir private Path directory;

  @Test
  void brokenFiles_areFaultyInTheSameWords() throws IOException {
    new BrokenRouteFiles(SEED).write(directory, FILES);
    for (JarVersion version : JarVersion.values()) {
      String classPath = Path.of("target", "test-classes") + ":" + UnpackedJar.of(version);
      List<String> command = JavaCommand.java(classPath, RouteFileChecks.class);
      command.addAll(List.of(directory.toString(), ending(version)));
      Path log = directory.resolve(version + ".log");
      PreviousJar.Ended ended = PreviousJar.run(Path.of(""), log, LIMIT, command);
      assertThat(ended.status()).as(ended.text()).isZero();
    }
    List<Path> different = different(directory, ending(JarVersion.PREVIOUS));
    System.out.println(different.size() + " of " + FILES + " broken route files differ");
    for (Path file : different.subList(0, Math.min(MOST_PRINTED, different.size()))) {
      System.out.println("--- " + file.getFileName() + "\n" + Files.readString(file));
      for (JarVersion version : JarVersion.values()) {
        String answer = Files.readString(RouteFileChecks.answer(file, ending(version)));
        System.out.println(version + " says\n" + answer);
      }
    }
    assertThat(different).isEmpty();
  }

  private static String ending(JarVersion version) {
    return "." + version;
  }

  private static List<Path> different(Path directory, String previous) throws IOException {
    List<Path> different = new ArrayList<>();
    for (Path file : RouteFileChecks.files(directory)) {
      Path before = RouteFileChecks.answer(file, previous);
      Path now = RouteFileChecks.answer(file, ending(JarVersion.CURRENT));
      if (Files.mismatch(before, now) >= 0) {
        different.add(file);
      }
    }
    return different;
  }
}
