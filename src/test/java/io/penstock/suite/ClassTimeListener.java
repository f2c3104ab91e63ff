package io.penstock.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Appends one line for each test class that ends to the file that the build names in the system
 * property {@code penstock.class-times}: see {@link ClassTimeReport}.
 *
 * <p>A JVM runs one test class at a time, so the time that its threads and its ended child
 * processes ran between start and end is the class's own. JUnit finds this listener by its name in
 * {@code META-INF/services}.
 */
public final class ClassTimeListener implements TestExecutionListener {
  private static final String FILE = System.getProperty("penstock.class-times", "");

  private static final Ticker TICKER = Ticker.system();

  private @Nullable TestIdentifier running;
  private long startNanos;
  private long startCpuNanos;
  private int startGateways;

  @Override
  public void executionStarted(TestIdentifier identifier) {
    if (!FILE.isEmpty() && running == null && testClass(identifier) != null) {
      running = identifier;
      startNanos = TICKER.nanos();
      startCpuNanos = cpuNanos();
      startGateways = GatewayStarts.count();
    }
  }

  @Override
  public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
    String name = testClass(identifier);
    if (name == null || !identifier.equals(running)) {
      return;
    }
    running = null;
    String line =
        String.join(
            "\t",
            name,
            Long.toString(TimeUnit.NANOSECONDS.toMillis(TICKER.nanos() - startNanos)),
            Long.toString(TimeUnit.NANOSECONDS.toMillis(cpuNanos() - startCpuNanos)),
            Integer.toString(GatewayStarts.count() - startGateways));
    append(Path.of(FILE), line);
  }

  private static @Nullable String testClass(TestIdentifier identifier) {
    return identifier
        .getSource()
        .filter(ClassSource.class::isInstance)
        .map(source -> ((ClassSource) source).getClassName())
        .orElse(null);
  }

  private static void append(Path file, String line) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      // one write of a few bytes: lines of several JVMs do not mix
      Files.write(
          file,
          (line + "\n").getBytes(UTF_8),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns how long this process ran, all processors added up; on Linux also its ended children.
   */
  private static long cpuNanos() {
    long own =
        ProcessHandle.current().info().totalCpuDuration().map(cpu -> cpu.toNanos()).orElse(0L);
    return own + endedChildrenNanos(Path.of("/proc/self/stat"));
  }

  /** Reads fields 16 and 17 of {@code proc(5)}, which are in ticks of 10 ms. */
  private static long endedChildrenNanos(Path stat) {
    if (!Files.isReadable(stat)) {
      return 0;
    }
    try {
      String text = Files.readString(stat);
      List<String> fields = List.of(text.substring(text.lastIndexOf(')') + 2).split(" ", -1));
      long ticks = Long.parseLong(fields.get(13)) + Long.parseLong(fields.get(14));
      return TimeUnit.MILLISECONDS.toNanos(10 * ticks);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
