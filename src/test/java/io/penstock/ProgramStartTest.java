package io.penstock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.fake.InstalledJava;
import io.penstock.suite.JavaCommand;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the start class, also with the oldest Java that can load it. */
class ProgramStartTest {
  private static final String SOURCE = "src/main/java/io/penstock/ProgramStart.java";

  @TempDir private Path directory;

  /** Exit code and output of a process. */
  private record Ran(int exit, String out, String err) {}

  private Ran run(List<String> command) throws Exception {
    Path err = Files.createTempFile(directory, "err", ".txt");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Ran(process.waitFor(), out, Files.readString(err));
  }

  /** Compiles the class as the build does; the other classes are those of this JVM. */
  private Path compiled() throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8)) {
      files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(directory));
      files.setLocationFromPaths(StandardLocation.SOURCE_PATH, List.of());
      List<String> options = List.of("--release", "17", "-proc:none");
      boolean good =
          compiler
              .getTask(
                  messages, files, null, options, null, files.getJavaFileObjects(Path.of(SOURCE)))
              .call();
      assertThat(good).as("%s", messages).isTrue();
    }
    return directory;
  }

  @Test
  void javaThatIsTooOld_isOneLineAndExitsTwo() throws Exception {
    Optional<Path> old = InstalledJava.tooOld();
    assumeThat(old).as("no Java from version 17 to 24 is installed, so none is tried").isPresent();
    Ran ran =
        run(
            List.of(
                old.orElseThrow().resolve("bin/java").toString(),
                "-cp",
                compiled().toString(),
                ProgramStart.class.getName(),
                "version"));
    assertThat(ran.err())
        .hasLineCount(1)
        .startsWith("penstock: Java 25 or newer is needed, and this is Java ")
        .contains(old.orElseThrow().toRealPath().toString());
    assertThat(ran.out()).isEmpty();
    assertThat(ran.exit()).isEqualTo(2);
  }

  @Test
  void javaThatIsNewEnough_runsTheProgram() throws Exception {
    List<String> command = new ArrayList<>(JavaCommand.java(ProgramStart.class));
    command.add("version");
    assertThat(run(command).out()).startsWith("penstock ");
  }
}
