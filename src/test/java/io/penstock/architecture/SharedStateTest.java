package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.penstock.suite.DocumentPages;
import io.penstock.suite.SourceTree;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the fields that hold state for longer than a request with the table on the page about
 * security: each has a row, each row has a field, and the tests of each row exist.
 */
class SharedStateTest {
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final String HEAD =
      "# A\n\n## State that tenants share\n\n| state | test |\n|---|---|\n";

  @TempDir Path directory;

  @Test
  void program_asBuilt_hasARowForEachState() {
    JavaClasses program =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(LayerTable.ROOT);
    SharedStateRules.STATE_HAS_A_ROW.check(program);
    Map<String, Set<String>> rows =
        SharedStateRules.rows(DocumentPages.text(DocumentPages.page("architecture.md")));
    assertThat(rows.keySet()).isEqualTo(SharedStateRules.states(program));
    Set<String> known =
        SourceTree.PROJECT.javaFiles(TESTS).stream()
            .map(file -> Objects.toString(file.getFileName()).replace(".java", ""))
            .collect(Collectors.toSet());
    assertThat(rows)
        .allSatisfy((state, tests) -> assertThat(known).as(state).isNotEmpty().containsAll(tests));
    assertThat(rows.values()).doesNotContain(Set.of());
    assertThat(SharedStateRules.unneeded(program)).as("exemptions").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "final java.util.Map<String, Long> byKey = new java.util.HashMap<>();",
        "final java.util.Map<String, Long> byKey = new java.util.concurrent.ConcurrentHashMap<>();",
        "final java.util.Queue<String> line = new java.util.ArrayDeque<>();",
        "final java.util.Set<String> known ="
            + " java.util.concurrent.ConcurrentHashMap.newKeySet();",
        "final java.util.concurrent.atomic.AtomicLong count ="
            + " new java.util.concurrent.atomic.AtomicLong();",
        "final java.util.concurrent.atomic.LongAdder[] counts = {};",
        "static final java.util.concurrent.atomic.AtomicLong COUNT ="
            + " new java.util.concurrent.atomic.AtomicLong();",
        "io.penstock.cost.RecentEntries<String, String> learned;"
      })
  void fieldWithState_needsTheNameOfARow(String field) {
    assertThatThrownBy(() -> SharedStateRules.STATE_HAS_A_ROW.check(compile("pool", field)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Holds");
    JavaClasses named = compile("pool", "@io.penstock.tenant.SharedState(\"entries\") " + field);
    SharedStateRules.STATE_HAS_A_ROW.check(named);
    assertThat(SharedStateRules.states(named)).containsExactly("entries");
  }

  @Test
  void typeThatIsExempt_needsNoRow() {
    JavaClasses exempt =
        compile("shares", "java.util.Map<String, Long> byKey = new java.util.HashMap<>();");
    SharedStateRules.STATE_HAS_A_ROW.allowEmptyShould(true).check(exempt);
    assertThat(SharedStateRules.unneeded(exempt)).contains("redis").doesNotContain("shares");
  }

  @Test
  void collectionThatACallerMade_needsNoRow() {
    SharedStateRules.STATE_HAS_A_ROW
        .allowEmptyShould(true)
        .check(compile("pool", "java.util.List<String> models = java.util.List.of();"));
  }

  @Test
  void table_isReadByRow() {
    assertThat(
            SharedStateRules.rows(
                HEAD + "| a | `ATest`, `BIT` |\n| b | none |\n\n## C\n\n| c | `CTest` |\n"))
        .isEqualTo(Map.of("a", Set.of("ATest", "BIT"), "b", Set.of()));
    assertThatIllegalArgumentException().isThrownBy(() -> SharedStateRules.rows("# A\n"));
  }

  private JavaClasses compile(String room, String field) {
    return JavaSnippets.compile(
        directory, "package io.penstock.%s; class Holds { %s }".formatted(room, field));
  }
}
