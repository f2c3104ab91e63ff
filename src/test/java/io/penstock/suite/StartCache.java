package io.penstock.suite;

import io.penstock.Penstock;
import io.penstock.chart.TrainingRun;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The AOT cache for gateways that tests run in processes of their own; it about halves the
 * processor time of a start.
 *
 * <p>The first such gateway triggers the creation of the cache in the background, by one run of the
 * gateway that answers a few requests. Gateways that start before the cache exists run without it,
 * and so do all if it cannot be created. A cache needs the classes in a jar: there is none unless
 * the build has made the jar and names a directory for the cache in the system property {@code
 * penstock.start-cache}. Thread-safe.
 */
final class StartCache {
  private static final String DIRECTORY = System.getProperty("penstock.start-cache", "");

  /** Contains only the program's own classes; Spring Boot keeps this jar next to its own. */
  private static final Path JAR = Path.of("target", "penstock.jar.original").toAbsolutePath();

  private static @Nullable CompletableFuture<Path> made;

  private StartCache() {}

  private static boolean isPossible() {
    return !DIRECTORY.isEmpty() && Files.isRegularFile(JAR);
  }

  /** Returns the flag that makes a JVM use the cache; nothing while there is no cache. */
  static synchronized List<String> flags() {
    if (!isPossible()) {
      return List.of();
    }
    if (made == null) {
      made = new CompletableFuture<>();
      Thread.ofPlatform().name("start-cache").daemon().start(() -> make(made));
    }
    boolean present = made.isDone() && !made.isCompletedExceptionally();
    return present ? List.of("-XX:AOTCache=" + made.join()) : List.of();
  }

  /**
   * Returns this JVM's class path for a gateway: if a cache is possible, with the jar in place of
   * the directory of its classes, and with the test classes last or not at all.
   */
  static String classPath(boolean withTests) {
    List<String> tests = new ArrayList<>();
    List<String> program = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (entry.endsWith("test-classes")) {
        tests.add(entry);
      } else if (entry.endsWith(Path.of("target", "classes").toString()) && isPossible()) {
        program.addFirst(JAR.toString()); // the cache was created with the same first entries
      } else {
        program.add(entry);
      }
    }
    return String.join(
        File.pathSeparator,
        Stream.concat(program.stream(), withTests ? tests.stream() : Stream.of()).toList());
  }

  private static void make(CompletableFuture<Path> cache) {
    try {
      Path directory = Files.createDirectories(Path.of(DIRECTORY).toAbsolutePath());
      Path file = directory.resolve("gateway-" + ProcessHandle.current().pid() + ".aot");
      List<String> command =
          JavaCommand.java(
              "-XX:AOTCacheOutput=" + file, "-cp", classPath(false), Penstock.class.getName());
      try (TrainingRun run = new TrainingRun(command, directory)) {
        run.ask();
        run.end();
      }
      cache.complete(file);
    } catch (IOException | TrainingRun.Failed e) {
      System.out.println("Gateways start without an AOT cache: " + e);
      cache.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cache.completeExceptionally(e);
    }
  }
}
