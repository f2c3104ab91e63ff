package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.SourceTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the figures of names, sentences and reference cycles, and prints them. */
class LanguageFiguresTest {
  private static final double MOST_ONE_WORD = 0.25;
  private static final int LARGEST_CYCLE = 8;

  private static LanguageFigures ofTree(String root) {
    return LanguageFigures.of(CheckedSource.parse(SourceTree.PROJECT.javaFiles(Path.of(root))));
  }

  private static LanguageFigures of(String... texts) {
    return LanguageFigures.of(
        List.of(texts).stream()
            .map(text -> CheckedSource.of("src/main/java/io/penstock/cost/A.java", text))
            .toList());
  }

  @ParameterizedTest
  @CsvSource({"src/main/java, 0.01", "src/test/java, 0.02"})
  void sourceTree_isWrittenInPlainWords(String root, double mostHard) {
    LanguageFigures figures = ofTree(root);
    System.out.printf(
        "%s: %d of %d type names are one word (%.1f %%), %d names exist twice, %d of %d first"
            + " sentences are hard (%.1f %%), the largest reference cycle has %d types%n",
        root,
        figures.oneWord().size(),
        figures.types(),
        100 * figures.oneWordShare(),
        figures.doubled().size(),
        figures.hard().size(),
        figures.sentences(),
        100 * figures.hardShare(),
        figures.largestCycle());
    assertThat(figures.types()).isGreaterThan(500);
    assertThat(figures.sentences()).isGreaterThan(2_000);
    assertThat(figures.oneWordShare()).isLessThan(MOST_ONE_WORD);
    assertThat(figures.doubled()).as("names of more than one type").isEmpty();
    assertThat(figures.hardShare()).as("%s", figures.hard()).isLessThan(mostHard);
    assertThat(figures.cycles()).allMatch(cycle -> cycle.size() <= LARGEST_CYCLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/** What is left of it. */ class AnExample {}",
        "/** Of a round nothing is kept. */ class AnExample {}",
        "// tickets, one that waits first\nclass AnExample {}",
        "/* the client whose it is */ class AnExample {}"
      })
  void sentence_thatIsReadTwice_counts(String text) {
    assertThat(of(text).hard()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/** Returns the rest. Of several, the first. */ class AnExample {}",
        "class AnExample { String what = \"// who is it\"; }",
        "/** Who? */ class AnExample {}"
      })
  void sentence_thatIsPlain_orTooShort_doesNotCount(String text) {
    assertThat(of(text).hard()).isEmpty();
  }

  @Test
  void names_ofOneWord_andTwice_areFound() {
    LanguageFigures figures =
        of("class Lane {}", "class LaneKey {}", "class LaneKey {}", "class IO {}");
    assertThat(figures.oneWord()).containsExactly("IO", "Lane");
    assertThat(figures.doubled()).containsExactly("LaneKey");
    assertThat(figures.types()).isEqualTo(4);
  }

  @Test
  void cycles_areFoundInCode_notInComments() {
    LanguageFigures figures =
        of(
            "class FirstType { SecondType next; }",
            "class SecondType { ThirdType next; }",
            "class ThirdType { FirstType next; FourthType last; }",
            "/** {@link FirstType} */ class FourthType { String x = \"FirstType\"; }");
    assertThat(figures.cycles()).containsExactly(Set.of("FirstType", "SecondType", "ThirdType"));
    assertThat(figures.largestCycle()).isEqualTo(3);
  }
}
