package io.penstock.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The documents of the project: the README and the pages in {@code src/docs}. */
public final class DocumentPages {
  public static final Path README = Path.of("README.md");

  private static final Path DOCS = Path.of("src", "docs");

  private DocumentPages() {}

  /** Returns the README, and then all pages by name. */
  public static List<Path> all() {
    List<Path> all = new ArrayList<>(List.of(README));
    all.addAll(SourceTree.PROJECT.files(DOCS, ".md"));
    return all;
  }

  /** Returns the page with this file name. */
  public static Path page(String name) {
    return DOCS.resolve(name);
  }

  /** Returns the text of a page. */
  public static String text(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the text of all documents. */
  public static String text() {
    return String.join("\n", all().stream().map(DocumentPages::text).toList());
  }
}
