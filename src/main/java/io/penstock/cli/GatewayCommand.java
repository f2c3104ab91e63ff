package io.penstock.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Runs a command that asks a gateway, and turns its failures into exit codes. */
final class GatewayCommand {
  static final int GOOD = 0;
  static final int FAILED = 1;
  static final int FAULTY = 2;

  /** The work of a command; returns its exit code. */
  interface Task {
    int run(PrintWriter out, PrintWriter err) throws OperatorClient.Failed;
  }

  private static final int MOST_CHARACTERS = 4_096;

  private GatewayCommand() {}

  /** Returns text, of clients or configured, without characters that change a terminal. */
  static String harmless(String text) {
    boolean unicode = System.out.charset().equals(StandardCharsets.UTF_8);
    return new TerminalStyle(unicode, false).harmless(text, MOST_CHARACTERS);
  }

  /** Runs a task. A failed request counts as in all commands: 2 if it was wrong itself, else 1. */
  static int run(@Nullable CommandSpec spec, Task task) {
    return run(spec, task, failed -> failed.asked() ? FAULTY : FAILED);
  }

  /**
   * Runs a task.
   *
   * @param exit returns the exit code for a failed request
   */
  static int run(@Nullable CommandSpec spec, Task task, ToIntFunction<OperatorClient.Failed> exit) {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    PrintWriter out = line.getOut();
    PrintWriter err = line.getErr();
    try {
      return task.run(out, err);
    } catch (OperatorClient.Failed failed) {
      err.println(failed.getMessage());
      return exit.applyAsInt(failed);
    } finally {
      out.flush();
      err.flush();
    }
  }
}
