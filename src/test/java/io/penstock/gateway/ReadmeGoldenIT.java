package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs each curl command of the README, and compares the answers with records. */
@Tag(GoldenRecords.TAG)
@Timeout(120)
class ReadmeGoldenIT {
  private static final String KEYS = "## Keys";
  private static final String LIMITS = "## Limits of keys and groups";

  /** Sections that have tests of their own, because their sessions take time, or more files. */
  private static final Set<String> ELSEWHERE =
      Set.of("## Coordination", "## Limits learned from the provider");

  @TempDir private Path directory;

  /** A line of the README, and the section that it is in. */
  private record ShownLine(String section, String text) {}

  /** Returns the lines of all code blocks. */
  private static List<ShownLine> code() throws IOException {
    List<ShownLine> code = new ArrayList<>();
    String section = "";
    boolean inside = false;
    for (String line : Files.readAllLines(Path.of("README.md"))) {
      if (line.startsWith("```")) {
        inside = !inside;
      } else if (inside) {
        code.add(new ShownLine(section, line));
      } else if (line.startsWith("## ")) {
        section = line;
      }
    }
    return code;
  }

  private static List<String> curls(List<ShownLine> code) {
    return code.stream()
        .map(line -> line.text().startsWith("$ ") ? line.text().substring(2) : line.text())
        .filter(text -> text.startsWith("curl "))
        .toList();
  }

  /** Returns the route file that a section shows. */
  private static String routes(String section) throws IOException {
    StringBuilder routes = new StringBuilder();
    for (ShownLine line : code()) {
      if (line.section().equals(section) && line.text().matches("(keys|groups|endpoints):|  .*")) {
        routes.append(line.text()).append("\n");
      }
    }
    return routes.toString();
  }

  private static String record(GoldenGateway gateway, List<String> curls) throws Exception {
    StringBuilder record = new StringBuilder();
    for (String curl : curls) {
      String command =
          curl.replace("127.0.0.1:8080/", "127.0.0.1:" + gateway.port() + "/")
              .replace("127.0.0.1:8081/", "127.0.0.1:" + gateway.operatorPort() + "/");
      Process shell = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
      String said = new String(shell.getInputStream().readAllBytes(), UTF_8);
      assertThat(shell.waitFor()).as(said).isZero();
      record.append("$ ").append(curl).append("\n");
      record.append(gateway.stable().of(said).stripTrailing()).append("\n\n");
    }
    return record.toString();
  }

  @Test
  void linesWithoutKeys() throws Exception {
    List<ShownLine> code =
        code().stream()
            .filter(line -> !ELSEWHERE.contains(line.section()))
            .filter(line -> !line.section().equals(KEYS) && !line.section().equals(LIMITS))
            .toList();
    String routes = Files.readString(Path.of("routes/demo.yaml")) + "  - {path: /api, rate: 2}\n";
    try (GoldenGateway gateway = new GoldenGateway(directory, routes)) {
      gateway.awaitTokenizer("{\"provider\":\"openai\",\"model\":\"gpt-4o\",\"text\":\"Hi\"}");
      String record =
          record(gateway, curls(code))
              .replaceAll(
                  "\"utilization\":(?!0\\.0,)[0-9.E-]+", "\"utilization\":<of the last minute>");
      GoldenRecords.check("client/readme.txt", record);
    }
  }

  @Test
  void linesWithKeys() throws Exception {
    List<ShownLine> code =
        code().stream()
            .filter(line -> line.section().equals(KEYS) || line.section().equals(LIMITS))
            .toList();
    String routes = routes(LIMITS).replaceAll("sha256: SHA .*", "sha256: SHA(my-secret)");
    try (GoldenGateway gateway =
        new GoldenGateway(
            directory, routes, "--penstock.keys.store=file:" + directory.resolve("keys.db"))) {
      GoldenRecords.check("client/readme-keys.txt", record(gateway, curls(code)));
    }
  }
}
