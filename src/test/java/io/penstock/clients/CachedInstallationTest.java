package io.penstock.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.PatientWaits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CachedInstallationTest {
  @TempDir private Path home;
  private CachedInstallation cached;
  private final AtomicInteger installed = new AtomicInteger();

  @BeforeEach
  void setUp() {
    cached = new CachedInstallation(home, "content/installed.txt");
  }

  private void install() {
    try {
      Files.createDirectories(home.resolve("content"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    installed.incrementAndGet();
  }

  @Test
  void sameContent_isInstalledOnce() throws IOException {
    cached.ensure("one", this::install);
    cached.ensure("one", this::install);
    assertThat(installed).hasValue(1);
  }

  @Test
  void otherContent_isInstalledAnew() throws IOException {
    cached.ensure("one", this::install);
    cached.ensure("two", this::install);
    cached.ensure("one", this::install);
    assertThat(installed).hasValue(3);
  }

  @Test
  void brokenOffInstallation_isNotTakenForAGoodOne() throws IOException {
    cached.ensure("one", this::install);
    assertThatThrownBy(
            () ->
                cached.ensure(
                    "two",
                    () -> {
                      install();
                      throw new IllegalStateException("broken off");
                    }))
        .hasMessage("broken off");
    // neither the old installation nor the interrupted one can be used now
    cached.ensure("one", this::install);
    assertThat(installed).hasValue(3);
  }

  @Test
  void threadsThatWantItAtTheSameTime_installItOnce() throws Exception {
    CountDownLatch together = new CountDownLatch(8);
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<Void>> all =
          IntStream.range(0, 8)
              .mapToObj(
                  _ ->
                      threads.<Void>submit(
                          () -> {
                            together.countDown();
                            together.await();
                            new CachedInstallation(home, "content/installed.txt")
                                .ensure("one", this::install);
                            return null;
                          }))
              .toList();
      for (Future<Void> one : all) {
        PatientWaits.get(one);
      }
    }
    assertThat(installed).hasValue(1);
  }

  @Test
  void otherProcessThatInstalls_isWaitedFor() throws Exception {
    Path lock = home.resolve("install.lock");
    Process other = Installer.start(home);
    try (BufferedReader printed = other.inputReader(UTF_8)) {
      assertThat(printed.readLine()).isEqualTo("begun");
      try (FileChannel file = FileChannel.open(lock, StandardOpenOption.WRITE)) {
        assertThat(file.tryLock()).isNull();
      }
      other.getOutputStream().close();
      cached.ensure("one", this::install);
      assertThat(installed).hasValue(0);
      assertThat(other.waitFor()).isZero();
    } finally {
      other.destroyForcibly();
    }
  }

  /** A process that installs until its standard input ends. */
  static final class Installer {
    static Process start(Path home) throws Exception {
      Path classes =
          Path.of(Installer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-cp",
              classes.toString(),
              Installer.class.getName(),
              home.toString())
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
    }

    public static void main(String[] home) throws IOException {
      new CachedInstallation(Path.of(home[0]), "content/installed.txt")
          .ensure("one", () -> installUntilTheInputEnds(Path.of(home[0])));
    }

    private static void installUntilTheInputEnds(Path home) {
      try {
        Files.createDirectories(home.resolve("content"));
        System.out.println("begun");
        System.in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
