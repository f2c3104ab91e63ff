package io.penstock.upgrade;

import java.util.List;

/** The outcome of starting a gateway on stored data. */
sealed interface StartOutcome {
  /** The gateway is ready. */
  record Serving() implements StartOutcome {}

  /**
   * The gateway refused the stored data and gave a reason.
   *
   * @param sentence the last line of its output
   */
  record Refused(String sentence) implements StartOutcome {}

  /**
   * The gateway ended in any other way.
   *
   * @param log its output, line by line
   */
  record Broken(int exit, List<String> log) implements StartOutcome {}

  /** The exit status of a gateway that found a fault in its settings or data. */
  int FAULTY = 2;

  /**
   * Returns the outcome of a start that ended. A refusal has exit status 2 and a sentence as its
   * last line; a stack trace is not a refusal.
   */
  static StartOutcome ended(int exit, List<String> log) {
    List<String> written = log.stream().filter(line -> !line.isBlank()).toList();
    boolean traced = written.stream().anyMatch(StartOutcome::isTrace);
    if (exit != FAULTY || traced || written.isEmpty() || !written.getLast().contains(" ")) {
      return new Broken(exit, log);
    }
    return new Refused(written.getLast().strip());
  }

  private static boolean isTrace(String line) {
    return line.startsWith("\tat ") || line.contains("Exception");
  }
}
