package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FormatIT {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"src", "load-tests/src"})
  void sourceTree_asItIs_isFormatted(Path sources) {
    assertThat(SourceFormat.unformatted(sources))
        .as("files that are not formatted; this formats them: %s", SourceFormat.COMMAND)
        .isEmpty();
  }

  @Test
  void file_badlyFormatted_isRewrittenAndThenPasses() throws IOException {
    Path file = directory.resolve("A.java");
    Files.writeString(file, "import java.util.Set;import java.util.List;class A{List<?> a ;}");
    assertThat(SourceFormat.rewrite(directory)).containsExactly(file);

    assertThat(file).hasContent("import java.util.List;\n\nclass A {\n  List<?> a;\n}\n");
    assertThat(SourceFormat.unformatted(directory)).isEmpty();
  }

  @Test
  void file_thatDoesNotParse_failsWithItsName() throws IOException {
    Files.writeString(directory.resolve("B.java"), "class B {");
    assertThatThrownBy(() -> SourceFormat.unformatted(directory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("B.java");
  }
}
