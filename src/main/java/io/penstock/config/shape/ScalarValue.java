package io.penstock.config.shape;

import java.util.List;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A value of a route file that is neither a list nor a mapping.
 *
 * @param raw as written, before expansion of variables
 * @param text after expansion of variables
 * @param names the variables that were used
 * @param fromVariable whether a variable or its default contributed to it; the text is then never
 *     shown, since it may be a secret
 * @param tag its type according to YAML
 */
public record ScalarValue(
    String raw, String text, List<String> names, boolean fromVariable, Tag tag) {
  private static final int SHOWN = 60;

  /** Returns whether it may be a number or a boolean, that is, not quoted text. */
  boolean bare() {
    return fromVariable || !tag.equals(Tag.STR);
  }

  /**
   * Returns whether it may be text. Dates count as text here, such as {@code 2023-06-01} in a
   * header.
   */
  boolean textual() {
    return fromVariable || tag.equals(Tag.STR) || tag.equals(Tag.TIMESTAMP);
  }

  /** Returns its form in the message of a fault. */
  String shown() {
    return quote(raw);
  }

  /** Returns {@code text} quoted and shortened, on one line. */
  public static String quote(String text) {
    StringBuilder shown = new StringBuilder("'");
    text.codePoints()
        .limit(SHOWN)
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .forEach(shown::appendCodePoint);
    return shown.append(text.codePointCount(0, text.length()) > SHOWN ? "…'" : "'").toString();
  }
}
