package io.penstock.fake;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** Finds a Java of an older version that is installed on this machine. */
public final class InstalledJava {
  private static final Path BESIDE_THIS_ONE =
      Path.of(System.getProperty("java.home")).toAbsolutePath().getParent();

  private InstalledJava() {}

  /** Returns the home directory of a Java from version 17 to 24, if one is installed. */
  public static Optional<Path> tooOld() {
    return Stream.of(BESIDE_THIS_ONE, Path.of("/usr/lib/jvm"))
        .filter(Files::isDirectory)
        .flatMap(InstalledJava::directories)
        .filter(home -> feature(home) >= 17 && feature(home) < 25)
        .findFirst();
  }

  private static Stream<Path> directories(Path parent) {
    try (Stream<Path> all = Files.list(parent)) {
      return all.sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the feature version of the Java in a directory; 0 if there is none. */
  private static int feature(Path home) {
    Path release = home.resolve("release");
    if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isReadable(release)) {
      return 0;
    }
    try {
      Properties properties = new Properties();
      properties.load(new StringReader(Files.readString(release)));
      String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
      return Integer.parseInt(version.replaceFirst("[^0-9].*", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
