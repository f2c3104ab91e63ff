package io.penstock.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts what the environment holds in the place of {@code ${NAME}} and {@code ${NAME:default}}. */
record Variables(Map<String, String> environment) {
  /** A value that may hold a reference, for the schema. */
  static final String PATTERN = "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:[^}]*)?\\}";

  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(:(?<fallback>[^}]*))?\\}");

  Variables {
    environment = Map.copyOf(environment);
  }

  /** What became of a text. */
  sealed interface Expansion {
    /**
     * Every reference was replaced.
     *
     * @param names the variables that were taken, in order; empty when all came from defaults
     * @param replaced whether there was any reference
     */
    record Text(String text, List<String> names, boolean replaced) implements Expansion {}

    /** A variable is not set and has no default. */
    record Unset(String name) implements Expansion {}

    /** Something starts like a reference and is none. */
    record Malformed() implements Expansion {}
  }

  /** Expands {@code raw}; what is put in is not expanded again. */
  Expansion expand(String raw) {
    StringBuilder text = new StringBuilder();
    List<String> names = new ArrayList<>();
    Matcher reference = REFERENCE.matcher(raw);
    int from = 0;
    int start = raw.indexOf("${");
    while (start >= 0) {
      if (!reference.find(start) || reference.start() != start) {
        return new Expansion.Malformed();
      }
      String name = reference.group("name");
      String value = environment.get(name);
      String fallback = reference.group("fallback");
      if (value != null) {
        names.add(name);
      } else if (fallback == null) {
        return new Expansion.Unset(name);
      }
      text.append(raw, from, start).append(value != null ? value : fallback);
      from = reference.end();
      start = raw.indexOf("${", from);
    }
    boolean replaced = from > 0;
    return new Expansion.Text(text.append(raw.substring(from)).toString(), names, replaced);
  }
}
