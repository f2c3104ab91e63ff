package io.penstock.mock;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parameter of {@code mock://} addresses.
 *
 * @param name in the query of the address
 * @param form how its values are written
 * @param least the smallest value, beside 0 where that is the value of an address without it
 * @param most the largest value
 * @param otherwise the value of an address without it
 * @param accepted the values that it may have, in words
 * @param meaning one sentence
 */
public record MockParameter(
    String name,
    Form form,
    double least,
    double most,
    String otherwise,
    String accepted,
    String meaning) {
  private static final double MILLI = 1e6;
  private static final double HOUR = 3.6e12;

  static final MockParameter LATENCY =
      new MockParameter(
          "latency",
          Form.DURATION,
          0,
          HOUR,
          "0ms",
          "0 to 60m",
          "Time from the end of a request to the first byte back.");
  static final MockParameter TOKENS =
      new MockParameter(
          "tokens",
          Form.WHOLE,
          1,
          100_000,
          "50",
          "1 to 100000",
          "Output tokens of an answer, unless the request states a lower maximum.");
  static final MockParameter TPS =
      new MockParameter(
          "tps",
          Form.DECIMAL,
          0.001,
          1e9,
          "0",
          "0 (all at once), or 0.001 to 1000000000 tokens a second",
          "How fast an answer is written, in tokens a second.");
  static final MockParameter RPM =
      new MockParameter(
          "rpm",
          Form.WHOLE,
          0,
          1e12,
          "0",
          "0 (unlimited) to 1000000000000",
          "Requests of a model that are admitted in any trailing window; others get 429.");
  static final MockParameter TPM =
      new MockParameter(
          "tpm",
          Form.WHOLE,
          0,
          1e12,
          "0",
          "0 (unlimited) to 1000000000000",
          "Tokens of a model that are admitted in any trailing window; others get 429.");
  static final MockParameter ITPM =
      new MockParameter(
          "itpm",
          Form.WHOLE,
          0,
          1e12,
          "0",
          "0 (unlimited) to 1000000000000",
          "Input tokens of a model that are admitted in any trailing window, those read from the"
              + " cache not counted; others get 429.");
  static final MockParameter CACHE =
      new MockParameter(
          "cache",
          Form.WHOLE,
          0,
          100_000,
          "0",
          "0 (none) to 100000",
          "Fewest tokens of a prompt's beginning that an Anthropic provider caches, up to a mark"
              + " of the request.");
  static final MockParameter CACHE_LIFE =
      new MockParameter(
          "cache_life",
          Form.DURATION,
          MILLI,
          HOUR,
          "5m",
          "1ms to 60m",
          "How long a cached beginning is kept after its last use; one that is asked for an hour,"
              + " 12 times as long.");
  static final MockParameter WINDOW =
      new MockParameter(
          "window",
          Form.DURATION,
          MILLI,
          HOUR,
          "60s",
          "1ms to 60m",
          "Length of that window; rpm, tpm and itpm are amounts for the window, whatever its"
              + " length.");
  static final MockParameter ERROR_RATE =
      new MockParameter(
          "error_rate",
          Form.DECIMAL,
          0,
          1,
          "0",
          "0 to 1",
          "Share of admitted requests that get status 500.");
  static final MockParameter HEADERS =
      new MockParameter(
          "headers",
          Form.WORD,
          0,
          1,
          "all",
          "all or none",
          "Whether answers state what is left of rpm, tpm and itpm in the provider's headers.");

  static final MockParameter TOOLS =
      new MockParameter(
          "tools",
          Form.WORD,
          0,
          1,
          "words",
          "words or call",
          "Whether a tool that a request merely offers is called; one that it names or insists on"
              + " is called in any case.");

  /** All parameters; there are no others. */
  public static final List<MockParameter> ALL =
      List.of(
          LATENCY,
          TOKENS,
          TPS,
          RPM,
          TPM,
          ITPM,
          WINDOW,
          ERROR_RATE,
          HEADERS,
          CACHE,
          CACHE_LIFE,
          TOOLS);

  /** Ways to write a value; what they make of it is a number. */
  enum Form {
    /** A time, in nanoseconds. */
    DURATION(
        "0|(?<number>\\d{1,12}(?:\\.\\d{1,9})?)(?<unit>ms|s|m)",
        "a duration such as 200ms, 2s or 1m"),
    /** A whole number. */
    WHOLE("\\d{1,18}", "a whole number, 0 or more"),
    /** A number. */
    DECIMAL("\\d{1,12}(?:\\.\\d{1,12})?", "a number such as 0.25 or 100"),
    /** A word, which stands for its place among those that are accepted. */
    WORD("[a-z]+", "a word");

    private final Pattern pattern;
    private final String expected;

    Form(String pattern, String expected) {
      this.pattern = Pattern.compile(pattern);
      this.expected = expected;
    }

    private double number(String text) {
      Matcher matcher = pattern.matcher(text);
      if (this != DURATION || !matcher.matches() || matcher.group("unit") == null) {
        return Double.parseDouble(text);
      }
      double unitNanos =
          switch (matcher.group("unit")) {
            case "ms" -> MILLI;
            case "s" -> 1_000 * MILLI;
            default -> 60_000 * MILLI;
          };
      return new BigDecimal(matcher.group("number"))
          .multiply(new BigDecimal(unitNanos))
          .doubleValue();
    }
  }

  /**
   * Returns the value in an address, in or out of its range.
   *
   * @param values the texts in the address, by the names of their parameters
   * @throws IllegalArgumentException if it is no value of this form
   */
  double read(Map<String, String> values) {
    String text = values.getOrDefault(name, otherwise);
    List<String> words = form == Form.WORD ? List.of(accepted.split(" or ")) : List.of();
    boolean good = words.isEmpty() ? form.pattern.matcher(text).matches() : words.contains(text);
    if (!good) {
      throw new IllegalArgumentException(
          "mock address: %s is %s, expected %s"
              .formatted(
                  name, MockAddress.quoted(text), words.isEmpty() ? form.expected : accepted));
    }
    return words.isEmpty() ? form.number(text) : words.indexOf(text);
  }

  /**
   * Returns the value in an address.
   *
   * @throws IllegalArgumentException if it is no value of this form, or out of its range
   */
  double value(Map<String, String> values) {
    double value = read(values);
    boolean zero = value == 0 && otherwise.equals("0");
    if (!zero && (value < least || value > most)) {
      throw new IllegalArgumentException(
          "mock address: " + name + " is out of range, expected " + accepted);
    }
    return value;
  }
}
