package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.DocumentPages;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Counts the words of the pages for those who run or call the gateway, and prints them by page. */
class PageWordsTest {
  private static final int MOST_WORDS = 30_000;

  /** Pages for those who change the program. */
  private static final List<Path> DEVELOPERS =
      Stream.of("architecture.md", "decisions.md", "performance.md", "testing.md")
          .map(DocumentPages::page)
          .toList();

  /** Pages that are made from the program, or compared with it line by line. */
  private static final List<Path> GENERATED =
      Stream.of("configuration.md", "night.md", "reasons.md", "settings.md", "usage-members.md")
          .map(DocumentPages::page)
          .toList();

  private static boolean isForUsers(Path page) {
    return !DEVELOPERS.contains(page)
        && !GENERATED.contains(page)
        && !page.startsWith(DocumentPages.page("recipes"));
  }

  private static int words(Path page) {
    return DocumentPages.text(page).strip().split("\\s+").length;
  }

  @Test
  void pagesForUsers_haveFewWords() {
    List<Path> pages = DocumentPages.all().stream().filter(PageWordsTest::isForUsers).toList();
    int all = pages.stream().mapToInt(PageWordsTest::words).sum();
    pages.forEach(page -> System.out.println(words(page) + " words " + page));
    System.out.println(all + " words of pages for users");
    assertThat(DocumentPages.all()).containsAll(DEVELOPERS).containsAll(GENERATED);
    assertThat(all).isLessThanOrEqualTo(MOST_WORDS);
  }
}
