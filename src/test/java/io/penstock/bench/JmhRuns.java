package io.penstock.bench;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.openjdk.jmh.generators.BenchmarkProcessor;

/**
 * Runs JMH in processes of its own. Its code is generated here instead of in the build: that reads
 * clocks, and no other test needs it.
 */
final class JmhRuns {
  /** Longest duration of all benchmarks of one run. */
  private static final long LONGEST_SECONDS = 280;

  private final Path directory;

  /** Creates a runner with a directory for generated files. */
  JmhRuns(Path directory) {
    this.directory = directory;
  }

  /**
   * Runs all benchmarks of these classes with the allocation profiler. Returns each score by the
   * name of the method and its parameters, sorted by their names, such as {@code parkAndRelease 0
   * FIFO}, and the profiler's results under names such as {@code take:gc.alloc.rate.norm}.
   */
  Map<String, Double> run(Class<?>... benchmarks) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    generate(benchmarks);
    Path scores = directory.resolve("scores.csv");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("org.openjdk.jmh.Main", "-foe", "true", "-prof", "gc"));
    command.addAll(List.of("-rf", "csv", "-rff", scores.toString()));
    for (Class<?> each : benchmarks) {
      command.add("^" + each.getName().replace(".", "\\.") + "\\.");
    }
    ForkedJvm.run(
        directory + File.pathSeparator + ForkedJvm.CLASSES,
        directory.resolve("jmh.log"),
        LONGEST_SECONDS,
        command.toArray(String[]::new));
    return scores(Files.readAllLines(scores));
  }

  private void generate(Class<?>... benchmarks) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String processor = BenchmarkProcessor.class.getName();
    List<String> options =
        List.of(
            "-d",
            directory.toString(),
            "-cp",
            ForkedJvm.CLASSES,
            "-proc:full",
            "-processor",
            processor);
    List<String> names = Arrays.stream(benchmarks).map(Class::getName).toList();
    Path log = directory.resolve("javac.log");
    boolean done;
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(log))) {
      done = compiler.getTask(out, null, null, options, names, null).call();
    }
    if (!done) {
      throw new AssertionError("JMH's code does not compile:\n" + Files.readString(log));
    }
  }

  /**
   * Parses scores from the columns benchmark, mode, threads, samples, score, error, unit, and
   * parameters by name.
   */
  private static Map<String, Double> scores(List<String> lines) {
    Map<String, Double> scores = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.replace("\"", "").split(",", -1);
      String[] name = cells[0].split(":", 2);
      StringBuilder key = new StringBuilder(name[0].substring(name[0].lastIndexOf('.') + 1));
      for (int at = 7; at < cells.length; at++) {
        key.append(cells[at].isEmpty() ? "" : " ").append(cells[at]);
      }
      key.append(name.length > 1 ? ":" + name[1] : "");
      scores.put(key.toString(), Double.valueOf(cells[4]));
    }
    return scores;
  }
}
