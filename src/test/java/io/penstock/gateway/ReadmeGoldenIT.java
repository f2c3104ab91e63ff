package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.mock.MockAddress;
import io.penstock.suite.DocumentPages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs each curl command of the README and of the pages, and compares the answers with records. */
@Tag(GoldenRecords.TAG)
class ReadmeGoldenIT {
  private static final Path KEYS = DocumentPages.page("keys.md");
  private static final String LIMITS = "## Limits of keys and groups";

  /** Page and section with tests of their own, because their sessions take time, or more files. */
  private static final Path COORDINATION = DocumentPages.page("coordination.md");

  private static final String LEARNED = "## Limits learned from the provider";

  @TempDir private Path directory;

  /** A line of a code block, and the page and section that it is in. */
  private record ShownLine(Path page, String section, String text) {
    boolean testedElsewhere() {
      return page.equals(COORDINATION) || section.equals(LEARNED);
    }
  }

  /** Returns the lines of all code blocks of all documents. */
  private static List<ShownLine> code() {
    return DocumentPages.all().stream().flatMap(page -> code(page).stream()).toList();
  }

  private static List<ShownLine> code(Path page) {
    List<ShownLine> code = new ArrayList<>();
    String section = "";
    boolean inside = false;
    for (String line : DocumentPages.text(page).lines().toList()) {
      if (line.startsWith("```")) {
        inside = !inside;
      } else if (inside) {
        code.add(new ShownLine(page, section, line));
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

  /** Returns the route file that the page about keys shows. */
  private static String routes() {
    StringBuilder routes = new StringBuilder();
    for (ShownLine line : code(KEYS)) {
      if (line.section().equals(LIMITS) && line.text().matches("(keys|groups|endpoints):|  .*")) {
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
      String message = new String(shell.getInputStream().readAllBytes(), UTF_8);
      assertThat(shell.waitFor()).as(message).isZero();
      record.append("$ ").append(curl).append("\n");
      record.append(gateway.stable().of(message).stripTrailing()).append("\n\n");
    }
    return record.toString();
  }

  /** Returns the code blocks of a section of the README, in order. */
  private static List<String> blocks(String heading) {
    String text = DocumentPages.text(DocumentPages.README);
    String section = text.substring(text.indexOf("\n" + heading + "\n") + 1);
    int end = section.indexOf("\n## ");
    String[] parts = section.substring(0, end < 0 ? section.length() : end).split("```\n", -1);
    return IntStream.range(0, parts.length)
        .filter(each -> each % 2 == 1)
        .mapToObj(each -> parts[each])
        .toList();
  }

  /** Replaces times, and how many wait, which depends on how fast the reader is. */
  private static String timeless(String answer) {
    return answer
        .replaceAll("after \\d+\\.\\d+ s", "after <time>")
        .replaceAll("\"queue_depth\":[1-9]", "\"queue_depth\":<some>");
  }

  private static String pasted(GoldenGateway gateway, String block) throws Exception {
    String script =
        block
            .replace("127.0.0.1:8080/", "127.0.0.1:" + gateway.port() + "/")
            .replace("127.0.0.1:8081/", "127.0.0.1:" + gateway.operatorPort() + "/");
    Process shell = new ProcessBuilder("bash", "-c", script).redirectErrorStream(true).start();
    String answer = new String(shell.getInputStream().readAllBytes(), UTF_8);
    assertThat(shell.waitFor()).as(answer).isZero();
    return answer;
  }

  @Test
  void sessionOfTheReadme_pastedInOrder_printsWhatIsShown() throws Exception {
    List<String> blocks = blocks("## See a request wait");
    assertThat(blocks).hasSize(3);
    String routes = Files.readString(Path.of("routes/demo.yaml"));
    try (GoldenGateway gateway = new GoldenGateway(directory, routes)) {
      assertThat(pasted(gateway, blocks.getFirst())).startsWith("{\"id\":\"chatcmpl-mock-");
      // on a busy machine an answer may come before the queue's length
      assertThat(timeless(pasted(gateway, blocks.get(1))).lines())
          .containsExactlyInAnyOrderElementsOf(timeless(blocks.get(2)).lines().toList());
    }
  }

  @Test
  void routeFileOfTheReadme_isTakenWithoutAWarning() {
    String block = blocks("## A route file of your own").getFirst();
    String file =
        block.substring(block.indexOf("endpoints:"), block.indexOf("END\npenstock check"));
    assertThat(
            new RouteFiles(Map.of("OPENAI_API_KEY", "k"), MockAddress::parse)
                .load("mine.yaml", file.getBytes(UTF_8)))
        .isInstanceOfSatisfying(
            LoadedConfiguration.Good.class,
            good -> assertThat(good.snapshot().warnings()).isEmpty());
  }

  @Test
  void linesWithoutKeys() throws Exception {
    List<ShownLine> code =
        code().stream()
            .filter(line -> !line.testedElsewhere())
            .filter(line -> !line.page().equals(KEYS))
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
    String routes = routes().replaceAll("sha256: SHA .*", "sha256: SHA(my-secret)");
    try (GoldenGateway gateway =
        new GoldenGateway(
            directory, routes, "--penstock.keys.store=file:" + directory.resolve("keys.db"))) {
      GoldenRecords.check("client/readme-keys.txt", record(gateway, curls(code(KEYS))));
    }
  }
}
