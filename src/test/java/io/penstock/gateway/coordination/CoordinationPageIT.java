package io.penstock.gateway.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import io.penstock.suite.DocumentPages;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the session that the page about the coordination API shows, and compares the output. */
class CoordinationPageIT {
  @TempDir private Path directory;

  /** Returns the first block of the page, line by line. */
  private static List<String> session() {
    List<String> lines = DocumentPages.text(DocumentPages.page("coordination.md")).lines().toList();
    int begins = lines.indexOf("```") + 1;
    assertThat(begins).isPositive();
    return lines.subList(begins, begins + lines.subList(begins, lines.size()).indexOf("```"));
  }

  @Test
  void session_goesAsItIsPrinted() throws Exception {
    List<String> session = session();
    List<String> commands = new ArrayList<>();
    for (String line : session) {
      if (line.startsWith("$ ")) {
        commands.add("printf '%s\\n' '" + line.replace("'", "'\\''") + "'");
        commands.add(line.substring(2));
      }
    }
    assertThat(commands).hasSizeGreaterThan(12);
    try (StartedGateway gateway =
        StartedGateway.start(
            directory, "endpoints: [{path: /a}]", "--penstock.coordination.enabled=true")) {
      String script =
          String.join("\n", commands)
              .replace("127.0.0.1:8080/", "127.0.0.1:" + gateway.port() + "/");
      Process shell = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start();
      String message = new String(shell.getInputStream().readAllBytes(), UTF_8);
      assertThat(
              message
                  .replace("127.0.0.1:" + gateway.port() + "/", "127.0.0.1:8080/")
                  .lines()
                  .toList())
          .isEqualTo(session);
      assertThat(shell.waitFor()).isZero();
    }
  }
}
