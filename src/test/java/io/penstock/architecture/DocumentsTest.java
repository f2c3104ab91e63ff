package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.DocumentPages;
import io.penstock.suite.SourceTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the documents lead readers to things that exist. */
class DocumentsTest {
  private static final int MOST_LINES = 250;

  private static final Set<String> TESTS =
      Stream.of("src/test/java", "load-tests/src")
          .flatMap(root -> SourceTree.PROJECT.javaFiles(Path.of(root)).stream())
          .map(file -> Objects.toString(file.getFileName()).replace(".java", ""))
          .collect(Collectors.toUnmodifiableSet());

  private static List<Path> documents() {
    List<Path> all = new ArrayList<>(DocumentPages.all());
    all.add(Path.of("k8s", "README.md"));
    return all;
  }

  @Test
  void readme_isShort() {
    assertThat(DocumentPages.text(DocumentPages.README).lines()).hasSizeLessThan(MOST_LINES + 1);
  }

  @Test
  void links_leadToFilesAndHeadings() {
    assertThat(
            documents().stream()
                .flatMap(
                    each ->
                        DocumentRules.brokenLinks(
                            each, DocumentPages.text(each), DocumentPages::text)
                            .stream()))
        .isEmpty();
  }

  @Test
  void everyPage_isLinkedFromTheReadmeOrTheListOfRecipes() {
    Path recipes = DocumentPages.page("recipes").resolve("README.md");
    assertThat(linked(DocumentPages.README)).contains(recipes);
    Set<Path> linked = new HashSet<>(linked(DocumentPages.README));
    linked.addAll(linked(recipes));
    assertThat(linked).containsAll(DocumentPages.all().subList(1, DocumentPages.all().size()));
  }

  private static Set<Path> linked(Path document) {
    return DocumentRules.links(DocumentPages.text(document)).stream()
        .map(link -> DocumentRules.resolve(document, link.replaceAll("#.*", "")))
        .collect(Collectors.toSet());
  }

  @Test
  void testsAndPathsThatAreNamed_exist() {
    List<String> found = new ArrayList<>();
    for (Path each : documents()) {
      found.addAll(DocumentRules.unknownTests(each, DocumentPages.text(each), TESTS));
      found.addAll(DocumentRules.unknownPaths(each, DocumentPages.text(each)));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void documentWithFaults_isFound() {
    String text =
        """
        # One [link](https://example.com/a)

        ## One, two `three`
        ## Again
        ## Again
        ```
        # [code](nowhere)
        ```
        `[code](nowhere)` [a](README.md#one-link) [b](#one-two-three) [c](#again-1) [d](#code)
        [e](nowhere.md) [f](src/docs/limits.md#nowhere) [g](src/docs) [h](pom.xml)
        ShareScheduleTest, `-Dtest=ScheduleTest`, src/docs/nowhere and k8s/README.md.
        """;
    Path document = Path.of("README.md");
    assertThat(DocumentRules.brokenLinks(document, text, any -> "# Limits"))
        .containsExactly(
            "README.md links to #code, and there is no such heading",
            "README.md links to nowhere.md, and there is no such file",
            "README.md links to src/docs/limits.md#nowhere, and there is no such heading");
    assertThat(DocumentRules.unknownTests(document, text, Set.of("ShareScheduleTest")))
        .containsExactly("README.md names ScheduleTest, and there is no such test");
    assertThat(DocumentRules.unknownPaths(document, text))
        .containsExactly("README.md names src/docs/nowhere, and there is no such file");
  }
}
