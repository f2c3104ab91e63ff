package io.penstock.config.shape;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Pattern;

/** Shapes of numbers. Only decimal digits are accepted, optionally separated by {@code _}. */
public final class NumberShapes {
  private static final int LONGEST = 40;
  private static final int DECIMALS = 9;

  private NumberShapes() {}

  /** A whole number from {@code least} to {@code most}. */
  public record Whole(long least, long most) implements ValueShape.OfScalar<Long> {
    // No leading zeros: YAML reads 010 as eight, people read it as ten.
    private static final Pattern DIGITS = Pattern.compile("-?(0|[1-9][0-9]*(_[0-9]+)*)");

    @Override
    public String expected() {
      return "a whole number from " + least + " to " + most;
    }

    @Override
    public ParsedValue<Long> parse(ScalarValue scalar, SourceFile source) {
      String text = scalar.text();
      if (!scalar.bare() || text.length() > LONGEST || !DIGITS.matcher(text).matches()) {
        return bad(scalar);
      }
      BigInteger number = new BigInteger(text.replace("_", ""));
      if (number.compareTo(BigInteger.valueOf(least)) < 0
          || number.compareTo(BigInteger.valueOf(most)) > 0) {
        return bad(scalar);
      }
      return new ParsedValue.Good<>(number.longValueExact());
    }

    @Override
    public Object show(Long value) {
      return value;
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.orVariable(
          ValueShape.keywords("type", "integer", "minimum", least, "maximum", most));
    }
  }

  /**
   * A number from {@code least} to {@code most} with at most nine decimals.
   *
   * @param above whether {@code least} itself is excluded
   */
  public record Fraction(BigDecimal least, boolean above, BigDecimal most)
      implements ValueShape.OfScalar<BigDecimal> {
    private static final Pattern DIGITS =
        Pattern.compile("-?(0|[1-9][0-9]*(_[0-9]+)*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?");

    public static Fraction above(long least, long most) {
      return new Fraction(BigDecimal.valueOf(least), true, BigDecimal.valueOf(most));
    }

    public static Fraction from(String least, long most) {
      return new Fraction(new BigDecimal(least), false, BigDecimal.valueOf(most));
    }

    @Override
    public String expected() {
      String range = (above ? "above " : "from ") + least.toPlainString();
      return "a number %s %s %s".formatted(range, above ? "and up to" : "to", most.toPlainString());
    }

    @Override
    public ParsedValue<BigDecimal> parse(ScalarValue scalar, SourceFile source) {
      String text = scalar.text();
      if (!scalar.bare() || text.length() > LONGEST || !DIGITS.matcher(text).matches()) {
        return bad(scalar);
      }
      BigDecimal number = new BigDecimal(text.replace("_", "")).stripTrailingZeros();
      int low = number.compareTo(least);
      if (low < 0 || (above && low == 0) || number.compareTo(most) > 0) {
        return bad(scalar);
      }
      if (number.scale() > DECIMALS && source.rls()) {
        return new ParsedValue.Good<>(number.setScale(DECIMALS, RoundingMode.HALF_UP));
      }
      if (number.scale() > DECIMALS) {
        return new ParsedValue.Bad<>(
            "is " + scalar.shown() + ", expected at most " + DECIMALS + " decimals");
      }
      return new ParsedValue.Good<>(number.setScale(Math.max(0, number.scale())));
    }

    @Override
    public Object show(BigDecimal value) {
      return value.stripTrailingZeros().scale() <= 0 ? value.longValueExact() : value;
    }

    @Override
    public Map<String, Object> schema() {
      String minimum = above ? "exclusiveMinimum" : "minimum";
      return ValueShape.orVariable(
          ValueShape.keywords("type", "number", minimum, show(least), "maximum", show(most)));
    }
  }

  /** A number of seconds, which becomes nanoseconds; it has at most as many decimals as those. */
  public record Seconds(Fraction number) implements ValueShape.OfScalar<Long> {
    public static Seconds above(long least, long most) {
      return new Seconds(Fraction.above(least, most));
    }

    public static Seconds from(String least, long most) {
      return new Seconds(Fraction.from(least, most));
    }

    @Override
    public String expected() {
      return number.expected();
    }

    @Override
    public ParsedValue<Long> parse(ScalarValue scalar, SourceFile source) {
      return switch (number.parse(scalar, source)) {
        case ParsedValue.Good<BigDecimal>(BigDecimal seconds) ->
            new ParsedValue.Good<>(seconds.movePointRight(DECIMALS).longValueExact());
        case ParsedValue.Bad<BigDecimal>(String problem) -> new ParsedValue.Bad<>(problem);
      };
    }

    @Override
    public Object show(Long nanos) {
      return number.show(seconds(nanos));
    }

    @Override
    public Map<String, Object> schema() {
      return number.schema();
    }
  }

  /** Returns nanoseconds as seconds. */
  public static BigDecimal seconds(long nanos) {
    return BigDecimal.valueOf(nanos, DECIMALS).stripTrailingZeros();
  }

  /** Returns {@code millis} in nanoseconds, rounded up. */
  public static long millisToNanos(BigDecimal millis) {
    return millis.movePointRight(6).setScale(0, RoundingMode.CEILING).longValueExact();
  }
}
