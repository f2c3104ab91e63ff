package io.penstock.load;

/**
 * One line of what was promised.
 *
 * @param what is measured
 * @param against what it is compared with, or empty
 * @param goal what it is to be, or empty
 * @param measured what it was, or why it was not measured
 */
record Figure(String what, String against, String goal, String measured, Verdict verdict) {
  /** What became of a goal. */
  enum Verdict {
    MET("MET"),
    NOT_MET("NOT MET"),
    MISSING("MISSING"),
    /** There is no goal. */
    TOLD("");

    private final String shown;

    Verdict(String shown) {
      this.shown = shown;
    }

    @Override
    public String toString() {
      return shown;
    }
  }

  private static Verdict of(boolean met) {
    return met ? Verdict.MET : Verdict.NOT_MET;
  }

  /** Returns how a goal is written that is a lower bound. */
  static String least(double goal) {
    return "≥ " + plain(goal);
  }

  /** Makes one that is to be at least so much; what is no number does not meet it. */
  static Figure atLeast(String what, String against, double goal, double value, String measured) {
    return new Figure(what, against, least(goal), measured, of(value >= goal));
  }

  /** Makes one that is to be at most so much; what is no number does not meet it. */
  static Figure atMost(String what, String against, double goal, double value, String measured) {
    return new Figure(what, against, "≤ " + plain(goal), measured, of(value <= goal));
  }

  /** Makes one whose goal is said in words. */
  static Figure that(String what, String goal, boolean met, String measured) {
    return new Figure(what, "–", goal, measured, of(met));
  }

  /** Makes one that was not measured. */
  static Figure missing(String what, String against, String goal, String reason) {
    return new Figure(what, against, goal, reason, Verdict.MISSING);
  }

  /** Makes one without a goal. */
  static Figure told(String what, String against, String measured) {
    return new Figure(what, against, "", measured, Verdict.TOLD);
  }

  private static String plain(double number) {
    return number == Math.rint(number) && number >= 2
        ? "%.0f".formatted(number)
        : String.valueOf(number);
  }
}
