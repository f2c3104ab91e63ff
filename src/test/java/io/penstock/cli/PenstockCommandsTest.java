package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

class PenstockCommandsTest {
  @TempDir Path directory;

  /** Output and exit status of a command. */
  private record Ran(int exit, String out, String err) {}

  /** Stands in for the command that the program adds. */
  @Command(name = "serve")
  private static final class Serve implements Callable<Integer> {
    @Spec private @Nullable CommandSpec spec;

    @Option(names = "--port")
    private int port = 8080;

    private final List<String> unmatched = new ArrayList<>();

    @Override
    public Integer call() {
      unmatched.addAll(Objects.requireNonNull(spec).commandLine().getUnmatchedArguments());
      return 40;
    }
  }

  private static Ran run(CommandLine line, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int exit = line.execute(PenstockCommands.withDefault(arguments));
    return new Ran(exit, out.toString(), err.toString());
  }

  private static Ran run(String... arguments) {
    return run(PenstockCommands.commandLine(Map.of(), address -> {}), arguments);
  }

  private Path write(String text) {
    try {
      return Files.writeString(directory.resolve("a.yaml"), text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void check_goodRoutes_exitsZeroAndSaysSo() {
    Path file = write("endpoints: [{path: /a}]");
    assertThat(run("check", "--routes", directory.toString()))
        .isEqualTo(new Ran(0, directory + ": 1 endpoint, no faults" + System.lineSeparator(), ""));
    assertThat(run("check", "--routes=" + file).exit()).isZero();
  }

  @Test
  void check_withoutRoutes_readsTheShippedOnes() {
    Ran ran = run("check");
    assertThat(ran.exit()).isZero();
    assertThat(ran.out()).startsWith("routes: ");
    assertThat(ran.err().lines())
        .containsExactly(
            "warning: routes/anthropic.yaml:10:9: upstream anthropic is disabled:"
                + " ANTHROPIC_API_KEY is not set",
            "warning: routes/gemini.yaml:10:9: upstream gemini is disabled:"
                + " GEMINI_API_KEY is not set",
            "warning: routes/openai.yaml:12:9: upstream openai is disabled:"
                + " OPENAI_API_KEY is not set");
  }

  @Test
  void check_faultyRoutes_exitsTwoWithOneLineAFault() {
    Path file = write("endpoints:\n  - {path: /a, rate: 0}\n  - {pth: /b}\n");
    Ran ran = run("check", "--print", "--routes", directory.toString());
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err().lines())
        .containsExactly(
            file + ":2:22: rate is '0', expected a number above 0 and up to 1000000000",
            file + ":3:5: path is missing, expected it here",
            file + ":3:6: unknown key 'pth', did you mean 'path'?");
  }

  @Test
  void check_endpointThatCoversTheCoordinationApi_exitsTwo_whereThatIsEnabled() {
    Path file = write("endpoints:\n  - path: /event/a\n");
    String routes = directory.toString();
    assertThat(run("check", "--routes", routes).exit()).isZero();
    assertThat(run("check", "--routes", routes, "--penstock.coordination.enabled=false").exit())
        .isZero();
    Ran ran = run("check", "--routes", routes, "--penstock.coordination.enabled=true");
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err().strip())
        .isEqualTo(
            file
                + ":2:11: path '/event/a' covers '/event', which penstock.coordination.enabled"
                + " takes, expected another");
  }

  @Test
  void check_missingRoutes_exitsTwo() {
    Ran ran = run("check", "--routes", directory.resolve("nope").toString());
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err()).contains("nope:1:1: does not exist").doesNotContain("Exception");
  }

  @Test
  void check_print_writesTheResolvedConfigurationWithoutSecrets() {
    write("endpoints: [{path: /a, upstreams: [{id: u, url: 'http://u', api_key: hunter2}]}]");
    Ran ran = run("check", "--print", "--routes", directory.toString());
    assertThat(ran.exit()).isZero();
    assertThat(ran.out())
        .startsWith("endpoints:\n  - path: /a\n")
        .contains("max_queue_size: 1000", "api_key: '***'")
        .doesNotContain("hunter2");
  }

  @Test
  void check_schema_writesJsonWhateverTheRoutesAre() {
    Ran ran = run("check", "--schema", "--routes", directory.resolve("nope").toString());
    assertThat(ran.exit()).isZero();
    assertThat(ran.out()).startsWith("{").contains("\"$schema\"", "\"max_queue_size\"");
    assertThat(ran.err()).isEmpty();
  }

  @Test
  void version_asCommandAndOption_isOneLine() {
    assertThat(run("version").out())
        .matches("penstock \\S+ \\(Java \\S+\\)(, commit \\w{40}.*)?\\R");
    assertThat(run("--version").out()).isEqualTo(run("version").out());
  }

  @Test
  void arguments_withoutACommand_areForServe() {
    assertThat(PenstockCommands.withDefault()).containsExactly("serve");
    assertThat(PenstockCommands.withDefault("--port", "1")).containsExactly("serve", "--port", "1");
    assertThat(PenstockCommands.withDefault("check")).containsExactly("check");
    assertThat(PenstockCommands.withDefault("--help")).containsExactly("--help");
  }

  @Test
  void serve_withOptionsOfSpring_getsThemUnmatched() {
    Serve serve = new Serve();
    CommandLine line =
        PenstockCommands.commandLine(Map.of(), address -> {}, () -> Instant.EPOCH, serve);
    Ran ran = run(line, "--port", "9", "--penstock.drain-timeout=1s", "--server.port=0");
    assertThat(ran.exit()).isEqualTo(40);
    assertThat(serve.port).isEqualTo(9);
    assertThat(serve.unmatched).containsExactly("--penstock.drain-timeout=1s", "--server.port=0");
  }

  @Test
  void command_thatIsNone_exitsTwoWithUsage() {
    CommandLine line =
        PenstockCommands.commandLine(Map.of(), address -> {}, () -> Instant.EPOCH, new Serve());
    Ran ran = run(line, "chek");
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err()).contains("chek", "check");
    assertThat(run("check", "--rotes", "x").exit()).isEqualTo(2);
  }

  @Test
  void serve_withAStrayWord_exitsTwo() {
    CommandLine line =
        PenstockCommands.commandLine(Map.of(), address -> {}, () -> Instant.EPOCH, new Serve());
    assertThat(run(line, "serve", "stray").exit()).isEqualTo(2);
  }
}
