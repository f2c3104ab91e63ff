package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Output of {@code check} for a configuration of rls. */
class CheckRlsTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int check(String text, String... options) throws IOException {
    Path file = Files.writeString(directory.resolve("rls.yml"), text);
    CommandLine line = PenstockCommands.commandLine(Map.of(), address -> {});
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(
        Stream.concat(Stream.of("check", "--routes", file.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  @Test
  void unknownKey_isAWarningAndNoFault() throws IOException {
    assertThat(check("log: debug\nendpoints: [{path: /a, rate: 0}]")).isZero();
    assertThat(out.toString()).contains("2 endpoints, no faults");
    assertThat(err.toString())
        .startsWith("warning: " + directory.resolve("rls.yml") + ":1:1: ignored: unknown key 'log'")
        .hasLineCount(1);
  }

  @Test
  void print_showsTheServerAndTheRoot() throws IOException {
    assertThat(check("server: {port: 9000}", "--print")).isZero();
    assertThat(out.toString()).contains("- path: /\n", "server:\n  port: 9000\n");
  }

  @Test
  void badPort_isAFault() throws IOException {
    assertThat(check("server: {port: 70000}")).isEqualTo(2);
    assertThat(err.toString())
        .contains("rls.yml:1:16: port is '70000', expected a whole number from 1 to 65535");
  }
}
