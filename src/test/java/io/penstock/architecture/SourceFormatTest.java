package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceFormatTest {
  private static final String BAD =
      "import java.util.Set;import java.util.List;class A{List<?> a ;}";
  private static final String GOOD = "import java.util.List;\n\nclass A {\n  List<?> a;\n}\n";

  @TempDir Path directory;

  @Test
  void file_badlyFormatted_isNamedWithTheCommand_thenRewritten() throws IOException {
    Path good = Files.writeString(directory.resolve("A.java"), GOOD);
    Path bad = Files.writeString(directory.resolve("B.java"), BAD);
    List<Path> files = List.of(good, bad);
    assertThatThrownBy(() -> SourceFormat.check(files))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("B.java")
        .hasMessageContaining("-Pformat")
        .hasMessageNotContaining("A.java");

    assertThat(SourceFormat.rewrite(files)).containsExactly(bad);
    assertThat(bad).hasContent(GOOD);
    SourceFormat.check(files);
  }

  @Test
  void file_thatDoesNotParse_failsWithItsName() throws IOException {
    Path file = Files.writeString(directory.resolve("B.java"), "class B {");
    assertThatThrownBy(() -> SourceFormat.check(List.of(file)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("B.java");
  }
}
