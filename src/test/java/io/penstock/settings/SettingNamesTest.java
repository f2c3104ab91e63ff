package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.DocumentPages;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the list of settings has the names that the program reads and that the documents have.
 */
class SettingNamesTest {
  private static final Path MAIN = Path.of("src", "main", "java", "io", "penstock");

  private static Set<String> names() {
    return SettingMetadata.ALL.stream()
        .map(SettingMetadata::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> variables() {
    Set<String> all = new TreeSet<>(SettingsCheck.OTHER_VARIABLES);
    SettingMetadata.ALL.forEach(each -> all.addAll(each.variables()));
    return all;
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(each -> each.group(1)).toList();
  }

  /** The settings are bound in one place; only the format of the log is needed before. */
  @Test
  void namesOfSettings_areReadNowhereElse() throws IOException {
    List<String> readers = new ArrayList<>();
    for (Path file : SourceTree.PROJECT.javaFiles(MAIN)) {
      if (!found("getProperty\\(\\s*(\"penstock\\.)", Files.readString(file)).isEmpty()) {
        readers.add(file.getFileName().toString());
      }
    }
    assertThat(readers).isEmpty();
  }

  @Test
  void optionsAndVariablesOfCommands_areSettingsToo() throws IOException {
    List<String> options = new ArrayList<>();
    List<String> variables = new ArrayList<>();
    for (Path file : SourceTree.PROJECT.javaFiles(MAIN)) {
      String text = Files.readString(file);
      options.addAll(found("\"--(penstock\\.[a-z.-]+)", text));
      variables.addAll(found("\"(PENSTOCK_[A-Z_]+)\"", text));
    }
    assertThat(options).contains("penstock.coordination.enabled").isSubsetOf(names());
    assertThat(variables).contains("PENSTOCK_OPERATOR_TOKEN").isSubsetOf(variables());
  }

  private static List<Path> documents() {
    List<Path> all = new ArrayList<>(DocumentPages.all());
    all.add(Path.of("k8s", "README.md"));
    return all;
  }

  private static List<String> quotedNames(Path document) {
    return found("`(penstock\\.[a-z.-]+)[`=]", DocumentPages.text(document));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void document_namesOnlySettings(Path file) {
    String text = DocumentPages.text(file);
    assertThat(found("--(penstock\\.[a-z.-]+[a-z])", text)).isSubsetOf(names());
    assertThat(quotedNames(file)).isSubsetOf(names());
    assertThat(found("\\b(PENSTOCK_[A-Z_]+)", text)).isSubsetOf(variables());
  }

  @Test
  void documents_nameSettings() {
    assertThat(documents().stream().filter(each -> !quotedNames(each).isEmpty()))
        .contains(DocumentPages.README, Path.of("k8s", "README.md"))
        .contains(DocumentPages.page("settings.md"), DocumentPages.page("instances.md"));
  }

  @Test
  void chartAndImage_setOnlySettings() throws IOException {
    Path chart = Path.of("k8s", "penstock");
    List<Path> files = new ArrayList<>(SourceTree.PROJECT.files(chart.resolve("templates"), ""));
    files.add(chart.resolve("values.yaml"));
    files.add(chart.resolve("values.schema.json"));
    files.add(Path.of("k8s", "image", "Dockerfile"));
    List<String> variables = new ArrayList<>();
    for (Path file : files) {
      if (Files.isRegularFile(file)) {
        String text = Files.readString(file);
        variables.addAll(found("\\b(PENSTOCK_[A-Z_]+)", text));
        assertThat(found("--(penstock\\.[a-z.-]+)", text)).as("%s", file).isSubsetOf(names());
      }
    }
    assertThat(variables).contains("PENSTOCK_KEYS_REQUIRED").isSubsetOf(variables());
  }
}
