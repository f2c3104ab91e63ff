package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.SourceTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class StyleTest {
  @Test
  void sourceTree_asItIs_isTidy() {
    List<CheckedSource> sources = CheckedSource.parse(SourceTree.PROJECT.javaFiles(Path.of("src")));
    assertThat(sources).anyMatch(CheckedSource::main).anyMatch(source -> !source.main());
    List<Function<CheckedSource, List<String>>> rules =
        List.of(
            StyleRules::longLines,
            StyleRules::unnumberedTodos,
            StyleRules::emptyCatches,
            StyleRules::vagueTypes,
            StyleRules::invertedSentences,
            PackageRules::vaguePackages,
            PackageRules::unknownPackages,
            PackageRules::forbiddenImports);
    List<String> found = new ArrayList<>(PackageRules.undescribedPackages(sources));
    for (CheckedSource source : sources) {
      rules.forEach(rule -> found.addAll(rule.apply(source)));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void repository_everyTextFile_namesNoMachineAndNoRegistry() {
    List<Path> files = SourceTree.PROJECT.files();
    assertThat(files).contains(Path.of("pom.xml"), Path.of("LICENSE"), Path.of(".ci", "run"));
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      String text = SourceTree.text(file).orElse("");
      found.addAll(TextRules.machinePaths(file.toString(), text));
      found.addAll(TextRules.registryHosts(file.toString(), text));
    }
    assertThat(found).isEmpty();
  }
}
