package io.penstock.model;

import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Known models, and the rule which of them a requested name counts as: the same name, else the
 * longest known name that the requested one extends by a hyphen and a date or {@code latest}.
 * Immutable.
 */
public final class ModelNames {
  /** Origin of the limits in force. */
  enum Source {
    /** A built-in profile. */
    PROFILE,
    /** Route files. */
    ROUTES,
    /** An operator. */
    OVERRIDE;

    /** Returns the name that operators see. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A model with known limits.
   *
   * @param traffic whether proxied requests face its limits; otherwise only decisions use them
   */
  record Known(String name, ModelLimits limits, Source source, boolean traffic) {}

  /**
   * A date with the year first, as in 2024-08-06 and 20240806, or without a year, as in 0613 and
   * 05-06.
   */
  private static final Pattern DATED =
      Pattern.compile("latest|(20\\d\\d-?)?(0[1-9]|1[0-2])-?(0[1-9]|[12]\\d|3[01])");

  private static final int LONGEST_DATE = "2024-08-06".length();

  private final Map<String, Known> byName = new HashMap<>();

  /**
   * Creates the set of known models. Overrides win over route files, and these over profiles.
   *
   * @param providers the providers with loaded profiles
   * @param explicit limits from route files, by model
   * @param overrides limits set by operators, by model
   */
  ModelNames(
      Collection<String> providers,
      Map<String, ModelLimits> explicit,
      Map<String, ModelLimits> overrides) {
    if (providers.isEmpty() && explicit.isEmpty()) {
      add(ModelProfiles.of(ModelProfiles.GEMINI), Source.PROFILE, false);
    }
    providers.forEach(each -> add(ModelProfiles.of(each), Source.PROFILE, true));
    add(explicit, Source.ROUTES, true);
    add(overrides, Source.OVERRIDE, true);
  }

  private void add(@Nullable Map<String, ModelLimits> limits, Source source, boolean traffic) {
    if (limits != null) {
      limits.forEach((name, each) -> byName.put(name, new Known(name, each, source, traffic)));
    }
  }

  Collection<Known> all() {
    return byName.values();
  }

  /** Returns the model with exactly that name, or null. */
  @Nullable Known get(String name) {
    return byName.get(name);
  }

  /** Returns the known model that the name {@code model} of a client counts as, or null. */
  @Nullable Known find(String model) {
    String name = match(byName::containsKey, model);
    return name == null ? null : byName.get(name);
  }

  /**
   * Returns the known name that {@code model} counts as: the same name, else the longest known name
   * that {@code model} extends by a hyphen and a date or {@code latest}; null when there is none.
   *
   * @param model the name that a client uses
   */
  public static @Nullable String match(Predicate<String> known, String model) {
    if (known.test(model)) {
      return model;
    }
    int end = model.lastIndexOf('-');
    while (end >= 1 && model.length() - end - 1 <= LONGEST_DATE) {
      String name = model.substring(0, end);
      if (known.test(name) && DATED.matcher(model.substring(end + 1)).matches()) {
        return name;
      }
      end = model.lastIndexOf('-', end - 1);
    }
    return null;
  }
}
