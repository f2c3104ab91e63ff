package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Penstock;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.StartedGateway;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TopCommandIT {
  private static final String TOKEN = "an operator's token";

  private static final String ROUTES =
      """
      endpoints:
        - {path: /team/a, algorithm: strict, rate: 1000, unit: rps}
        - {path: /team/b, algorithm: strict, rate: 1, unit: rpm}
      """;

  @TempDir private Path directory;
  private StartedGateway gateway;

  /** Exit code and output of a command. */
  private record Ran(int exit, String out, String err) {}

  @BeforeEach
  void start() {
    gateway = StartedGateway.start(directory, ROUTES, "--penstock.operator.token=" + TOKEN);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private static Ran run(Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = PenstockCommands.top(environment, () -> Instant.EPOCH);
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of("top"));
    all.addAll(List.of(arguments));
    return new Ran(line.execute(all.toArray(String[]::new)), out.toString(), err.toString());
  }

  private String attach() {
    return "--attach=http://127.0.0.1:" + gateway.operatorPort();
  }

  private TerminalProgram top(int columns, int rows, Map<String, String> more) throws IOException {
    Map<String, String> environment = new HashMap<>(more);
    environment.putIfAbsent("PENSTOCK_OPERATOR_TOKEN", TOKEN);
    return new TerminalProgram(directory, columns, rows, environment, "top " + attach());
  }

  @Test
  void once_printsOnePlainTable() {
    gateway.gateway("GET /team/a");
    Ran ran = run(Map.of(), "--once", "--token=" + TOKEN, attach());
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out().lines())
        .hasSize(3)
        .noneMatch(line -> line.contains("\u001b"))
        .element(1)
        .asString()
        .matches(" +0 +0 +1 +0 +0 +0 +\\d+% +open +/team/a +1000_rps +-");
  }

  @Test
  void once_withNobodyThere_isOneLineAndExitsOne() {
    String nobody = "--attach=http://127.0.0.1:" + StartedGateway.freePort();
    Ran ran = run(Map.of(), "--once", nobody);
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).hasLineCount(1).startsWith("nobody answers at http://127.0.0.1:");
    assertThat(run(Map.of(), "--once", "--attach=localhost").exit()).isEqualTo(2);
    assertThat(run(Map.of(), "--attach=localhost").exit()).isEqualTo(2);
  }

  @Test
  void once_withAnotherToken_saysSo() {
    Ran ran = run(Map.of(), "--once", "--token=other", attach());
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.err()).hasLineCount(1).startsWith("the operator port refuses the token");
  }

  @Test
  void terminal_showsWhatHappens_andKeysWork() throws Exception {
    try (TerminalProgram top = top(110, 30, Map.of())) {
      top.awaitScreen("live", "/team", "0 waiting, 0 served", "1000 rps", "space test");
      gateway.gateway("GET /team/a");
      top.awaitScreen("released   /team/a #", "served     /team/a #");
      try (var first = StartedGateway.open(gateway.port(), "GET /team/b");
          var second = StartedGateway.open(gateway.port(), "GET /team/b")) {
        top.awaitScreen("1 waiting", "●", "queued     /team/b #");
        assertThat(first.isConnected() && second.isConnected()).isTrue();
      }
      top.awaitScreen("0 waiting", "cancelled  /team/b #");
      top.press("ji");
      top.awaitScreen("━━ /team/b ━", "algorithm: strict");
      top.press("\033[A"); // the key that points up
      top.awaitScreen("━━ /team/a ━");
      top.press("\033OB");
      top.awaitScreen("━━ /team/b ━");
      top.press("i");
      top.awaitScreen("━━ events ━");
      top.press("p");
      top.awaitScreen("pause      /team/b ");
      top.press("r");
      top.awaitScreen("resume     /team/b ");
      top.press("k ");
      top.awaitScreen("test       /team/a ");
      top.press("q");
      top.assertEnds(0);
    }
  }

  @Test
  void window_thatChanges_isFilledAgain() throws Exception {
    try (TerminalProgram top = top(110, 30, Map.of())) {
      top.awaitScreen("live", "1000 rps");
      top.resize(44, 12);
      top.awaitScreen("ENDPOINT     WAITING             USED SERVED\n");
      assertThat(top.screen()).doesNotContain("LIMIT", "REFUSED");
      top.press("\003"); // Ctrl-C
      top.assertEnds(0);
    }
  }

  @Test
  void terminal_isGivenBackWhenTheProgramIsTerminated() throws Exception {
    try (TerminalProgram top = top(80, 24, Map.of())) {
      top.awaitScreen("live", "/team");
      top.terminate();
      top.assertEnds(143);
    }
  }

  @Test
  void gatewayThatRestarts_isFoundAgain() throws Exception {
    int port = gateway.operatorPort();
    try (TerminalProgram top = top(110, 30, Map.of())) {
      top.awaitScreen("0 waiting", "live");
      gateway.close();
      top.awaitScreen("not connected: trying again", "0 waiting", "nobody answers");
      String more = ROUTES + "  - {path: /later}\n";
      gateway = StartedGateway.startOn(port, directory, more, "--penstock.operator.token=" + TOKEN);
      top.awaitScreen("0 waiting", "/later", "again");
      gateway.gateway("GET /later");
      top.awaitScreen("served     /later");
      assertThat(top.screen()).doesNotContain("trying again");
      top.press("q");
      top.assertEnds(0);
    }
  }

  @Test
  void wrongToken_isSaidInOneLine_onATerminalThatIsAsBefore() throws Exception {
    try (TerminalProgram top = top(80, 24, Map.of("PENSTOCK_OPERATOR_TOKEN", "other"))) {
      top.assertEnds(1);
      assertThat(top.written()).contains("the operator port refuses the token");
    }
  }

  @Test
  void terminalWithoutColoursAndUnicode_getsNone() throws Exception {
    try (TerminalProgram top = top(110, 30, Map.of("LC_ALL", "C", "NO_COLOR", "1"))) {
      top.awaitScreen("live", "-- events --", "1000 rps");
      top.press("q");
      top.assertEnds(0);
      assertThat(top.written()).matches("(?s)[\\x00-\\x7f]*");
      assertThat(top.written()).doesNotContainPattern("\u001b\\[[0-9;]*\\b[34][0-79]\\b[0-9;]*m");
    }
  }

  @Test
  void noTerminal_isOneLineAndExitsOne() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Penstock.class.getName(),
                "top",
                attach())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String message = new String(process.getInputStream().readAllBytes(), UTF_8);
    PatientWaits.end(process);
    assertThat(message).hasLineCount(1).contains("no terminal to draw on", "--once");
    assertThat(process.exitValue()).isEqualTo(1);
  }
}
