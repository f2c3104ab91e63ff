package io.penstock.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with a full disk and a read-only disk, both real: a few megabytes of memory, mounted for a
 * single process, where the system lets any user do that.
 */
class SmallDiskTest {
  private static final String SHUT =
      "the file cannot be opened: it and its directory are to be read and written";

  @TempDir private Path directory;

  private List<String> run(Path disk) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o size=4m tmpfs \"$0\" && exec \"$@\"",
                disk.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Dorg.sqlite.tmpdir=" + directory,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SmallDiskProcess.class.getName(),
                disk.toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said = process.inputReader(UTF_8)) {
      return said.lines().toList();
    } finally {
      process.waitFor();
    }
  }

  @Test
  void fullOrReadOnly_isSaidWithTheFile_losesNothing_andHeals() throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    List<String> all;
    try {
      all = run(disk);
    } catch (IOException noSuchProgram) {
      all = List.of();
    }
    assumeThat(all).as("lines of a process that may mount").contains(SmallDiskProcess.BEGIN);
    String at = disk + "/";
    assertThat(all.stream().filter(line -> line.contains(": ")).map(line -> line.replace(at, "@")))
        .containsExactly(
            "state.yaml: saved",
            "state.yaml: @state.yaml: No space left on device",
            "state.yaml: 10 rows of save 1",
            "state.yaml: saved",
            "state.yaml: 2000 rows of save 3",
            "state.db: saved",
            "state.db: @state.db: the disk is full",
            "state.db: 10 rows of save 1",
            "state.db: saved",
            "state.db: 2000 rows of save 3",
            "keys.db: done; known: a",
            "keys.db: keys in @keys.db: the disk is full; known: a",
            "keys.db: done; known: a b",
            "state.yaml: @state.yaml: @state.yaml.tmp: Read-only file system",
            "state.yaml: 2000 rows of save 3",
            "state.db: @state.db: " + SHUT,
            "state.db: @state.db: " + SHUT,
            "keys.db: keys in @keys.db: " + SHUT,
            "state.yaml: saved",
            "state.yaml: 10 rows of save 5",
            "state.db: saved",
            "state.db: 10 rows of save 5",
            "keys.db: done; known: a b c");
  }
}
