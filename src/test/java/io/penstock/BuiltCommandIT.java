package io.penstock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.fake.InstalledJava;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the jar and the command that the build has made. */
class BuiltCommandIT {
  private static final Path JAR = Path.of("target", "penstock.jar").toAbsolutePath();

  /** The jar before Boot repackages it, which would set its time back. */
  private static final Path ORIGINAL = Path.of("target", "penstock.jar.original");

  private static final Path COMMAND = Path.of("target", "penstock").toAbsolutePath();
  private static final Path CLASS = Path.of("target/classes/io/penstock/ProgramStart.class");

  @TempDir private Path directory;

  /** Exit code and output of a process. */
  private record Ran(int exit, String out, String err) {}

  @BeforeAll
  static void checkBuild() throws Exception {
    boolean built =
        Files.exists(ORIGINAL)
            && Files.getLastModifiedTime(ORIGINAL).compareTo(Files.getLastModifiedTime(CLASS)) >= 0;
    assumeThat(built).as("there is no jar of these classes: mvn package makes it").isTrue();
  }

  private Ran run(String... command) throws Exception {
    Path err = Files.createTempFile(directory, "err", ".txt");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Ran(process.waitFor(), out, Files.readString(err));
  }

  @Test
  void jar_withAJavaThatIsTooOld_isOneLineAndExitsTwo() throws Exception {
    Optional<Path> old = InstalledJava.tooOld();
    assumeThat(old).as("no Java from version 17 to 24 is installed, so none is tried").isPresent();
    Ran ran = run(old.orElseThrow() + "/bin/java", "-jar", JAR.toString(), "version");
    assertThat(ran.err()).hasLineCount(1).startsWith("penstock: Java 25 or newer is needed");
    assertThat(ran.out()).isEmpty();
    assertThat(ran.exit()).isEqualTo(2);
  }

  @Test
  void command_runsTheJarBesideIt_fromAnyDirectoryAndThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("penstock"), COMMAND);
    for (Path each : List.of(COMMAND, link)) {
      Ran ran = run(each.toString(), "version");
      assertThat(ran.out())
          .as(ran.err())
          .matches("penstock \\d\\S* \\(Java \\S+\\)(, commit \\w{40}.*)?\\R");
      assertThat(ran.err()).isEmpty();
      assertThat(ran.exit()).isZero();
    }
  }

  @Test
  void command_hasTheFlagsOfTheGateway() throws Exception {
    assertThat(Files.readString(COMMAND))
        .contains("flags='-XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED")
        .doesNotContain("@run.jvm@");
  }
}
