package io.penstock.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.ServeCommand;
import io.penstock.cli.PenstockCommands;
import io.penstock.mock.MockAddress;
import io.penstock.suite.DocumentPages;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Compares the pages about recipes with the route files that they show. */
class RecipePagesTest {
  private static final int MOST_WORDS = 500;
  private static final Path PAGES = DocumentPages.page("recipes");

  private static Stream<String> files() {
    return SourceTree.PROJECT.files(Path.of("routes", "recipes"), ".yaml").stream()
        .map(file -> Objects.toString(file.getFileName()).replace(".yaml", ""));
  }

  /** Returns the recipes with a page in the directory of recipes; that of agents is longer. */
  private static Stream<String> recipes() {
    return files().filter(name -> !name.equals("agents"));
  }

  private static String page(String name) {
    return DocumentPages.text(PAGES.resolve(name + ".md"));
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void page_firstYamlBlock_isTheRouteFile(String name) throws IOException {
    String page = page(name);
    int begins = page.indexOf("```yaml\n") + "```yaml\n".length();
    assertThat(page.substring(begins, page.indexOf("```\n", begins)))
        .isEqualTo(Files.readString(RecipeGateway.file(name)));
    assertThat(page).contains("](../../../routes/recipes/" + name + ".yaml)");
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void page_isShort_andAnswersTheSameQuestions(String name) {
    String page = page(name);
    assertThat(page.strip().split("\\s+")).hasSizeLessThanOrEqualTo(MOST_WORDS);
    assertThat(page.lines().filter(line -> line.startsWith("## ")))
        .containsSubsequence(
            List.of("## What the client sets", "## What one sees", "## What goes wrong"));
  }

  @ParameterizedTest
  @MethodSource("files")
  void file_isCheckedWithoutFaultOrWarning_andIsInTheList(String name) throws IOException {
    Path file = RecipeGateway.file(name);
    Map<String, String> environment = RecipeGateway.variables(Files.readString(file));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        PenstockCommands.commandLine(
            environment, MockAddress::parse, () -> Instant.EPOCH, new ServeCommand(environment));
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    assertThat(line.execute("check", "--routes", file.toString())).isZero();
    assertThat(out.toString()).contains("no faults");
    assertThat(err.toString()).isEmpty();
    assertThat(page("README")).contains(name + ".md)");
  }
}
