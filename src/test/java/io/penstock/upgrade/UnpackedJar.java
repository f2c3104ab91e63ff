package io.penstock.upgrade;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A jar of the program, unpacked by the tool that Spring Boot puts into it. The same classes run
 * then, and start with a third less processor time, because there are no jars within the jar.
 */
final class UnpackedJar {
  private static final Map<JarVersion, Path> ALL = new EnumMap<>(JarVersion.class);

  private UnpackedJar() {}

  /** Returns the jar to run, which is unpacked once for the tests of a JVM. Any thread may ask. */
  static synchronized Path of(JarVersion version) throws IOException {
    Path there = ALL.get(version);
    if (there == null) {
      there = unpacked(packed(version), version);
      ALL.put(version, there);
    }
    return there;
  }

  private static Path packed(JarVersion version) throws IOException {
    if (version == JarVersion.PREVIOUS) {
      return PreviousJar.built();
    }
    Path built = Path.of("target", "penstock.jar").toAbsolutePath();
    assertThat(built).as("the jar that the phase package makes").isRegularFile();
    return built;
  }

  private static Path unpacked(Path jar, JarVersion version) throws IOException {
    String name = version.name().toLowerCase(Locale.ROOT);
    Path directory = Path.of("target", "unpacked-jars", name).toAbsolutePath();
    List<String> command = JavaCommand.java("-Djarmode=tools", "-jar", jar.toString());
    command.addAll(List.of("extract", "--force", "--destination", directory.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(said).isTrue();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("stopped while it unpacked " + jar);
    }
    assertThat(process.exitValue()).as(said).isZero();
    return directory.resolve(jar.getFileName());
  }
}
