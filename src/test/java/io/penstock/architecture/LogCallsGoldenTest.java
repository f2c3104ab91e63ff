package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GoldenRecords;
import io.penstock.suite.DocumentPages;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares all texts that the program can log, and their categories, with the record, because
 * operators select and search by them.
 */
@Tag(GoldenRecords.TAG)
class LogCallsGoldenTest {
  private static final List<CheckedSource> SOURCES =
      CheckedSource.parse(SourceTree.PROJECT.javaFiles(Path.of("src", "main", "java")));
  private static final Pattern IN_TABLE =
      Pattern.compile("(?m)^\\| `(io\\.penstock\\.[\\w.]+)` \\|");

  @Test
  void placesThatLog_areThoseRecorded() {
    List<String> calls = SOURCES.stream().flatMap(each -> LogCalls.of(each).stream()).toList();
    assertThat(calls).hasSizeGreaterThan(40);
    GoldenRecords.check("logs/patterns.txt", String.join("\n", calls.stream().sorted().toList()));
  }

  @Test
  void categories_areThoseOfThePage_andNotClasses() throws IOException {
    TreeSet<String> categories = new TreeSet<>();
    SOURCES.forEach(each -> categories.addAll(LogCalls.categories(each)));
    assertThat(categories).allMatch(each -> each.matches("io\\.penstock(\\.[a-z]+)+"));
    GoldenRecords.check("logs/categories.txt", String.join("\n", categories));
    assertThat(
            IN_TABLE
                .matcher(DocumentPages.text(DocumentPages.page("operating.md")))
                .results()
                .map((MatchResult row) -> row.group(1)))
        .containsExactlyElementsOf(categories);
  }

  @Test
  void fileThatLogs_isFoundWithItsCategoryLevelAndText() {
    CheckedSource source =
        CheckedSource.of(
            "src/main/java/io/penstock/X.java",
            """
            class X {
              static final Logger LOG = LoggerFactory.getLogger("io.penstock.x");
              void a(boolean b, String c, List<String> d) {
                LOG.info("it is {}" + " now", c);
                LOG.warn(b ? "yes" : "no\\n");
                LOG.atInfo().setMessage("request").log();
                LOG.atLevel(l).log(c);
                d.forEach(LOG::error);
                c.info("another");
              }
            }
            """);
    assertThat(LogCalls.of(source))
        .containsExactly(
            "io.penstock.x INFO it is {} now",
            "io.penstock.x WARN yes | no\\n",
            "io.penstock.x INFO <computed>",
            "io.penstock.x <computed> <computed>",
            "io.penstock.x ERROR <computed>");
  }

  @Test
  void levelsWithoutSettings_areThoseRecorded() throws IOException {
    String settings = Files.readString(Path.of("src", "main", "resources", "application.yml"));
    String logging = settings.substring(settings.indexOf("\nlogging:") + 1);
    GoldenRecords.check("logs/levels.yaml", logging.replaceAll("(?m)^ *#.*\n", ""));
  }
}
