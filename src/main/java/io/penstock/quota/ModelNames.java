package io.penstock.quota;

import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All models of which anything is known, and under which of them a name counts: the same one, else
 * the longest that the name continues by a hyphen and a date or {@code latest}. Immutable.
 */
public final class ModelNames {
  /** Who said what is in force. */
  enum Source {
    /** A built-in profile. */
    PROFILE,
    /** Route files. */
    ROUTES,
    /** An operator. */
    OVERRIDE;

    /** Returns the name operators see. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A model of which something is known.
   *
   * @param traffic whether requests that are proxied face its limits: else only decisions know it
   */
  record Known(String name, ModelLimits limits, Source source, boolean traffic) {}

  /** Years first, as in 2024-08-06 and 20240806; or no year, as in 0613 and 05-06. */
  private static final Pattern DATED =
      Pattern.compile("latest|(20\\d\\d-?)?(0[1-9]|1[0-2])-?(0[1-9]|[12]\\d|3[01])");

  private static final int LONGEST_DATE = "2024-08-06".length();

  private final Map<String, Known> byName = new HashMap<>();

  /**
   * Says what is known.
   *
   * @param providers whose profiles are loaded
   * @param explicit what route files say
   * @param overrides what operators say
   */
  ModelNames(
      Collection<String> providers,
      Map<String, ModelLimits> explicit,
      Map<String, ModelLimits> overrides) {
    if (providers.isEmpty() && explicit.isEmpty()) {
      add(Profiles.of(Profiles.GEMINI), Source.PROFILE, false);
    }
    providers.forEach(each -> add(Profiles.of(each), Source.PROFILE, true));
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

  /** Returns what is known of exactly that name, or null. */
  @Nullable Known get(String name) {
    return byName.get(name);
  }

  /** Returns what a model counts as that a client calls {@code model}, or null. */
  @Nullable Known find(String model) {
    String name = match(byName::containsKey, model);
    return name == null ? null : byName.get(name);
  }

  /**
   * Returns the known name that a model counts as: the same one, else the longest that {@code
   * model} continues by a hyphen and a date or {@code latest}; null when there is none.
   *
   * @param model as a client calls it
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
