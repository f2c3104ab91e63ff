package io.penstock.upgrade;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Route files of this repository, broken at random. */
final class BrokenRouteFiles {
  private static final Path RECORDS = Path.of("src/test/golden/command");

  /** How often a file without faults stands for one of the records, most of which have faults. */
  private static final int GOOD_WEIGHT = 60;

  private static final Path TLS = Path.of("src/test/resources/tls");

  /** Matches what stands between two route files of the records. */
  private static final Pattern BETWEEN =
      Pattern.compile("(?m)^(--- .*|### .*|\\$ penstock .*|exit \\d|2> .*)\\R");

  /** Matches a setting of one line, or of a mapping in one line. */
  private static final Pattern SETTING =
      Pattern.compile("(?<key>[A-Za-z_]+): *(?<value>[^,{}\\[\\]\\n]+)");

  private static final List<String> VALUES =
      List.of(
          "",
          "0",
          "1",
          "-1",
          "60",
          "0.5",
          "1e3",
          "1_000",
          "007",
          "0x10",
          "999999999999999999999",
          "0.0000000001",
          "0.123456789",
          "86400",
          "100000000",
          "yes",
          "true",
          "false",
          "null",
          "~",
          "word",
          "'7'",
          "\"7\"",
          "''",
          "[]",
          "[a, b]",
          "[a, a]",
          "{}",
          "{a: 1}",
          "${NUMBER}",
          "${TEXT}",
          "${EMPTY}",
          "${MISSING}",
          "${MISSING:3}",
          "${",
          "*a",
          "&a b",
          "<<",
          "/a",
          "/a/",
          "mock://openai",
          "mock://openai?rpm=x",
          "mock://gemini?latency=2h&cache=1",
          "http://h",
          "https://h/v1?q",
          "header:X-Team",
          "header:?",
          "body:user",
          "none",
          "all",
          "key",
          "auto",
          "strict",
          "token_window",
          "sliding_window",
          "token_bucket",
          "fair",
          "block",
          "exact",
          "eventual",
          "local",
          "2027-01-31",
          "2027-13-31",
          "! word",
          "!!float 1",
          "a: b",
          "# none",
          "x".repeat(300));

  private final Random random;
  private final List<String> whole = new ArrayList<>();
  private final List<String> settings = new ArrayList<>();

  BrokenRouteFiles(long seed) throws IOException {
    random = new Random(seed);
    for (Path file : RouteFileChecks.files(Path.of("routes"))) {
      whole.addAll(Collections.nCopies(GOOD_WEIGHT, Files.readString(file)));
    }
    try (Stream<Path> records = Files.walk(RECORDS)) {
      for (Path file : records.sorted().toList()) {
        if (file.toString().endsWith(".cases") || file.endsWith("check-print.txt")) {
          Arrays.stream(BETWEEN.split(Files.readString(file)))
              .filter(text -> text.contains(":"))
              .forEach(whole::add);
        }
      }
    }
    whole.forEach(text -> SETTING.matcher(text).results().forEach(m -> settings.add(m.group())));
  }

  /** Writes files, each broken in one to four places. */
  void write(Path directory, int files) throws IOException {
    Files.copy(TLS.resolve("upstream.pem"), directory.resolve("cert.pem"));
    Files.copy(TLS.resolve("upstream-key.pem"), directory.resolve("key.pem"));
    for (int at = 0; at < files; at++) {
      String text = any(whole);
      for (int breaks = 1 + random.nextInt(4); breaks > 0; breaks--) {
        text = broken(text);
      }
      Files.write(directory.resolve("%04d.yaml".formatted(at)), bytes(text));
    }
  }

  private byte[] bytes(String text) {
    byte[] all = text.getBytes(StandardCharsets.UTF_8);
    int cut = random.nextInt(40) > 0 ? all.length : random.nextInt(all.length + 1);
    if (all.length > 0 && random.nextInt(60) == 0) {
      all[random.nextInt(all.length)] = (byte) random.nextInt(256);
    }
    return Arrays.copyOf(all, cut);
  }

  private String broken(String text) {
    return switch (random.nextInt(12)) {
      case 0, 1, 2, 3, 4 -> setting(text, (key, value) -> key + ": " + any(VALUES));
      case 5 -> setting(text, (key, value) -> misspelt(key) + ": " + value);
      case 6, 7 -> setting(text, (key, value) -> any(settings));
      case 8 -> setting(text, (key, value) -> key + ": " + value + ", " + any(settings));
      default -> line(text);
    };
  }

  private String line(String text) {
    List<String> lines = new ArrayList<>(text.lines().toList());
    if (lines.isEmpty()) {
      return text;
    }
    int at = random.nextInt(lines.size());
    String line = lines.get(at);
    String indent = line.substring(0, line.length() - line.stripLeading().length());
    switch (random.nextInt(8)) {
      case 0 -> lines.remove(at);
      case 1 -> lines.add(at, line);
      case 2 -> lines.set(at, lines.set(random.nextInt(lines.size()), line));
      case 3 -> lines.set(at, " ".repeat(1 + random.nextInt(3)) + line);
      case 4 -> lines.set(at, line.stripLeading());
      case 5 -> lines.set(at, "\t" + line);
      case 6 -> lines.set(at, line.replace("'", random.nextBoolean() ? "\"" : ""));
      default -> lines.add(at, indent + any(settings));
    }
    return String.join("\n", lines) + "\n";
  }

  /** A setting that is written in another way. */
  private interface Rewriting {
    String of(String key, String value);
  }

  private String setting(String text, Rewriting rewriting) {
    List<Matcher> found = new ArrayList<>();
    for (Matcher each = SETTING.matcher(text); each.find(); ) {
      found.add(SETTING.matcher(text).region(each.start(), each.end()));
    }
    if (found.isEmpty()) {
      return text;
    }
    Matcher one = any(found);
    one.matches();
    String other = rewriting.of(one.group("key"), one.group("value"));
    return text.substring(0, one.start()) + other + text.substring(one.end());
  }

  private String misspelt(String key) {
    int at = random.nextInt(key.length());
    String letter = Character.toString('a' + random.nextInt(26));
    return key.substring(0, at) + letter + key.substring(at + random.nextInt(2));
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
