package io.penstock.config.shape;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Shapes of words: one of several names, true or false, an identifier. */
public final class WordShapes {
  private WordShapes() {}

  /**
   * One of several names.
   *
   * @param names each name and its value, in display order
   * @param later names that are known but not supported yet
   */
  public record Choice<E>(Map<String, E> names, List<String> later)
      implements ValueShape.OfScalar<E> {
    /** Returns the choice of {@code values}, each under its {@code name}. */
    public static <E> Choice<E> of(List<E> values, Function<E, String> name, String... later) {
      Map<String, E> names = new LinkedHashMap<>();
      values.forEach(value -> names.put(name.apply(value), value));
      return new Choice<>(names, List.of(later));
    }

    @Override
    public String expected() {
      return oneOf(new ArrayList<>(names.keySet()));
    }

    @Override
    public ParsedValue<E> parse(ScalarValue scalar, SourceFile source) {
      E value = names.get(scalar.text());
      if (value != null) {
        return new ParsedValue.Good<>(value);
      }
      if (later.contains(scalar.text())) {
        return new ParsedValue.Bad<>(
            "is " + scalar.shown() + ", which is not supported yet, expected " + expected());
      }
      return bad(scalar);
    }

    @Override
    public Object show(E value) {
      return names.entrySet().stream()
          .filter(entry -> entry.getValue().equals(value))
          .findFirst()
          .orElseThrow()
          .getKey();
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.orVariable(ValueShape.keywords("enum", new ArrayList<>(names.keySet())));
    }
  }

  /** {@code true} or {@code false}. */
  public record Flag() implements ValueShape.OfScalar<Boolean> {
    @Override
    public String expected() {
      return "true or false";
    }

    @Override
    public ParsedValue<Boolean> parse(ScalarValue scalar, SourceFile source) {
      boolean yes = scalar.text().equals("true");
      return scalar.bare() && (yes || scalar.text().equals("false"))
          ? new ParsedValue.Good<>(yes)
          : bad(scalar);
    }

    @Override
    public Object show(Boolean value) {
      return value;
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.orVariable(ValueShape.keywords("type", "boolean"));
    }
  }

  /** A name that appears in metrics, headers and addresses of the operator port. */
  public record Identifier() implements ValueShape.OfText {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    @Override
    public String expected() {
      return "up to 100 letters, digits, dots, hyphens and underscores";
    }

    @Override
    public ParsedValue<String> parse(ScalarValue scalar, SourceFile source) {
      if (!scalar.textual()) {
        return new ParsedValue.Bad<>("is " + scalar.shown() + ", expected text: put it in quotes");
      }
      return ALLOWED.matcher(scalar.text()).matches()
          ? new ParsedValue.Good<>(scalar.text())
          : bad(scalar);
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.orVariable(
          ValueShape.keywords("type", "string", "pattern", "^" + ALLOWED.pattern() + "$"));
    }
  }

  /**
   * A text of one line.
   *
   * @param expected the form of a value of another kind, in words
   * @param what the form of a text, in words that its greatest length follows
   * @param longest the greatest number of characters
   */
  public record Line(String expected, String what, int longest) implements ValueShape.OfText {
    @Override
    public ParsedValue<String> parse(ScalarValue scalar, SourceFile source) {
      String text = scalar.text();
      if (!scalar.textual()) {
        return new ParsedValue.Bad<>("is " + scalar.shown() + ", expected text: put it in quotes");
      }
      boolean good =
          !text.isBlank()
              && text.length() <= longest
              && text.codePoints().noneMatch(Character::isISOControl);
      return good
          ? new ParsedValue.Good<>(text)
          : new ParsedValue.Bad<>(
              "is %s, expected %s of up to %d characters".formatted(scalar.shown(), what, longest));
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.keywords("type", "string", "minLength", 1);
    }
  }

  /** An address or a name of this machine. */
  public record Host() implements ValueShape.OfText {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9.:%_-]{1,255}");

    @Override
    public String expected() {
      return "an address or a name of this machine, such as 127.0.0.1";
    }

    @Override
    public ParsedValue<String> parse(ScalarValue scalar, SourceFile source) {
      return ALLOWED.matcher(scalar.text()).matches()
          ? new ParsedValue.Good<>(scalar.text())
          : bad(scalar);
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.orVariable(
          ValueShape.keywords("type", "string", "pattern", "^" + ALLOWED.pattern() + "$"));
    }
  }

  /** Returns {@code a}, {@code a or b}, {@code a, b or c}. */
  public static String oneOf(List<String> names) {
    int last = names.size() - 1;
    return last < 1
        ? String.join("", names)
        : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }
}
