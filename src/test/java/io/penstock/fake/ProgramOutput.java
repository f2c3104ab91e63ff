package io.penstock.fake;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.function.Consumer;

/** Output of a program that a test has started. */
final class ProgramOutput {
  private ProgramOutput() {}

  /**
   * Passes on each line in a thread of its own, so that the program never blocks on a full pipe.
   * The last line tells why the output has ended, if the program was killed: that closes it.
   */
  static Thread follow(BufferedReader output, Consumer<String> lines) {
    return Thread.ofVirtual().start(() -> passOn(output, lines));
  }

  private static void passOn(BufferedReader output, Consumer<String> lines) {
    try {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.accept(line);
      }
    } catch (IOException closed) {
      lines.accept("the output of the program ends: " + closed.getMessage());
    }
  }
}
