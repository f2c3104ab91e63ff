package io.penstock.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints by package how many mutants a unit test killed, from the file that is the only argument,
 * and then each method with survivors. A mutant is a program with one small change; it is killed
 * when a test fails, or does not end, because of it.
 *
 * <p>The columns of the file are file, class, kind of change, method, line, what became of it, and
 * the test that killed it.
 */
final class MutationReport {
  private static final int CLASS = 1;
  private static final int METHOD = 3;
  private static final int STATUS = 5;

  private static final class Share {
    private int killed;
    private int all;

    void add(String status) {
      all++;
      killed += status.equals("KILLED") || status.equals("TIMED_OUT") ? 1 : 0;
    }

    @Override
    public String toString() {
      return "%4d of %4d  %5.1f %%".formatted(killed, all, 100.0 * killed / all);
    }
  }

  private MutationReport() {}

  public static void main(String[] arguments) throws IOException {
    Map<String, Share> packages = new TreeMap<>();
    Map<String, Share> methods = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(arguments[0]), UTF_8)) {
      String[] columns = line.split(",", -1);
      String type = columns[CLASS];
      String status = columns[STATUS];
      packages
          .computeIfAbsent(type.substring(0, type.lastIndexOf('.')), absent -> new Share())
          .add(status);
      methods.computeIfAbsent(type + "." + columns[METHOD], absent -> new Share()).add(status);
    }
    System.out.println("Methods with mutants that no unit test kills:");
    methods.forEach((method, share) -> print(share.killed < share.all, share, method));
    System.out.println("Mutants that unit tests kill, by package:");
    packages.forEach((name, share) -> print(true, share, name));
  }

  private static void print(boolean wanted, Share share, String name) {
    if (wanted) {
      System.out.println("  " + share + "  " + name);
    }
  }
}
