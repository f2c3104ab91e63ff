package io.penstock.config;

import java.util.List;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * One value of a route file that is neither a list nor a mapping.
 *
 * @param raw as written, before variables
 * @param text after variables
 * @param names the variables taken
 * @param fromVariable whether a variable or its default had a part in it; the text is then never
 *     shown, since it may be a secret
 * @param tag what YAML takes it for
 */
record Scalar(String raw, String text, List<String> names, boolean fromVariable, Tag tag) {
  private static final int SHOWN = 60;

  /** Returns whether it may be a number or a truth value: not text in quotes. */
  boolean bare() {
    return fromVariable || !tag.equals(Tag.STR);
  }

  /** Returns whether it may be text. Dates are text here, as {@code 2023-06-01} in a header. */
  boolean textual() {
    return fromVariable || tag.equals(Tag.STR) || tag.equals(Tag.TIMESTAMP);
  }

  /** Returns what a fault shows of it. */
  String shown() {
    return quote(raw);
  }

  /** Returns {@code text} in quotes, short, on one line. */
  static String quote(String text) {
    StringBuilder shown = new StringBuilder("'");
    text.codePoints()
        .limit(SHOWN)
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .forEach(shown::appendCodePoint);
    return shown.append(text.codePointCount(0, text.length()) > SHOWN ? "…'" : "'").toString();
  }
}
