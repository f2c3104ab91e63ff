package io.penstock.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GoldenRecords;
import io.penstock.mock.MockAddress;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Compares the output of {@code check} for faulty route files with records. A file of cases under
 * {@code src/test/golden/command/check} holds route files, each after a line {@code --- NAME}; the
 * files of one case follow a line {@code ### TITLE}. The expected output is in a record next to it.
 */
@Tag(GoldenRecords.TAG)
class CheckGoldenTest {
  private static final Path RECORDS = Path.of("src/test/golden");
  private static final Path CASES = RECORDS.resolve("command/check");
  private static final String MISTAKES = "command/mistakes.txt";
  private static final Path TLS = Path.of("src/test/resources/tls");
  private static final Path CONFIG = Path.of("src/main/java/io/penstock/config");
  private static final Map<String, String> ENVIRONMENT = Map.of("EMPTY", "");

  /** Matches text that describes a fault or an expectation. */
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  private static final Pattern VARIABLE_PART = Pattern.compile("%[sdn]|\\\\.|%04X|%0?\\d*[a-z]");

  private static final List<String> SUBJECTS =
      List.of("endpoints", "upstreams", "keys", "models", "rls", "files");

  private static final List<String> UNREADABLE =
      List.of("nope", "gone.yaml", "device.yaml", "large.yaml", "latin.yaml", "many");

  /**
   * Texts that no route file provokes: faults of the program, of the machine or of JSON, and
   * descriptions.
   */
  private static final Set<String> UNPROVOKED =
      Set.of(
          "Output tokens expected when nothing is said and nothing is learned yet.",
          "SHA-256 is missing, expected it in every JDK",
          "faults is empty, expected at least one",
          "a text has ${, expected one without variables",
          "cannot be read, expected permission to read it",
          ", which is not supported yet, expected ");

  @TempDir Path directory;

  /** One case: its title, and its files by name. */
  private record FaultyCase(String title, List<String[]> files) {}

  private static List<FaultyCase> cases(String subject) throws IOException {
    List<FaultyCase> cases = new ArrayList<>();
    StringBuilder content = new StringBuilder();
    for (String line : Files.readAllLines(CASES.resolve(subject + ".cases"))) {
      if (line.startsWith("### ")) {
        cases.add(new FaultyCase(line.substring(4), new ArrayList<>()));
      } else if (line.startsWith("--- ")) {
        content = new StringBuilder();
        cases.getLast().files().add(new String[] {line.substring(4), ""});
      } else {
        content.append(line).append("\n");
        cases.getLast().files().getLast()[1] = content.toString();
      }
    }
    return cases;
  }

  private static String run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = PenstockCommands.commandLine(ENVIRONMENT, MockAddress::parse);
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int exit = line.execute(arguments);
    return err + out.toString() + "exit " + exit + "\n";
  }

  private String record(String subject, String... more) throws IOException {
    StringBuilder record = new StringBuilder();
    int number = 0;
    for (FaultyCase each : cases(subject)) {
      Path routes = Files.createDirectory(directory.resolve(subject + number++));
      Files.copy(TLS.resolve("upstream.pem"), routes.resolve("cert.pem"));
      Files.copy(TLS.resolve("upstream-key.pem"), routes.resolve("key.pem"));
      for (String[] file : each.files()) {
        Files.writeString(routes.resolve(file[0]), file[1].stripTrailing() + "\n");
      }
      List<String> arguments = new ArrayList<>(List.of("check", "--routes", routes.toString()));
      arguments.addAll(List.of(more));
      String message = run(arguments.toArray(String[]::new));
      record.append("### ").append(each.title()).append("\n");
      record.append(message.replace(routes.toString(), "ROUTES")).append("\n");
    }
    return record.toString();
  }

  static List<String> subjects() {
    return SUBJECTS;
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void faultyRoutes(String subject) throws IOException {
    GoldenRecords.check("command/check/" + subject + ".txt", record(subject));
  }

  @Test
  void pathsOfTheCoordinationApi() throws IOException {
    GoldenRecords.check(
        "command/check/coordination.txt",
        record("coordination", "--penstock.coordination.enabled=true"));
  }

  /**
   * The record of usual mistakes holds the route files too, in lines with a bar, so that it can be
   * read from top to bottom.
   */
  @Test
  void usualMistakes() throws IOException {
    GoldenRecords.check(MISTAKES, mistakes());
  }

  private String mistakes() throws IOException {
    String[] parts = Files.readString(RECORDS.resolve(MISTAKES)).split("### ", -1);
    StringBuilder record = new StringBuilder(parts[0]);
    for (int at = 1; at < parts.length; at++) {
      List<String> lines = parts[at].lines().toList();
      List<String> bars = lines.stream().filter(line -> line.startsWith("|")).toList();
      Path routes = Files.createDirectories(directory.resolve("mistake" + at));
      Files.write(
          routes.resolve("routes.yaml"),
          bars.stream().map(line -> line.substring(Math.min(2, line.length()))).toList());
      String message = run("check", "--routes", routes.toString());
      record.append("### ").append(lines.getFirst()).append("\n");
      bars.forEach(line -> record.append(line).append("\n"));
      record.append(message.replace(routes + "/", "").replace(routes.toString(), "routes"));
      record.append("\n");
    }
    return record.toString();
  }

  @Test
  void routesThatCannotBeRead() throws IOException {
    GoldenRecords.check("command/check/unreadable.txt", unreadable());
  }

  private String unreadable() throws IOException {
    Files.createSymbolicLink(directory.resolve("gone.yaml"), directory.resolve("nowhere"));
    Files.createSymbolicLink(directory.resolve("device.yaml"), Path.of("/dev/zero"));
    Files.writeString(directory.resolve("large.yaml"), "#" + "x".repeat(1 << 20));
    Files.write(directory.resolve("latin.yaml"), "endpoints:\n  - path: /é".getBytes(ISO_8859_1));
    Path many = Files.createDirectory(directory.resolve("many"));
    for (int at = 0; at <= 1_000; at++) {
      Files.writeString(many.resolve(at + ".yaml"), "");
    }
    StringBuilder record = new StringBuilder();
    for (String name : UNREADABLE) {
      record.append("### ").append(name).append("\n");
      String message = run("check", "--routes", directory.resolve(name).toString());
      record.append(message.replace(directory.toString(), "ROUTES")).append("\n");
    }
    Files.delete(directory.resolve("gone.yaml"));
    Files.delete(directory.resolve("device.yaml"));
    return record.toString();
  }

  /** Ensures that each message about faults in the reader of route files appears in a case here. */
  @Test
  void everyTextOfAFault_isInARecord() throws IOException {
    StringBuilder records = new StringBuilder(Files.readString(RECORDS.resolve(MISTAKES)));
    try (Stream<Path> files = Files.list(CASES)) {
      for (Path each : files.filter(file -> file.toString().endsWith(".txt")).toList()) {
        records.append(Files.readString(each));
      }
    }
    String all = records.toString();
    Set<String> missing = new TreeSet<>();
    for (Path each : SourceTree.PROJECT.javaFiles(CONFIG)) {
      Files.readAllLines(each).stream()
          .filter(line -> !line.strip().startsWith("*") && !line.strip().startsWith("//"))
          .forEach(line -> addMissing(line, all, missing));
    }
    assertThat(missing).as("texts of faults that no case provokes").isEqualTo(UNPROVOKED);
  }

  private static void addMissing(String line, String records, Set<String> missing) {
    Matcher literal = LITERAL.matcher(line);
    while (literal.find()) {
      for (String part : VARIABLE_PART.split(literal.group(1), -1)) {
        if (part.contains("expected") && !records.contains(part)) {
          missing.add(part);
        }
      }
    }
  }
}
