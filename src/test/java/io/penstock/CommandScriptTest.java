package io.penstock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the script that runs the program, with scripts in place of Java that print their arguments.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the script is for a POSIX shell")
class CommandScriptTest {
  private static final Path SOURCE = Path.of("src", "main", "scripts", "penstock");
  private static final String FLAGS = "-XX:+OfTheGateway --another=flag";

  /** Prints its process id and each of its arguments on a line of its own. */
  private static final String ARGUMENTS =
      """
      #!/bin/sh
      echo $$
      for each in "$@"; do echo "$each"; done
      """;

  @TempDir private Path directory;
  private Path home;
  private Path command;

  /** Exit code, process id and output of a command. */
  private record Ran(int exit, long pid, List<String> out, String err) {
    /** Returns the arguments that Java was run with. */
    List<String> arguments() {
      return out.subList(1, out.size());
    }
  }

  @BeforeEach
  void install() throws IOException {
    home = Files.createDirectory(directory.resolve("a directory"));
    Files.createFile(home.resolve("penstock.jar"));
    String script =
        Files.readString(SOURCE)
            .replace("@run.jvm@", FLAGS)
            .replace("/usr/lib/jvm/", installed() + "/")
            .replace("/usr/java/*", "/none/*")
            .replace("/opt/java/*", "/none/*")
            .replace("/Library/Java/", "/none/");
    command = executable(home.resolve("penstock"), script);
  }

  /** Returns the directory in place of the one where package managers install Java. */
  private Path installed() {
    return directory.resolve("installed");
  }

