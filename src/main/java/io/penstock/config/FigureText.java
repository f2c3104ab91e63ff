package io.penstock.config;

import java.util.Locale;

/** Figures for people, at most five columns wide. */
public final class FigureText {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final String UNITS = "KMGTPE";

  private FigureText() {}

  /** Returns a count; a long one in thousands, millions and so on. */
  public static String count(long count) {
    if (count < 10_000) {
      return Long.toString(Math.max(0, count));
    }
    double rest = (double) count;
    int unit = -1;
    while (rest >= 999.5) {
      rest /= 1_000;
      unit++;
    }
    String digits = String.format(Locale.ROOT, rest < 99.95 ? "%.1f" : "%.0f", rest);
    return (digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits)
        + UNITS.charAt(unit);
  }

  /** Returns a time in milliseconds, such as 850ms, 1.2s, 3m05s or 2h10m. */
  public static String time(long millis) {
    if (millis < 1_000) {
      return Math.max(0, millis) + "ms";
    }
    if (millis < 99_950) {
      return String.format(Locale.ROOT, "%.1fs", (double) millis / 1e3);
    }
    if (millis < 10 * MINUTE) {
      return String.format(Locale.ROOT, "%dm%02ds", millis / MINUTE, millis % MINUTE / 1_000);
    }
    if (millis < HOUR) {
      return millis / MINUTE + "m";
    }
    if (millis < 10 * HOUR) {
      return String.format(Locale.ROOT, "%dh%02dm", millis / HOUR, millis % HOUR / MINUTE);
    }
    return millis < 4 * DAY ? millis / HOUR + "h" : count(millis / DAY) + "d";
  }

  /** Returns a fraction from 0 to 1 as a percentage, at most four columns wide. */
  public static String percent(double part) {
    double bounded = Double.isNaN(part) ? 0 : Math.max(0, Math.min(9.99, part));
    return Math.round(bounded * 100) + "%";
  }
}
