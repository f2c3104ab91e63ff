package io.penstock.fake;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.IOException;
import java.lang.StackWalker.StackFrame;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * Waits for signals in tests. Their bound only detects hangs, so it is far above the time that even
 * a busy machine needs. The failure quotes the statement that waited.
 */
public final class PatientWaits {
  /** The bound of every wait. */
  public static final Duration LONGEST = Duration.ofMinutes(4);

  /** The same, for sockets. */
  public static final int LONGEST_MILLIS = Math.toIntExact(LONGEST.toMillis());

  private static final Duration INTERVAL = Duration.ofMillis(20);
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  /** More than such a test takes, and less than the longest wait. */
  private static final long LEAST_OF_DAY = Duration.ofMinutes(3).toMillis();

  private static final Path SOURCES = Path.of("src", "test", "java");
  private static final int MOST_LINES = 12;

  /** Classes whose callers wait. */
  private static final Set<String> HELPERS =
      Set.of(PatientWaits.class.getName(), RunningGateway.class.getName());

  /** A wait that an interrupt ends. */
  @FunctionalInterface
  private interface Wait<T> {
    @Nullable T end() throws InterruptedException;
  }

  private PatientWaits() {}

  /** Returns a wait that looks every 20 ms from now on. */
  public static ConditionFactory await() {
    return await(statement());
  }

  /** Returns such a wait with a name for its failure message. */
  public static ConditionFactory await(String alias) {
    return Awaitility.await(alias).pollDelay(Duration.ZERO).pollInterval(INTERVAL).atMost(LONGEST);
  }

  /**
   * Waits for the next UTC day if the present one ends soon, so that a test that spends the budget
   * of a day, or of a month, ends on the day on which it began.
   */
  public static void awaitLongDay() {
    await("the next UTC day")
        .until(() -> -WallClock.system().unixMillis() % DAY_MILLIS + DAY_MILLIS > LEAST_OF_DAY);
  }

  /** Waits until a latch is open. */
  public static void await(CountDownLatch latch) {
    boolean _ = signal(() -> latch.await(LONGEST_MILLIS, MILLISECONDS) ? true : null);
  }

  /** Waits for a permit. */
  public static void acquire(Semaphore semaphore) {
    boolean _ = signal(() -> semaphore.tryAcquire(LONGEST_MILLIS, MILLISECONDS) ? true : null);
  }

  /** Waits for the next element of a queue, and takes it. */
  public static <T> T take(BlockingQueue<T> queue) {
    return signal(() -> queue.poll(LONGEST_MILLIS, MILLISECONDS));
  }

  /** Waits until a process has ended; returns its exit code. */
  public static int end(Process process) {
    return end(process, () -> "");
  }

  /** Does the same; the failure ends with the log of the process. */
  public static int end(Process process, Supplier<?> log) {
    try {
      return signal(
          () -> process.waitFor(LONGEST_MILLIS, MILLISECONDS) ? process.exitValue() : null);
    } catch (AssertionError late) {
      throw new AssertionError(late.getMessage() + " " + log.get(), late);
    }
  }

  /** Returns the value of a future once there is one. */
  public static <T> T get(Future<T> future) throws ExecutionException, InterruptedException {
    try {
      return future.get(LONGEST_MILLIS, MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(missing(), e);
    }
  }

  /** Does the same for a stage; fails as {@link CompletableFuture#join} does. */
  public static <T> T join(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    CompletableFuture<?> over = future.handle((value, failure) -> true);
    boolean _ = signal(() -> endsInTime(over) ? true : null);
    return future.join();
  }

  private static boolean endsInTime(CompletableFuture<?> over) throws InterruptedException {
    try {
      over.get(LONGEST_MILLIS, MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // it never fails
    }
  }

  private static <T> T signal(Wait<T> wait) {
    try {
      T value = wait.end();
      if (value == null) {
        throw new AssertionError(missing());
      }
      return value;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while it waited: " + statement(), e);
    }
  }

  /** Checks that a future stays without a value for some time. */
  public static void assertNone(Future<?> future, Duration time) {
    await().during(time).until(() -> !future.isDone());
  }

  private static String missing() {
    return "nothing came within " + LONGEST + ": " + statement();
  }

  /** Returns where the caller waits: file, line and, if the source is at hand, the statement. */
  private static String statement() {
    StackFrame waits =
        StackWalker.getInstance()
            .walk(
                frames -> frames.filter(each -> !HELPERS.contains(each.getClassName())).findFirst())
            .orElseThrow();
    String place = waits.getFileName() + ":" + waits.getLineNumber();
    String room = waits.getClassName().replaceFirst("\\.[^.]*$", "").replace('.', '/');
    try {
      List<String> lines =
          Files.readAllLines(SOURCES.resolve(room).resolve(String.valueOf(waits.getFileName())));
      StringBuilder text = new StringBuilder(place).append(':');
      int last = Math.min(lines.size(), waits.getLineNumber() - 1 + MOST_LINES);
      for (int i = waits.getLineNumber() - 1; i < last; i++) {
        text.append(' ').append(lines.get(i).strip());
        if (lines.get(i).endsWith(";")) {
          break;
        }
      }
      return text.toString();
    } catch (IOException noSource) {
      return place;
    }
  }

  /**
   * Polls a condition every tenth of a second; fails unless it becomes true within the promised
   * time. That is as much longer as work that is measured meanwhile takes on this machine, and does
   * not count time for which the machine did not run this JVM. Returns the seconds that it took.
   */
  public static double within(Duration promised, Callable<Boolean> so) {
    return within(promised, Duration.ofMillis(100), so);
  }

  /** Does the same with another polling interval. */
  public static double within(Duration promised, Duration interval, Callable<Boolean> so) {
    Ticker ticker = Ticker.system();
    try (MachineStalls stalls = new MachineStalls()) {
      await().pollInterval(interval).until(so);
      long took = ticker.nanos();
      double slowdown = stalls.slowdown();
      assertThat(took - stalls.totalNanos())
          .as(
              "nanoseconds that it took, of %,d with all stalls of the machine, on which work takes"
                  + " %.1f times its processor time",
              took, slowdown)
          .isLessThanOrEqualTo((long) (promised.toNanos() * slowdown));
      return took / 1e9;
    }
  }
}
