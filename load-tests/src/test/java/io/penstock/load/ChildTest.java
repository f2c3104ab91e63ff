package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ChildTest {
  @TempDir Path directory;

  @Test
  void closed_endsItsProgramAndWhatThatStarted() throws Exception {
    String script = "sleep 600 & echo $! >inner.new; mv inner.new inner; echo $$ >pid; wait";
    ProcessHandle program;
    ProcessHandle inner;
    try (Child child = Child.start("a", directory, List.of("sh", "-c", script))) {
      assertThat(child).isNotNull();
      program = started("pid");
      inner = started("inner");
      assertThat(program.isAlive()).isTrue();
    }
    program.onExit().get(20, TimeUnit.SECONDS);
    inner.onExit().get(20, TimeUnit.SECONDS);
  }

  @Test
  void programThatEnds_isToldWithWhatItSaid() throws Exception {
    try (Child child = Child.start("b", directory, List.of("sh", "-c", "echo no such; exit 3"))) {
      assertThatIOException()
          .isThrownBy(() -> child.awaitPort(Machine.freePort(), Duration.ofSeconds(30)))
          .withMessage("b ended with 3: no such");
    }
    try (Child child = Child.start("c", directory, List.of("sh", "-c", "echo fine"))) {
      assertThat(child.await(Duration.ofSeconds(30))).isEqualTo("fine\n");
    }
  }

  private ProcessHandle started(String file) throws IOException {
    Path path = directory.resolve(file);
    String said = "";
    while (said.isBlank()) {
      said = Files.exists(path) ? Files.readString(path) : "";
      Thread.onSpinWait();
    }
    Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(said.strip()));
    return process.orElseThrow();
  }
}
