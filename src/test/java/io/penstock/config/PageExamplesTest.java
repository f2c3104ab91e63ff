package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.DocumentPages;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads the route files that the pages show. */
class PageExamplesTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```yaml\n(.*?)^```$");
  private static final Pattern ROUTES = Pattern.compile("(?m)^endpoints:");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z0-9_]+)}");

  @TempDir private Path directory;

  private static List<String> examples(Path page) {
    return BLOCK
        .matcher(DocumentPages.text(page))
        .results()
        .map(block -> block.group(1))
        .filter(yaml -> ROUTES.matcher(yaml).find())
        .toList();
  }

  private static Stream<Path> pages() {
    return DocumentPages.all().stream().filter(page -> !examples(page).isEmpty());
  }

  /** Returns a value for each variable; those of digests differ from each other. */
  private static Map<String, String> variables(String yaml) {
    Map<String, String> variables = new HashMap<>();
    for (MatchResult each : VARIABLE.matcher(yaml).results().toList()) {
      String name = each.group(1);
      String digest = "%064x".formatted(name.hashCode() & 0xffffffffL);
      variables.put(name, name.endsWith("SHA256") ? digest : name.toLowerCase(Locale.ROOT));
    }
    return variables;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void examplesOfAPage_haveNoFaults(Path page) {
    for (String yaml : examples(page)) {
      Routes routes = new Routes(directory).write("routes.yaml", yaml);
      assertThat(routes.faults(variables(yaml))).as(yaml).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"limits", "instances", "providers", "prompt-caches", "requests", "upstreams"})
  void page_beginsWithAnExample(String name) {
    Path page = DocumentPages.page(name + ".md");
    String beginning = DocumentPages.text(page).split("\n## ", 2)[0];
    assertThat(BLOCK.matcher(beginning).results()).isNotEmpty();
    assertThat(beginning).contains(examples(page).getFirst());
  }

  @Test
  void exampleWithAFault_isFound() {
    String yaml = "endpoints:\n  - {path: /a, rat: 1}\n";
    assertThat(new Routes(directory).write("routes.yaml", yaml).faults(Map.of())).isNotEmpty();
  }
}
