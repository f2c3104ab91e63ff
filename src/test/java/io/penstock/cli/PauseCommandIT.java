package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
