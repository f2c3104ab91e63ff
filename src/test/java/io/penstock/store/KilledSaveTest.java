package io.penstock.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills a process while it saves, repeatedly, at random instants. The state read afterwards must be
 * complete, and not older than the last acknowledged save. With {@code -Pdeep} until a thousand
 * saves.
 */
class KilledSaveTest {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");
  private static final int KILLS = DEEP ? 40 : 4;
  private static final int SAVES = DEEP ? 1_000 : 40;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"state.yaml", "state.db"})
  void killedAtRandomInstants_theFileIsWhole_andNeverOlderThanTheLastSave(String name)
      throws Exception {
    Path file = directory.resolve(name);
    Random random = new Random(20_261_122);
    long said = 0;
    for (int kill = 0; kill < KILLS || said < SAVES; kill++) {
      said = Math.max(said, runAndKill(file, said + 1, random));
      long read = read(file);
      assertThat(read).as("after kill %d", kill).isBetween(said, said + 1);
      said = read;
    }
    System.out.printf("%s: %d saves, %d kills or more%n", name, said, KILLS);
  }

  /** Returns the number of the last acknowledged save. */
  private long runAndKill(Path file, long first, Random random) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SavingProcess.class.getName(),
                file.toString(),
                Long.toString(first))
            .redirectErrorStream(true)
            .start();
    int most = 1 + random.nextInt(2 * SAVES / KILLS);
    int spins = random.nextInt(2_000_000);
    try (BufferedReader said = process.inputReader(UTF_8)) {
      String line = said.readLine();
      for (int save = 1; save < most && line != null; save++) {
        line = said.readLine();
      }
      assertThat(line).as("said by a process that goes on").isNotNull().matches("\\d+");
      for (int spin = 0; spin < spins; spin++) {
        Thread.onSpinWait(); // at a random instant within the next save
      }
      process.toHandle().destroyForcibly();
      String last = line;
      while ((line = said.readLine()) != null) {
        last = line.matches("\\d+") ? line : last;
      }
      return Long.parseLong(last);
    } finally {
      process.onExit().join();
    }
  }

  private static long read(Path file) throws IOException {
    try (SnapshotStore snapshotStore = StateFiles.of(file)) {
      Snapshot state = snapshotStore.load();
      long number =
          state.spent().getOrDefault(SavingProcess.COUNTER, List.of()).getFirst().amount();
      assertThat(state.usage())
          .hasSize(200)
          .extracting(UsageLedger.Row::requests)
          .containsOnly(number);
      assertThat(state.spent().values()).allSatisfy(cells -> assertThat(cells).isNotEmpty());
      assertThat(state.spent().values().stream().flatMap(List::stream).mapToLong(Spent::amount))
          .allMatch(amount -> amount > 0);
      return number;
    }
  }
}
