package io.penstock.suite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the test classes with one tag in JVMs of their own, in each of them one after another, while
 * other classes run in this one. Each of their tests counts as a test of the subclass of this
 * class.
 */
abstract class OtherJvmTests {
  private static final long MOST_MINUTES = 120;

  private final String tag;
  private final int jvms;
  private final List<String> flags;
  private final List<Process> processes = new ArrayList<>();

  /** Results of completed tests; an empty one for each process whose output has ended. */
  private final BlockingQueue<Optional<TestResultLine>> results = new LinkedBlockingQueue<>();

  /**
   * Selects the tests to run.
   *
   * @param tag the JUnit tag of the classes
   * @param jvms number of JVMs that share the classes
   * @param flags flags of these JVMs
   */
  OtherJvmTests(String tag, int jvms, String... flags) {
    this.tag = tag;
    this.jvms = jvms;
    this.flags = List.of(flags);
  }

  @TestFactory
  Stream<DynamicTest> classesWithTheTag() throws IOException {
    for (int jvm = 0; jvm < jvms; jvm++) {
      Process process = start(jvm);
      processes.add(process);
      Thread.ofVirtual().start(() -> read(process));
      // Kills a process that hangs: its output ends then, and its last test below fails.
      CompletableFuture.delayedExecutor(MOST_MINUTES, TimeUnit.MINUTES)
          .execute(process::destroyForcibly);
    }
    Stream<DynamicTest> tests =
        processes.stream().flatMap(_ -> resultsUpToAnEnd()).map(OtherJvmTests::test);
    Stream<DynamicTest> ends =
        processes.stream()
            .map(
                process ->
                    DynamicTest.dynamicTest(
                        "all have run",
                        () ->
                            assertThat(process.waitFor())
                                .as("exit status; killed after %d minutes", MOST_MINUTES)
                                .isZero()));
    return Stream.concat(tests, ends);
  }

  private Process start(int jvm) throws IOException {
    List<String> command = JavaCommand.java(TaggedTests.class, "-Xmx1g");
    command.addAll(List.of(tag, Integer.toString(jvms), Integer.toString(jvm)));
    command.addAll(1, flags);
    command.addAll(1, properties());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Returns those properties of this JVM that tests read. */
  private static List<String> properties() {
    List<String> properties = new ArrayList<>();
    System.getProperties()
        .forEach(
            (name, value) -> {
              if (name.toString().startsWith("penstock.")) {
                properties.add("-D" + name + "=" + value);
              }
            });
    return properties;
  }

  /** Reads what a process prints; whatever is no result is printed again. */
  private void read(Process process) {
    try {
      process.inputReader(UTF_8).lines().forEach(this::read);
    } finally {
      results.add(Optional.empty());
    }
  }

  private void read(String line) {
    TestResultLine result = TestResultLine.parse(line);
    if (result == null) {
      System.out.println(line);
    } else {
      results.add(Optional.of(result));
    }
  }

  private Stream<TestResultLine> resultsUpToAnEnd() {
    return Stream.generate(this::nextResult)
        .takeWhile(Optional::isPresent)
        .map(Optional::orElseThrow);
  }

  private Optional<TestResultLine> nextResult() {
    try {
      return results.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while other JVMs run tests", e);
    }
  }

  private static DynamicTest test(TestResultLine result) {
    return DynamicTest.dynamicTest(
        result.name(), () -> assertThat(result.failure()).as(result.name()).isEmpty());
  }

  @AfterEach
  void stop() {
    for (Process process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
