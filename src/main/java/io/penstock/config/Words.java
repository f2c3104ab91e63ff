package io.penstock.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Shapes of words: one of several names, true or false, an identifier. */
final class Words {
  private Words() {}

  /**
   * One of several names.
   *
   * @param names each name and its value, in display order
   * @param later names that are known but not supported yet
   */
  record Choice<E>(Map<String, E> names, List<String> later) implements Shape.OfScalar<E> {
    /** Returns the choice of {@code values}, each under its {@code name}. */
    static <E> Choice<E> of(List<E> values, Function<E, String> name, String... later) {
      Map<String, E> names = new LinkedHashMap<>();
      values.forEach(value -> names.put(name.apply(value), value));
      return new Choice<>(names, List.of(later));
    }

    @Override
    public String expected() {
      return oneOf(new ArrayList<>(names.keySet()));
    }

    @Override
    public Parsed<E> parse(Scalar scalar, Source source) {
      E value = names.get(scalar.text());
      if (value != null) {
        return new Parsed.Good<>(value);
      }
      if (later.contains(scalar.text())) {
        return new Parsed.Bad<>(
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
      return Shape.orVariable(Shape.keywords("enum", new ArrayList<>(names.keySet())));
    }
  }

  /** {@code true} or {@code false}. */
  record Flag() implements Shape.OfScalar<Boolean> {
    @Override
    public String expected() {
      return "true or false";
    }

    @Override
    public Parsed<Boolean> parse(Scalar scalar, Source source) {
      boolean yes = scalar.text().equals("true");
      return scalar.bare() && (yes || scalar.text().equals("false"))
          ? new Parsed.Good<>(yes)
          : bad(scalar);
    }

    @Override
    public Object show(Boolean value) {
      return value;
    }

    @Override
    public Map<String, Object> schema() {
      return Shape.orVariable(Shape.keywords("type", "boolean"));
    }
  }

  /** A name that appears in metrics, headers and addresses of the operator port. */
  record Identifier() implements Shape.OfScalar<String> {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    @Override
    public String expected() {
      return "up to 100 letters, digits, dots, hyphens and underscores";
    }

    @Override
    public Parsed<String> parse(Scalar scalar, Source source) {
      if (!scalar.textual()) {
        return new Parsed.Bad<>("is " + scalar.shown() + ", expected text: put it in quotes");
      }
      return ALLOWED.matcher(scalar.text()).matches()
          ? new Parsed.Good<>(scalar.text())
          : bad(scalar);
    }

    @Override
    public Object show(String value) {
      return value;
    }

    @Override
    public Map<String, Object> schema() {
      return Shape.orVariable(
          Shape.keywords("type", "string", "pattern", "^" + ALLOWED.pattern() + "$"));
    }
  }

  /** An address or a name of this machine. */
  record Host() implements Shape.OfScalar<String> {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9.:%_-]{1,255}");

    @Override
    public String expected() {
      return "an address or a name of this machine, such as 127.0.0.1";
    }

    @Override
    public Parsed<String> parse(Scalar scalar, Source source) {
      return ALLOWED.matcher(scalar.text()).matches()
          ? new Parsed.Good<>(scalar.text())
          : bad(scalar);
    }

    @Override
    public Object show(String value) {
      return value;
    }

    @Override
    public Map<String, Object> schema() {
      return Shape.orVariable(
          Shape.keywords("type", "string", "pattern", "^" + ALLOWED.pattern() + "$"));
    }
  }

  /** Returns {@code a}, {@code a or b}, {@code a, b or c}. */
  static String oneOf(List<String> names) {
    int last = names.size() - 1;
    return last < 1
        ? String.join("", names)
        : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }
}
