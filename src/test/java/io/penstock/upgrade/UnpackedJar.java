package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A jar of the program, unpacked by the tool that Spring Boot includes in it. It runs the same
 * classes, and starts with a third less processor time, because there are no jars within the jar.
 */
final class UnpackedJar {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Map<JarVersion, Path> ALL = new EnumMap<>(JarVersion.class);

  private UnpackedJar() {}

  /**
   * Returns the jar to run, which is unpacked once for the tests of a JVM. Safe from any thread.
   */
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
    Files.createDirectories(directory);
    Path log = directory.resolveSibling(name + ".log");
    PreviousJar.Ended ended = PreviousJar.run(Path.of(""), log, LIMIT, command);
    assertThat(ended.status()).as(ended.text()).isZero();
    return directory.resolve(jar.getFileName());
  }
}
