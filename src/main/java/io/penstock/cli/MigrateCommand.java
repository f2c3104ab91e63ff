package io.penstock.cli;

import io.penstock.store.StateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies a YAML state file to SQLite. */
@Command(
    name = "migrate",
    description = "Copy the state of a YAML file to SQLite; again, it changes nothing.",
    mixinStandardHelpOptions = true)
final class MigrateCommand implements Callable<Integer> {
  private static final int DONE = 0;
  private static final int REFUSED = 2;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(index = "0", paramLabel = "STATE.yaml", description = "The file to read.")
  private Path from = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "STATE.db",
      description = "The file to make; one that is there holds the same.")
  private Path to = Path.of("");

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    try {
      line.getOut().println(StateFiles.migrate(from, to));
      return DONE;
    } catch (IOException e) {
      line.getErr().println(e.getMessage());
      return REFUSED;
    } finally {
      line.getOut().flush();
      line.getErr().flush();
    }
  }
}
