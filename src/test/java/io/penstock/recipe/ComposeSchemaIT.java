package io.penstock.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.clients.PythonScripts;
import io.penstock.suite.TaggedTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the file for Compose with the JSON Schema of Compose files. */
@Tag(TaggedTests.FULL)
class ComposeSchemaIT {
  @TempDir private Path directory;

  private static int check(Path file) throws Exception {
    PythonScripts python =
        PythonScripts.installed(
            Path.of("src", "test", "python", "compose"), Path.of("target", "compose-schema"));
    return new ProcessBuilder(
            python.program("check-jsonschema"),
            "--builtin-schema",
            "vendor.compose-spec",
            file.toString())
        .inheritIO()
        .start()
        .waitFor();
  }

  @Test
  void file_fitsTheSchema_andAFaultyOneDoesNot() throws Exception {
    assertThat(check(ProductionFilesIT.COMPOSE)).isZero();
    assertThat(check(faulty())).isOne();
  }

  private Path faulty() throws IOException {
    String text = Files.readString(ProductionFilesIT.COMPOSE);
    return Files.writeString(
        directory.resolve("compose.yaml"), text.replace("read_only: true", "read_only: [1]"));
  }
}
