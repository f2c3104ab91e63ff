package io.penstock.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints for each package the fraction of mutants that a unit test kills, and the methods with
 * surviving mutants that are not listed as equivalent. A mutant is the program with one small
 * change; it is killed if a test fails, or does not end, because of it. It is equivalent if its
 * behaviour cannot be distinguished from the program's.
 *
 * <p>The columns of a file of results are file, class, kind of change, method, line, result, and
 * the test that killed it.
 */
final class MutationReport {
  /** Each line: class and method, the kind of change, its number, and the reason. */
  static final Path EQUIVALENT = Path.of("src/test/resources/equivalent-mutants.txt");

  private static final Pattern LISTED = Pattern.compile("(\\S+) (\\S+) x(\\d+): (.+)");
  private static final Set<String> KILLED = Set.of("KILLED", "TIMED_OUT", "MEMORY_ERROR");
  private static final String CODE = "io.penstock.";
  private static final int CLASS = 1;
  private static final int KIND = 2;
  private static final int METHOD = 3;
  private static final int STATUS = 5;

  private static final class Share {
    private int killed;
    private int listed;
    private int all;

    @Override
    public String toString() {
      return "%4d of %4d  %5.1f %%  %4d equivalent  %4d left"
          .formatted(killed, all, 100.0 * killed / all, listed, all - killed - listed);
    }
  }

  private MutationReport() {}

  /** Prints a summary of the files of results. */
  static void print(List<Path> results) throws IOException {
    Map<String, Share> packages = new TreeMap<>();
    Map<String, Integer> survivors = new TreeMap<>();
    for (Path each : results) {
      for (String line : Files.readAllLines(each, UTF_8)) {
        String[] columns = line.split(",", -1);
        String type = columns[CLASS].substring(CODE.length());
        Share share =
            packages.computeIfAbsent(type.substring(0, type.indexOf('.')), absent -> new Share());
        share.all++;
        if (KILLED.contains(columns[STATUS])) {
          share.killed++;
        } else {
          survivors.merge(type + "." + columns[METHOD] + " " + kind(columns), 1, Integer::sum);
        }
      }
    }
    Map<String, Integer> equivalent = equivalent();
    System.out.println("Mutants that no unit test kills, and that are not equivalent:");
    survivors.forEach(
        (method, count) -> {
          int listed = Math.min(count, equivalent.getOrDefault(method, 0));
          packages.get(method.substring(0, method.indexOf('.'))).listed += listed;
          if (count > listed) {
            System.out.println("  " + method + " x" + (count - listed));
          }
        });
    System.out.println("Mutants that unit tests kill, by package:");
    packages.forEach((name, share) -> System.out.println("  " + share + "  " + name));
  }

  /** Returns the kind of change without the words common to all. */
  private static String kind(String[] columns) {
    String type = columns[KIND];
    return type.substring(type.lastIndexOf('.') + 1).replace("Mutator", "");
  }

  /** Returns the listed numbers of each kind of change, by method. */
  static Map<String, Integer> equivalent() throws IOException {
    Map<String, Integer> listed = new TreeMap<>();
    for (String line : Files.readAllLines(EQUIVALENT, UTF_8)) {
      Matcher parts = LISTED.matcher(line);
      if (!parts.matches()) {
        throw new IllegalStateException(EQUIVALENT + " says what nobody understands: " + line);
      }
      listed.merge(
          parts.group(1) + " " + parts.group(2), Integer.parseInt(parts.group(3)), Integer::sum);
    }
    return listed;
  }
}
