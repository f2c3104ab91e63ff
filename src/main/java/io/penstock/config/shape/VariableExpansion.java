package io.penstock.config.shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces {@code ${NAME}} and {@code ${NAME:default}} by values of the environment. */
public record VariableExpansion(Map<String, String> environment) {
  /** Matches a reference, for the schema. */
  public static final String PATTERN = "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:[^}]*)?\\}";

  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(:(?<fallback>[^}]*))?\\}");

  public VariableExpansion {
    environment = Map.copyOf(environment);
  }

  /** The result of an expansion. */
  sealed interface Expansion {
    /**
     * Every reference was replaced.
     *
     * @param names the variables that were used, in order; empty if all values came from defaults
     * @param replaced whether there was any reference
     */
    record Text(String text, List<String> names, boolean replaced) implements Expansion {}

    /** A variable is unset and has no default. */
    record Unset(String name) implements Expansion {}

    /** The text holds an incomplete reference. */
    record Malformed() implements Expansion {}
  }

  /** Expands {@code raw}; inserted values are not expanded again. */
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
