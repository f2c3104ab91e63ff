package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JarSourceTest {
  @TempDir Path directory;

  private Path root;
  private Path made;
  private JarSource source;

  @BeforeEach
  void makeRepository() throws Exception {
    root = Files.createDirectories(directory.resolve("root"));
    made = Files.createDirectories(directory.resolve("made"));
    source = new JarSource(made, root);
    git("init", "--quiet");
    git(
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.com",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "A");
    git("tag", "v1");
  }

  private String git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
    command.addAll(List.of(arguments));
    try (Child child = Child.start("git", directory, command)) {
      return child.await(Duration.ofSeconds(30)).strip();
    }
  }

  @Test
  void file_isTakenAsItIs_alsoRelativeToTheRepository() throws Exception {
    Path jar = Files.createFile(root.resolve("a.jar"));
    assertThat(source.jar("old", jar.toString())).isEqualTo(jar);
    assertThat(source.jar("old", "a.jar")).isEqualTo(jar);
  }

  @Test
  void nothingTold_saysWhatToTell() {
    assertThatIOException()
        .isThrownBy(() -> source.jar("old", ""))
        .withMessage("old is missing: tell -Dold=JAR or -Dold=COMMIT");
  }

  @Test
  void whatIsNotThere_isNamed() {
    assertThatIOException()
        .isThrownBy(() -> source.jar("old", "b.jar"))
        .withMessage("old is 'b.jar', which is no file here or in " + root);
    assertThatIOException()
        .isThrownBy(() -> source.jar("old", "v2"))
        .withMessage("old is 'v2', which is neither a file nor a commit");
  }

  @Test
  void commitThatWasBuilt_isNotBuiltAgain() throws Exception {
    String hash = git("rev-parse", "HEAD");
    Path jars = Files.createDirectories(made.resolve("jars"));
    Path jar = Files.createFile(jars.resolve(hash + ".jar"));
    assertThat(source.jar("old", "v1")).isEqualTo(jar);
    assertThat(source.jar("old", hash.substring(0, 8))).isEqualTo(jar);
  }

  @Test
  void commitThatCannotBeBuilt_saysSo_andLeavesNothing() throws Exception {
    assertThatIOException()
        .isThrownBy(() -> source.jar("old", "v1"))
        .withMessageContaining("build ended with");
    try (var left = Files.list(made)) {
      assertThat(left.filter(Files::isDirectory).map(path -> path.getFileName().toString()))
          .containsExactly("jars");
    }
  }
}
