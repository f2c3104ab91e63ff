package io.penstock.bench;

import io.penstock.suite.DocumentPages;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * English text to cut pieces from: the comments of this project's sources. They have one language
 * and one style, so pieces differ less from each other than the texts of many clients would;
 * tables, JSON and code among prose have up to a third more tokens for each byte, which one factor
 * for each model cannot reflect.
 */
final class EnglishText {
  /** Pages that are lists of names, links or answers of commands, which people do not send. */
  private static final List<Path> LISTS =
      List.of(
          DocumentPages.page("architecture.md"),
          DocumentPages.page("configuration.md"),
          DocumentPages.page("night.md"));

  private final String text;

  private EnglishText(String text) {
    this.text = text;
  }

  static EnglishText read() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path source : SourceTree.PROJECT.javaFiles(Path.of("src/main/java"))) {
      all.append('\n').append(comments(source));
    }
    return new EnglishText(all.toString());
  }

  /**
   * Returns the same text mixed with this project's documents, which have tables, commands, YAML
   * and JSON.
   */
  static EnglishText mixed() throws IOException {
    StringBuilder documents = new StringBuilder();
    for (Path page : DocumentPages.all()) {
      if (!LISTS.contains(page)) {
        documents.append(DocumentPages.text(page));
      }
    }
    return new EnglishText(documents + read().text);
  }

  private static String comments(Path source) throws IOException {
    return Files.readAllLines(source).stream()
        .map(String::strip)
        .filter(line -> line.startsWith("*") || line.startsWith("/**") || line.startsWith("//"))
        .map(line -> line.replaceAll("^(/\\*\\*|\\*/|\\*|//)|\\*/$", "").strip())
        .collect(Collectors.joining("\n"));
  }

  /**
   * Returns the given number of characters from a random position, continuing at the start if
   * necessary.
   */
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
