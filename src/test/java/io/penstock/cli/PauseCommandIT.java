package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests the commands that pause and resume upstreams and endpoints. */
class PauseCommandIT {
  private static final String ROUTES =
      """
      endpoints:
        - path: /a
          dialect: openai
          upstreams: [{id: eu, url: 'mock://openai'}]
      """;

  @TempDir private Path directory;

  private record Ran(int exit, String out, String err) {}

  private static Ran run(StartedGateway gateway, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] all = new String[arguments.length + 1];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--attach=http://127.0.0.1:" + gateway.operatorPort();
    CommandLine line = PenstockCommands.commandLine(Map.of(), address -> {});
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return new Ran(line.execute(all), out.toString().strip(), err.toString());
  }

  @Test
  void upstreamAndEndpoint_arePausedAndResumed_andTheStatusSaysSo() {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES)) {
      assertThat(run(gateway, "status").exit()).isZero();
      assertThat(run(gateway, "pause", "--upstream=eu").out()).isEqualTo("upstream eu is paused");
      assertThat(run(gateway, "pause", "--endpoint=/a", "--yes").out())
          .isEqualTo("endpoint /a is paused");
      Ran wrong = run(gateway, "status");
      assertThat(wrong.exit()).isEqualTo(1);
      assertThat(wrong.out())
          .contains("upstream eu is paused by an operator", "endpoint /a is paused");
      assertThat(run(gateway, "resume", "--upstream=eu").out()).isEqualTo("upstream eu is resumed");
      assertThat(run(gateway, "resume", "--endpoint=/a").exit()).isZero();
      assertThat(run(gateway, "status").exit()).isZero();
    }
  }

  private TerminalProgram atTerminal(StartedGateway gateway, String command) throws IOException {
    String attach = " --attach=http://127.0.0.1:" + gateway.operatorPort();
    return new TerminalProgram(directory, 80, 24, Map.of(), command + attach);
  }

  @ParameterizedTest
  @CsvSource({
    "pause --upstream=eu, Pause upstream eu?",
    "keys revoke alice, Revoke key alice?",
    "keys reset-budget alice, Give key alice its whole budget again?"
  })
  void terminal_isAskedFirst_andNoChangesNothing(String command, String question)
      throws IOException {
    String routes = ROUTES + "keys: [{name: alice, sha256: %s}]\n";
    try (StartedGateway gateway =
        StartedGateway.start(directory, routes.formatted(KeySecrets.sha256("alice")))) {
      try (TerminalProgram asked = atTerminal(gateway, command)) {
        asked.awaitScreen(question + " [y/N]");
        asked.press("n\n");
        asked.awaitScreen("nothing was changed");
        asked.assertEnds(1);
      }
      assertThat(gateway.operator("GET /audit").strip()).endsWith("[]");
    }
  }

  @Test
  void terminal_isAskedFirst_andYesOrTheOptionDoesIt() throws IOException {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES)) {
      try (TerminalProgram asked = atTerminal(gateway, "pause --upstream=eu")) {
        asked.awaitScreen("Pause upstream eu? [y/N]");
        asked.press("y\n");
        asked.awaitScreen("upstream eu is paused");
        asked.assertEnds(0);
      }
      try (TerminalProgram told = atTerminal(gateway, "pause --endpoint=/a --yes")) {
        told.awaitScreen("endpoint /a is paused");
        told.assertEnds(0);
      }
    }
  }

  @Test
  void wrongArguments_areToldAndChangeNothing() {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES)) {
      assertThat(run(gateway, "pause", "--upstream=none").err())
          .contains("no upstream has this id");
      assertThat(run(gateway, "pause").exit()).isEqualTo(2);
      assertThat(run(gateway, "pause", "--upstream=eu", "--endpoint=/a").exit()).isEqualTo(2);
      assertThat(run(gateway, "status").exit()).isZero();
    }
  }
}