  private static Path executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Makes a directory like that of a Java, and returns it. */
  private Path java(String name, String version) throws IOException {
    Path java = Files.createDirectories(directory.resolve(name));
    Files.createDirectories(java.resolve("bin"));
    Files.writeString(
        java.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    executable(java.resolve("bin/java"), ARGUMENTS);
    return java;
  }

  private Ran run(Map<String, String> environment, String... line) throws Exception {
    Path err = Files.createTempFile(directory, "err", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(line).directory(directory.toFile()).redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin-of-none");
    builder.environment().put("HOME", directory.resolve("nobody").toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Ran(process.waitFor(), process.pid(), out.lines().toList(), Files.readString(err));
  }

  private static Map<String, String> javaHome(Path java) {
    return Map.of("JAVA_HOME", java.toString());
  }

  @Test
  void script_isReadByEveryShell() throws Exception {
    for (String shell : List.of("/bin/sh", "/bin/dash", "/bin/bash")) {
      if (Files.exists(Path.of(shell))) {
        Ran ran = run(Map.of(), shell, "-n", command.toString());
        assertThat(ran.err()).as(shell).isEmpty();
        assertThat(ran.exit()).as(shell).isZero();
      }
    }
    assertThat(Files.isExecutable(SOURCE)).isTrue();
  }

  @Test
  void arguments_areHandedOnAsTheyAre() throws Exception {
    Ran ran =
        run(javaHome(java("java 25", "25.0.1")), command.toString(), "check", "a b", "", "*", "$x");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.arguments())
        .containsExactly(
            "-XX:+OfTheGateway",
            "--another=flag",
            "-jar",
            home.toRealPath() + "/penstock.jar",
            "check",
            "a b",
            "",
            "*",
            "$x");
  }

  @Test
  void java_replacesTheShell_soThatSignalsReachIt() throws Exception {
    Ran ran = run(javaHome(java("j", "25")), command.toString());
    assertThat(Long.parseLong(ran.out().getFirst())).isEqualTo(ran.pid());
  }

  @Test
  void signal_reachesTheProgram() throws Exception {
    Path java = java("j", "25");
    executable(
        java.resolve("bin/java"),
        """
        #!/bin/sh
        trap 'echo drained; exit 0' TERM
        echo ready
        while :; do read -r line; done
        """);
    ProcessBuilder builder = new ProcessBuilder(command.toString());
    builder.environment().put("JAVA_HOME", java.toString());
    Process process = builder.start();
    try (var lines = process.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("ready");
      process.toHandle().destroy();
      assertThat(lines.readLine()).isEqualTo("drained");
      assertThat(PatientWaits.end(process)).isZero();
    } finally {
      process.toHandle().destroyForcibly();
    }
  }

  @Test
  void javaOpts_areSeveralFlags_andWin() throws Exception {
    Map<String, String> environment =
        Map.of("JAVA_HOME", java("j", "25").toString(), "JAVA_OPTS", "-Xmx1g  -Dx=*");
    assertThat(run(environment, command.toString(), "top").arguments())
        .containsSubsequence("--another=flag", "-Xmx1g", "-Dx=*", "-jar");
  }

  @Test
  void aotCacheBesideTheJar_isUsed() throws Exception {
    Files.createFile(home.resolve("penstock.aot"));
    assertThat(run(javaHome(java("j", "25")), command.toString()).arguments())
        .startsWith("-XX:AOTCache=" + home.toRealPath() + "/penstock.aot", "-XX:+OfTheGateway");
  }

  @Test
  void links_areFollowed() throws Exception {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Files.createSymbolicLink(home.resolve("relative"), Path.of("penstock"));
    Files.createSymbolicLink(bin.resolve("pen"), Path.of("..", "a directory", "relative"));
    Path last = Files.createSymbolicLink(directory.resolve("absolute"), bin.resolve("pen"));
    Path java = java("j", "25");
    Path linked = Files.createSymbolicLink(bin.resolve("java"), java.resolve("bin/java"));
    assertThat(linked).exists();
    Map<String, String> environment = Map.of("PATH", bin + ":/usr/bin:/bin", "CDPATH", "/");
    for (String each : List.of(last.toString(), "bin/pen", "./absolute")) {
      Ran ran = run(environment, "/bin/sh", each, "version");
      assertThat(ran.err()).as(each).isEmpty();
      assertThat(ran.arguments()).as(each).contains(home.toRealPath() + "/penstock.jar");
    }
  }

  @Test
  void javaHomeThatIsTooOld_isPassedOver() throws Exception {
    Path bin = java("on-path", "26-ea").resolve("bin");
    Map<String, String> environment =
        Map.of("JAVA_HOME", java("old", "17.0.9").toString(), "PATH", bin.toString());
    assertThat(run(environment, command.toString()).exit()).isZero();
    java("installed/jdk-25", "25.0.2");
    Ran ran = run(javaHome(java("old", "17.0.9")), command.toString());
    assertThat(ran.err()).isEmpty();
    assertThat(ran.exit()).isZero();
  }

  @Test
  void runtimeOfTheImage_comesFirst() throws Exception {
    Path jre = java("a directory/jre", "25");
    executable(jre.resolve("bin/java"), "#!/bin/sh\necho of the image\n");
    assertThat(run(javaHome(java("j", "25")), command.toString()).out())
        .containsExactly("of the image");
  }

  @Test
  void versionManagersCommand_isAskedForItsVersion() throws Exception {
    Path bin = Files.createDirectory(directory.resolve("shims"));
    executable(
        bin.resolve("java"),
        """
        #!/bin/sh
        case $1 in
          -version) printf 'Picked up X: y\\nopenjdk version "25.0.1" 2025-10-21\\n' >&2 ;;
          *) echo run ;;
        esac
        """);
    assertThat(run(Map.of("PATH", bin.toString()), command.toString()).out())
        .containsExactly("run");
  }

  @Test
  void javaThatIsTooOld_isNamedInOneLine() throws Exception {
    Path old = java("old", "1.8.0_292");
    Ran ran = run(javaHome(old), command.toString(), "version");
    assertThat(ran)
        .extracting(Ran::exit, Ran::out, Ran::err)
        .containsExactly(
            2,
            List.of(),
            "penstock: Java 25 or newer is needed, and Java 1.8.0_292 ("
                + old
                + "/bin/java) was found: install one, or set JAVA_HOME to its directory\n");
  }

  @Test
  void noJava_isOneLine() throws Exception {
    Ran ran = run(Map.of("JAVA_HOME", directory.resolve("none").toString()), command.toString());
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err()).hasLineCount(1).contains("and no Java was found");
  }

  @Test
  void missingJar_isOneLine() throws Exception {
    Files.delete(home.resolve("penstock.jar"));
    Ran ran = run(javaHome(java("j", "25")), command.toString());
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err())
        .hasLineCount(1)
        .startsWith("penstock: there is no penstock.jar in " + home.toRealPath())
        .contains("mvn package");
  }
}
