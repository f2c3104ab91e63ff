package io.penstock.suite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs test classes with one tag, one after another in a JVM of their own, while other classes run
 * in this one. Each of their tests counts as a test of the subclass of this class.
 */
abstract class OtherJvmTests {
  private static final long MOST_MINUTES = 15;

  private final String tag;
  private final List<String> flags;
  private @Nullable Process process;

  /**
   * Selects the tests to run.
   *
   * @param tag the JUnit tag of the classes
   * @param flags flags of the JVM
   */
  OtherJvmTests(String tag, String... flags) {
    this.tag = tag;
    this.flags = List.of(flags);
  }

  @TestFactory
  Stream<DynamicTest> classesWithTheTag() throws IOException {
    List<String> command = JavaCommand.java(TaggedTests.class, "-Xmx1g");
    command.add(tag);
    command.addAll(1, flags);
    command.addAll(1, properties());
    Process started =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    process = started;
    // Kills a process that hangs: its output ends then, and the last test below fails.
    CompletableFuture.delayedExecutor(MOST_MINUTES, TimeUnit.MINUTES)
        .execute(started::destroyForcibly);
    BufferedReader output = started.inputReader(UTF_8);
    Stream<DynamicTest> tests =
        Stream.generate(() -> nextResult(output)).takeWhile(Objects::nonNull).map(this::test);
    DynamicTest end =
        DynamicTest.dynamicTest(
            "all have run", () -> assertThat(started.waitFor()).as("exit status").isZero());
    return Stream.concat(tests, Stream.of(end));
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

  /** Returns the result of the next completed test, null at the end of the output. */
  private static @Nullable TestResultLine nextResult(BufferedReader output) {
    return output
        .lines()
        .map(
            line -> {
              TestResultLine result = TestResultLine.parse(line);
              if (result == null) {
                System.out.println(line);
              }
              return result;
            })
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private DynamicTest test(TestResultLine result) {
    return DynamicTest.dynamicTest(
        result.name(), () -> assertThat(result.failure()).as(result.name()).isEmpty());
  }

  @AfterEach
  void stop() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
