package io.penstock.cli;

import java.io.Console;
import picocli.CommandLine.Option;

/** The option of commands that ask before they take something away; only at a terminal. */
final class Consent {
  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  /**
   * Asks at a terminal, and waits for the answer. Fails unless that is yes; does not ask scripts.
   *
   * @param question such as "Revoke key alice?"
   */
  @SuppressWarnings("SystemConsoleNull") // null without a terminal, from Java 25 on again
  void ask(String question) throws OperatorClient.Failed {
    Console console = System.console();
    if (yes || console == null || !console.isTerminal()) {
      return;
    }
    String answer = console.readLine("%s [y/N] ", question);
    if (answer == null || !answer.strip().equalsIgnoreCase("y")) {
      throw new OperatorClient.Failed(OperatorClient.Kind.FAILED, "nothing was changed");
    }
  }
}
