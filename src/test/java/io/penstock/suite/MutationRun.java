package io.penstock.suite;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs PIT for one package after another, each with its own unit tests, and prints a {@link
 * MutationReport}. Running all tests for all classes would take many hours, because for a surviving
 * mutant every test that reaches it must run.
 *
 * <p>The first argument is the directory for the results, the second one the only group to run, or
 * {@code all}.
 */
final class MutationRun {
  private static final String CODE = "io.penstock.";

  /** Classes of {@code redis.coordination} that compute and do not communicate with Redis. */
  private static final List<String> OBJECTS = List.of("Membership", "WaitingTurns", "StoreClock");

  private static final List<String> REGIONS =
      List.of(
          "RegionLimits",
          "TableCursor",
          "RegionSync",
          "RegionLimit",
          "RegionStatistics",
          "RegionLimitSource");

  /** Tests with many threads or many seeds, which take long and may fail by chance. */
  private static final String EXCLUDED_TESTS =
      "*LincheckTest,*StressTest,*Hammered*,*LearningTest,*OceanTest,*ScheduleTest,"
          + "*.ShareMutantsTest,*.ShareProgressTest,*.FleetTest,*.SimulationTest";

  /** Tag of tests that take seconds, which they would take for each surviving mutant. */
  private static final String EXCLUDED_TAG = "long";

  /** Longer than any of these tests takes. */
  private static final int TIMEOUT_MILLIS = 1_500;

  /**
   * A part of the program that is measured at once.
   *
   * @param classes the classes to be changed
   * @param tests the tests to be run
   */
  private record Group(String name, List<String> classes, List<String> tests) {
    static Group of(String name) {
      return of(name, List.of(name + ".*"));
    }

    static Group of(String name, List<String> classes) {
      return new Group(name, classes, List.of(name + ".*Test"));
    }

    /** Returns a group of packages that are tested together; it has the name of the first. */
    static Group ofPackages(String... names) {
      List<String> all = List.of(names);
      return new Group(
          names[0],
          all.stream().map(each -> each + ".*").toList(),
          all.stream().map(each -> each + ".*Test").toList());
    }
  }

  private MutationRun() {}

  private static List<Group> groups() {
    return List.of(
        Group.of("cost"),
        Group.of("pool"),
        Group.of("key"),
        Group.of("coordination"),
        Group.of("queue"),
        Group.of("limit"),
        Group.of("quota"),
        Group.ofPackages("dispatch", "explain", "endpoint"),
        Group.of("sharing"),
        Group.of("model"),
        Group.of("usage"),
        Group.of("shares"),
        Group.of("redis.coordination", named("redis.coordination", OBJECTS)),
        Group.of("region", named("region", REGIONS)));
  }

  /** Returns these classes of a package, and those nested in them. */
  private static List<String> named(String folder, List<String> classes) {
    return classes.stream()
        .flatMap(each -> Stream.of(folder + "." + each, folder + "." + each + "$*"))
        .toList();
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path results = Path.of(arguments[0]);
    List<Path> found = new ArrayList<>();
    for (Group group : groups()) {
      if (List.of("all", group.name()).contains(arguments[1])) {
        Path directory = results.resolve(group.name());
        run(group, directory);
        found.add(directory.resolve("mutations.csv"));
      }
    }
    MutationReport.print(found);
  }

  private static void run(Group group, Path directory) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("org.pitest.mutationtest.commandline.MutationCoverageReport");
    option(command, "reportDir", directory.toString());
    option(command, "timestampedReports", "false");
    option(command, "outputFormats", "CSV");
    option(command, "sourceDirs", "src/main/java");
    option(command, "mutableCodePaths", Path.of("target/classes").toAbsolutePath().toString());
    option(command, "targetClasses", globs(group.classes()));
    option(command, "targetTests", globs(group.tests()));
    option(command, "excludedTestClasses", EXCLUDED_TESTS);
    option(command, "excludedGroups", EXCLUDED_TAG);
    option(command, "threads", String.valueOf(Runtime.getRuntime().availableProcessors()));
    option(command, "timeoutConst", String.valueOf(TIMEOUT_MILLIS));
    option(
        command,
        "jvmArgs",
        "-Xmx1g,-XX:+UseSerialGC,-XX:TieredStopAtLevel=1,--enable-native-access=ALL-UNNAMED,"
            + "--sun-misc-unsafe-memory-access=allow");
    File log = directory.resolve("pit.log").toFile();
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    int exit = builder.redirectErrorStream(true).redirectOutput(Redirect.to(log)).start().waitFor();
    if (exit != 0) {
      throw new IllegalStateException(
          "PIT ended with exit code %d for %s; see the end of %s"
              .formatted(exit, group.name(), log));
    }
  }

  private static void option(List<String> command, String name, String value) {
    command.add("--" + name);
    command.add(value);
  }

  private static String globs(List<String> names) {
    return names.stream().map(each -> CODE + each).collect(Collectors.joining(","));
  }
}
