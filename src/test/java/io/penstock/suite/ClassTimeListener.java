package io.penstock.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Appends a line for each completed test class to the file that the build names in the system
 * property {@code penstock.class-times}: see {@link ClassTimeReport}.
 *
 * <p>The processor time is that of the JVM and its ended child processes between start and end. It
 * is the class's own only if classes run one after another. JUnit finds this listener by its name
 * in {@code META-INF/services}. Thread-safe.
 */
public final class ClassTimeListener implements TestExecutionListener {
  private record Start(long nanos, long cpuNanos, GatewayStarts.Counter gateways) {}

  private static final String FILE = System.getProperty("penstock.class-times", "");
  private static final Ticker TICKER = Ticker.system();

  private final Map<String, Start> running = new ConcurrentHashMap<>();

  @Override
  public void executionStarted(TestIdentifier identifier) {
    String name = testClass(identifier);
    if (!FILE.isEmpty() && name != null) {
      running.put(name, new Start(TICKER.nanos(), cpuNanos(), GatewayStarts.newCounter()));
    }
  }

  @Override
  public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
    String name = testClass(identifier);
    Start start = name == null ? null : running.remove(name);
    if (name == null || start == null) {
      return;
    }
    String line =
        String.join(
            "\t",
            name,
            Long.toString(TimeUnit.NANOSECONDS.toMillis(TICKER.nanos() - start.nanos())),
            Long.toString(TimeUnit.NANOSECONDS.toMillis(cpuNanos() - start.cpuNanos())),
            Integer.toString(start.gateways().count()));
    append(Path.of(FILE).toAbsolutePath(), line);
  }

  /** Returns the name of a top-level class, else null. */
  private static @Nullable String testClass(TestIdentifier identifier) {
    return identifier
        .getSource()
        .filter(ClassSource.class::isInstance)
        .map(source -> ((ClassSource) source).getClassName())
        .filter(name -> !name.contains("$"))
        .orElse(null);
  }

  private static void append(Path file, String line) {
    try {
      Files.createDirectories(file.resolveSibling("."));
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
   * Returns the CPU time of this process, over all processors; on Linux including its ended
   * children.
   */
  private static long cpuNanos() {
    long own = ProcessHandle.current().info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
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
