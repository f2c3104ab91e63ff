package io.penstock.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * English to cut slices from: the comments of this project's sources. One language and one house
 * style, so texts differ less from each other than those of many clients would; tables, JSON and
 * code among prose weigh up to a third more for each byte, and one factor a model cannot tell.
 */
final class Prose {
  private final String text;

  private Prose(String text) {
    this.text = text;
  }

  static Prose read() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
        all.append('\n').append(comments(source));
      }
    }
    return new Prose(all.toString());
  }

  /** The same with this project's README among it: tables, commands, YAML and JSON. */
  static Prose mixed() throws IOException {
    return new Prose(Files.readString(Path.of("README.md")) + read().text);
  }

  private static String comments(Path source) throws IOException {
    return Files.readAllLines(source).stream()
        .map(String::strip)
        .filter(line -> line.startsWith("*") || line.startsWith("/**") || line.startsWith("//"))
        .map(line -> line.replaceAll("^(/\\*\\*|\\*/|\\*|//)|\\*/$", "").strip())
        .collect(Collectors.joining("\n"));
  }

  /** Returns so many characters from anywhere, round the end if need be. */
  String slice(int characters, SplittableRandom random) {
    StringBuilder slice = new StringBuilder(characters);
    int at = random.nextInt(text.length());
    while (slice.length() < characters) {
      int end = Math.min(text.length(), at + characters - slice.length());
      slice.append(text, at, end);
      at = 0;
    }
    return slice.toString();
  }
}
