package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.PenstockCommands;
import io.penstock.mock.MockAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ServeCommandTest {
  private static final String GOOD =
      """
      endpoints:
        - path: /demo
          dialect: openai
          upstreams:
            - id: demo
              url: mock://openai
      """;

  @TempDir private Path directory;
  private final StringWriter err = new StringWriter();
  private final ServeCommand serve = new ServeCommand(Map.of());

  @AfterEach
  void stop() {
    serve.stop();
  }

  private int run(String routes, String... arguments) throws IOException {
    Path file = Files.writeString(directory.resolve("routes.yaml"), routes);
    String[] all = new String[arguments.length + 2];
    all[0] = "--routes";
    all[1] = file.toString();
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    CommandLine line =
        PenstockCommands.commandLine(Map.of(), MockAddress::parse, () -> Instant.EPOCH, serve);
    line.setErr(new PrintWriter(err, true));
    return line.execute(PenstockCommands.withDefault(all));
  }

  @Test
  void faultyRoutes_exit2_withOneLineAFault_andNothingStarted() throws IOException {
    int exit = run("endpoints:\n  - path: /demo\n    rate: 0\n    algoritm: none\n");

    assertThat(exit).isEqualTo(2);
    assertThat(serve.running()).isFalse();
    assertThat(err.toString().lines())
        .hasSize(2)
        .allMatch(line -> line.matches(".*routes\\.yaml:[34]:\\d+: .*(expected|did you mean).*"));
  }

  @Test
  void mockAddressThatIsWrong_isAFault() throws IOException {
    int exit = run(GOOD.replace("mock://openai", "mock://openai?tokens=many"));

    assertThat(exit).isEqualTo(2);
    assertThat(err.toString()).contains("routes.yaml:6:").contains("tokens");
  }

  @Test
  void addressThatIsNotLoopback_withoutKeys_exit2_andSaysHowToMeanIt() throws IOException {
    int exit = run(GOOD, "--host", "0.0.0.0", "--port", "0");

    assertThat(exit).isEqualTo(2);
    assertThat(serve.running()).isFalse();
    assertThat(err.toString()).contains("0.0.0.0").contains("--penstock.keys.required=false");
  }

  @Test
  void unknownHost_withoutKeys_isNotTakenForSafe() throws IOException {
    int exit = run(GOOD, "--host", "nowhere.invalid", "--port", "0");

    assertThat(exit).isEqualTo(2);
    assertThat(err.toString()).contains("nowhere.invalid");
  }

  /** Returns the one line that a start with these arguments ends with. */
  private String refusal(String... arguments) throws IOException {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--server.port=0";
    all[arguments.length + 1] = "--management.server.port=-1";
    int exit = run(GOOD, all);
    assertThat(serve.running()).isFalse();
    assertThat(exit).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(1);
    return err.toString().strip();
  }

  @Test
  void misspeltArgument_exit2_andNamesTheRightOne() throws IOException {
    assertThat(refusal("--penstock.keys.stor=file:keys.db"))
        .isEqualTo(
            "--penstock.keys.stor (command line) is no setting of Penstock; did you mean"
                + " penstock.keys.store?");
  }

  @Test
  void misspeltSettingInAFile_exit2_andNamesFileAndLine() throws IOException {
    Path file = directory.resolve("application.yml");
    Files.writeString(file, "penstock:\n  keys:\n    stor: file:keys.db\n");
    assertThat(refusal("--spring.config.additional-location=file:" + directory + "/"))
        .isEqualTo(
            "penstock.keys.stor ("
                + file
                + ":3:11) is no setting of Penstock; did you mean penstock.keys.store?");
  }

  @Test
  void durationOfTheDrainThatCannotBeRead_exit2_beforeAnythingIsStarted() throws IOException {
    assertThat(refusal("--penstock.drain-timeout=30 seconds"))
        .isEqualTo(
            "--penstock.drain-timeout (command line) is '30 seconds', expected a duration such as"
                + " 500ms, 30s or 10m");
  }
}
