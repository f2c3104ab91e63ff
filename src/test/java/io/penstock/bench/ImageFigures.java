package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures the time from the start of the image to its first readiness, compared with the jar with
 * the same flags, and its memory afterwards. Needs the results of {@code mvn package -Pimage}.
 */
@Isolated("measures")
@Tag(TaggedTests.IMAGE)
class ImageFigures {
  private static final Path HOME = Path.of("target", "image", "opt", "penstock").toAbsolutePath();
  private static final int ROUNDS = 5;
  private static final Duration IDLE = Duration.ofSeconds(10);

  /** Flags of a pod of the chart, and those that the JVM chooses itself with so little memory. */
  private static final String POD =
      "-XX:MaxRAMPercentage=50 -XX:+ExitOnOutOfMemoryError -XX:MaxRAM=1g -XX:+UseSerialGC";

  private static final String READINESS =
      """
      GET /actuator/health/readiness HTTP/1.1
      Host: 127.0.0.1
      Connection: close

      """
          .replace("\n", "\r\n");

  @TempDir private Path directory;

  private final Ticker ticker = Ticker.system();
  private final FigureTable figureTable = new FigureTable();

  /** One start: its milliseconds, and its resident KiB after some idle time. */
  private record Run(double millis, double residentKib) {}

  private static List<String> image() throws IOException {
    List<String> command = new ArrayList<>(List.of(HOME.resolve("jre/bin/java").toString()));
    for (String option : Files.readAllLines(HOME.resolve("java.options"))) {
      command.add(option.replace("/opt/penstock", HOME.toString()));
    }
    return command;
  }

  /**
   * Returns the command for the jar that Maven builds, run by the JDK that built the image, with
   * flags of the image.
   */
  private static List<String> jar() throws IOException {
    List<String> command = image();
    command.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.removeIf(option -> option.startsWith("-XX:AOT"));
    command.set(command.size() - 1, Path.of("target", "penstock.jar").toString());
    return command;
  }

  private Run run(List<String> java, String variables, Duration idle) throws Exception {
    int operatorPort = RunningGateway.freePort();
    List<String> command = new ArrayList<>(java);
    command.add("serve");
    command.add("--port=" + RunningGateway.freePort());
    command.add("--operator-port=" + operatorPort);
    Path log = directory.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("JAVA_TOOL_OPTIONS", variables);
    long before = ticker.nanos();
    Process process = builder.start();
    try {
      while (!ready(operatorPort)) {
        // the polling interval of Awaitility would distort the measurement
        assertThat(process.waitFor(Duration.ofMillis(2))).as("%s", log).isFalse();
      }
      double millis = (ticker.nanos() - before) / 1e6;
      long from = ticker.nanos();
      Awaitility.await()
          .atMost(idle.plusSeconds(60))
          .until(() -> ticker.nanos() - from >= idle.toNanos());
      return new Run(millis, residentKib(process.pid()));
    } finally {
      process.toHandle().destroyForcibly();
      process.waitFor();
    }
  }

  private static boolean ready(int operatorPort) {
    try (ByteSocket byteSocket = ByteSocket.to(operatorPort)) {
      return byteSocket.send(READINESS).answer().status() == 200;
    } catch (UncheckedIOException notYet) {
      return false;
    }
  }

  private static double residentKib(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToDouble(line -> Double.parseDouble(line.split("\\s+", -1)[1]))
        .findFirst()
        .orElseThrow();
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  private static String whole(List<Double> values) {
    return values.stream().map("%.0f"::formatted).toList().toString();
  }

  @Test
  @Timeout(900)
  void image_startsInAFractionOfTheTime_andIsSmall() throws Exception {
    List<Double> plain = new ArrayList<>();
    List<Double> cached = new ArrayList<>();
    List<Double> resident = new ArrayList<>();
    List<Double> inPod = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      plain.add(run(jar(), "", Duration.ZERO).millis());
      Run image = run(image(), "", IDLE);
      cached.add(image.millis());
      resident.add(image.residentKib() / 1024);
      inPod.add(run(image(), POD, IDLE).residentKib() / 1024);
    }
    double ratio = median(cached) / median(plain);
    figureTable.add(
        "start to ready, image ÷ jar: at most 0.6",
        ratio <= 0.6,
        "%.2f: %.0f ms ÷ %.0f ms; %s, %s"
            .formatted(ratio, median(cached), median(plain), whole(cached), whole(plain)));
    figureTable.add(
        "resident, idle for 10 s: at most 420 MiB",
        median(resident) <= 420,
        "%.0f MiB; %s".formatted(median(resident), whole(resident)));
    figureTable.add(
        "  as in a pod of 1 GiB",
        median(inPod) <= 420,
        "%.0f MiB; %s".formatted(median(inPod), whole(inPod)));
    System.out.println(figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }
}
