package io.penstock.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/**
 * Prints the slowest test classes of a build: wall time, processor time, and number of gateways
 * started.
 *
 * <p>The processor time is that of the whole JVM while the class ran; it is the class's own only if
 * classes run one after another. Runs from source, without other classes, at the end of each build.
 * Arguments: the file that {@link ClassTimeListener} wrote, and the number of classes to print.
 */
final class ClassTimeReport {
  private record ClassTime(String name, long wallMillis, long cpuMillis, int gateways) {
    static ClassTime parse(String line) {
      String[] fields = line.split("\t", -1);
      return new ClassTime(
          fields[0],
          Long.parseLong(fields[1]),
          Long.parseLong(fields[2]),
          Integer.parseInt(fields[3]));
    }
  }

  private ClassTimeReport() {}

  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    int most = Integer.parseInt(arguments[1]);
    if (!Files.exists(file)) {
      return; // the tests were skipped
    }
    List<ClassTime> all =
        Files.readAllLines(file).stream()
            .map(ClassTime::parse)
            .sorted(Comparator.comparingLong(ClassTime::wallMillis).reversed())
            .toList();
    long wallMillis = all.stream().mapToLong(ClassTime::wallMillis).sum();
    int gateways = all.stream().mapToInt(ClassTime::gateways).sum();
    System.out.printf(
        "%d test classes took %.0f s, added up, and started %d gateways. The slowest:%n",
        all.size(), wallMillis / 1e3, gateways);
    System.out.printf("%8s %9s %9s  %s%n", "wall s", "JVM cpu s", "gateways", "class");
    all.stream()
        .limit(most)
        .forEach(
            each ->
                System.out.printf(
                    "%8.1f %9.1f %9d  %s%n",
                    each.wallMillis() / 1e3, each.cpuMillis() / 1e3, each.gateways(), each.name()));
  }
}
