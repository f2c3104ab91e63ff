package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RefusedStart;
import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a start that fails says why in one line, without a stack trace. */
class StartFailureIT {
  @TempDir private Path directory;
  private Path routes = Path.of("");

  @BeforeEach
  void writeRoutes() throws IOException {
    routes = Files.writeString(directory.resolve("routes.yaml"), "endpoints: [{path: /a}]\n");
  }

  /** Returns what a start that fails writes to its error output. */
  private String refusal(String... arguments) {
    RefusedStart refused = RefusedStart.of(routes, arguments);
    assertThat(refused.exit()).isEqualTo(2);
    return refused.error().strip();
  }

  private static ServerSocket occupied() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @Test
  void gatewayPortInUse_isOneLine() throws IOException {
    try (ServerSocket other = occupied()) {
      assertThat(refusal("--port=" + other.getLocalPort(), "--operator-port=0"))
          .isEqualTo(
              "port %d is in use by another program: stop that program, or choose another port with"
                      .formatted(other.getLocalPort())
                  + " --port (server.port)");
    }
  }

  @Test
  void operatorPortInUse_isOneLine() throws IOException {
    try (ServerSocket other = occupied()) {
      assertThat(refusal("--port=0", "--operator-port=" + other.getLocalPort()))
          .isEqualTo(
              "port %d is in use by another program: stop that program, or choose another port with"
                      .formatted(other.getLocalPort())
                  + " --operator-port (management.server.port)");
    }
  }

  @Test
  void addressOfAnotherMachine_isOneLine() {
    assertThat(refusal("--host=192.0.2.1", "--port=0", "--penstock.keys.required=false"))
        .isEqualTo(
            "192.0.2.1 is no address of this machine, so nothing can listen on it: set --host"
                + " (server.address) to one, to 127.0.0.1 for this machine alone, or to 0.0.0.0 for"
                + " all its addresses");
  }

  @Test
  void certificateThatDoesNotExist_isOneLine() {
    assertThat(
            refusal(
                "--port=0",
                "--operator-port=0",
                "--server.ssl.certificate=file:/none.pem",
                "--server.ssl.certificate-private-key=file:/none.key"))
        .startsWith("the certificate or the key of a port cannot be used, check server.ssl.*")
        .contains("none.pem")
        .hasLineCount(1);
  }

  @Test
  void keyStoreThatDoesNotExist_isOneLine() {
    assertThat(refusal("--port=0", "--operator-port=0", "--server.ssl.key-store=file:/none.p12"))
        .startsWith("the certificate or the key of a port cannot be used, check server.ssl.*")
        .contains("none.p12")
        .hasLineCount(1);
  }

  @Test
  void certificateThatIsNone_isOneLine() throws IOException {
    Path file = Files.writeString(directory.resolve("bad.pem"), "no certificate\n");
    assertThat(
            refusal(
                "--port=0",
                "--operator-port=0",
                "--server.ssl.certificate=file:" + file,
                "--server.ssl.certificate-private-key=file:" + file))
        .startsWith("the certificate or the key of a port cannot be used, check server.ssl.*")
        .hasLineCount(1);
  }

  @Test
  void settingOfTheFrameworkThatCannotBeRead_isOneLine() {
    assertThat(refusal("--port=0", "--operator-port=0", "--server.netty.idle-timeout=soon"))
        .isEqualTo(
            "--server.netty.idle-timeout (command line) cannot be read, expected a duration such as"
                + " 500ms, 30s or 10m");
  }

  @Test
  void fileOfSettingsThatIsNoYaml_isOneLine() throws IOException {
    Files.writeString(directory.resolve("application.yml"), "penstock:\n  a: b: c\n");
    assertThat(refusal("--spring.config.additional-location=file:" + directory + "/"))
        .isEqualTo(
            "application.yml is no YAML at line 2, column 7: mapping values are not allowed here");
  }

  @Test
  void fileOfSettingsThatDoesNotExist_isOneLine() {
    assertThat(refusal("--spring.config.location=file:" + directory + "/none.yml"))
        .contains("none.yml")
        .hasLineCount(1);
  }

  @Test
  void program_withItsPortInUse_writesOneLine_andExitsWith2() throws Exception {
    try (ServerSocket other = occupied()) {
      List<String> command = JavaCommand.java(Penstock.class);
      command.addAll(
          List.of("--routes=" + routes, "--port=" + other.getLocalPort(), "--operator-port=0"));
      Path out = directory.resolve("out.txt");
      Path err = directory.resolve("err.txt");
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      assertThat(PatientWaits.end(process)).isEqualTo(2);
      assertThat(Files.readString(err, StandardCharsets.UTF_8).lines())
          .singleElement()
          .asString()
          .startsWith("port " + other.getLocalPort() + " is in use by another program");
      assertThat(Files.readString(out, StandardCharsets.UTF_8)).isEmpty();
    }
  }
}
