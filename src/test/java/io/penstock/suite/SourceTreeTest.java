package io.penstock.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceTreeTest {
  @TempDir private Path directory;

  private void write(String... names) throws IOException {
    for (String name : names) {
      Path file = directory.resolve(name);
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.writeString(file, "text of " + name);
    }
  }

  /** Runs git without the settings of this machine, which may sign or check commits. */
  private void git(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=a", "-c", "user.email=a@example.com"));
    command.addAll(List.of(arguments));
    ProcessBuilder git = new ProcessBuilder(command).directory(directory.toFile()).inheritIO();
    git.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
    git.environment().putAll(Map.of("GIT_CONFIG_GLOBAL", "/dev/null", "GIT_CONFIG_NOSYSTEM", "1"));
    assertThat(git.start().waitFor()).isZero();
  }

  private void repository() throws Exception {
    Assumptions.assumeTrue(SourceTree.PROJECT.tracked(), "git tracks nothing here");
    git("init", "-q");
    write("src/A.java", "src/B.java", "src/to do.txt", "gone.txt");
    git("add", "-A");
    Files.delete(directory.resolve("gone.txt"));
  }

  private List<Path> paths(String... names) {
    return List.of(names).stream().map(directory::resolve).toList();
  }

  @BeforeEach
  void ignore() throws IOException {
    Files.writeString(directory.resolve(".gitignore"), "# made\ntarget/\n\n*.log\nnode_*/\n");
  }

  @Test
  void repository_withAnUntrackedDirectory_isReadWithoutIt() throws Exception {
    repository();
    write("repo/org/example/example.pom", "new.txt", "target/A.class");
    SourceTree tree = new SourceTree(directory);
    assertThat(tree.tracked()).isTrue();
    assertThat(tree.files())
        .isEqualTo(paths(".gitignore", "src/A.java", "src/B.java", "src/to do.txt"));
    assertThat(tree.javaFiles(directory.resolve("src")))
        .isEqualTo(paths("src/A.java", "src/B.java"));
    assertThat(tree.javaFiles(directory.resolve("sr"))).isEmpty();
  }

  @Test
  void fileThatDiffersFromTheCommit_orIsNew_isChanged() throws Exception {
    repository();
    write("src/C.java", "src/D.java");
    git("add", "-A");
    SourceTree uncommitted = new SourceTree(directory);
    assertThat(uncommitted.changed(directory, ".java"))
        .isEqualTo(paths("src/A.java", "src/B.java", "src/C.java", "src/D.java"));

    git("commit", "-q", "-m", "one");
    SourceTree committed = new SourceTree(directory);
    assertThat(committed.changed(directory, "")).isEmpty();

    Files.writeString(directory.resolve("src/A.java"), "changed");
    Files.writeString(directory.resolve("src/B.java"), "added");
    git("add", "src/B.java");
    Files.delete(directory.resolve("src/C.java"));
    write("src/new/E.java", "src/new/target/F.java", "other/G.java", "src/new.txt");
    assertThat(committed.changed(directory.resolve("src"), ".java"))
        .isEqualTo(paths("src/A.java", "src/B.java", "src/new/E.java"));
  }

  @Test
  void directoryWithoutGit_isReadWithoutWhatIsIgnored() throws IOException {
    write("src/A.java", "src/B.log", "target/A.class", "src/target/A.class", "node_modules/a.js");
    write(".git/config", "targets/A.class");
    SourceTree tree = new SourceTree(directory);
    assertThat(tree.tracked()).isFalse();
    assertThat(tree.files()).isEqualTo(paths(".gitignore", "src/A.java", "targets/A.class"));
    assertThat(tree.changed(directory, "")).isEmpty();
  }

  @Test
  void archiveInsideAnotherRepository_isReadAsWithoutGit() throws Exception {
    repository();
    write("archive/src/A.java", "archive/target/A.class");
    Files.copy(directory.resolve(".gitignore"), directory.resolve("archive/.gitignore"));
    SourceTree tree = new SourceTree(directory.resolve("archive"));
    assertThat(tree.tracked()).isFalse();
    assertThat(tree.files()).isEqualTo(paths("archive/.gitignore", "archive/src/A.java"));
  }

  @Test
  void projectItself_isReadTheSameWithoutGit() {
    IgnoredNames ignored = IgnoredNames.of(Path.of(".gitignore"));
    assertThat(ignored.directory(Path.of("load-tests", "target"))).isTrue();
    assertThat(ignored.directory(Path.of(".git"))).isTrue();
    assertThat(SourceTree.PROJECT.files())
        .contains(Path.of("pom.xml"), Path.of(".ci", "run"), Path.of(".gitignore"))
        .noneMatch(ignored::file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/target", "!a.db", "src/target/", "**", "[ab]"})
  void ignoredPath_isRefused(String line) throws IOException {
    Path file = Files.writeString(directory.resolve(".gitignore"), line + "\n");
    assertThatThrownBy(() -> IgnoredNames.of(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + line + "'");
  }
}
