package io.penstock.store;

import io.penstock.cost.Cost;
import io.penstock.endpoint.NormalPath;
import io.penstock.key.KeySpec;
import io.penstock.sharing.SharingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts the terms of a key to and from JSON. Requests may use the names of route files, and the
 * older ones that answers and stored rows keep.
 */
public final class KeyTermsJson {
  private static final long MOST = Cost.MAX_TOKENS;
  private static final int HIGHEST = 1_000_000;
  private static final int LONGEST = 200;

  /** Thrown for invalid terms; the message explains the reason to a person, without values. */
  public static final class Unclear extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    public Unclear(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * One term of keys.
   *
   * @param name its name in route files and requests
   * @param published its name in answers and stored rows, which requests may use too
   * @param show returns its current value; null if it has none
   * @param read sets its value; null means the value of a new key
   */
  private record Term(
      String name, String published, Function<KeyDraft, @Nullable Object> show, Reader read) {
    /** A term that has the same name everywhere. */
    Term(
        String name,
        Function<KeyDraft, @Nullable Object> show,
        BiConsumer<KeyDraft, @Nullable JsonNode> read) {
      this(name, name, show, (draft, written, to) -> read.accept(draft, to));
    }
  }

  /** Sets a term of a draft; {@code written} is the name that the request has for it. */
  @FunctionalInterface
  private interface Reader {
    void read(KeyDraft draft, String written, @Nullable JsonNode to);
  }

  private static final List<Term> TERMS =
      List.of(
          limit("rpm", "rate_limit_rpm", draft -> draft.rpm, (draft, to) -> draft.rpm = to),
          limit("tpm", "rate_limit_tpm", draft -> draft.tpm, (draft, to) -> draft.tpm = to),
          limit("rpd", "rate_limit_rpd", draft -> draft.rpd, (draft, to) -> draft.rpd = to),
          limit(
              "concurrency",
              "max_concurrency",
              draft -> draft.concurrency,
              (draft, to) -> draft.concurrency = to),
          limit(
              "budget_tokens_per_day",
              "budget_tokens_per_day",
              draft -> draft.budgetTokensPerDay,
              (draft, to) -> draft.budgetTokensPerDay = to),
          new Term(
              "models",
              KeyTermsJson::shownModels,
              (draft, to) -> draft.models = models("models", to)),
          new Term("group", draft -> draft.group, (draft, to) -> draft.group = text("group", to)),
          new Term(
              "allowed_models",
              draft -> sorted(draft.allowedModels),
              (draft, to) -> draft.allowedModels = names("allowed_models", to, name -> name)),
          new Term(
              "allowed_endpoints",
              draft -> sorted(draft.allowedEndpoints),
              (draft, to) ->
                  draft.allowedEndpoints = names("allowed_endpoints", to, KeyTermsJson::path)),
          new Term(
              "priority",
              draft -> draft.priority,
              (draft, to) -> draft.priority = (int) whole("priority", to, -HIGHEST, HIGHEST, 0)),
          new Term(
              "max_priority",
              draft -> draft.maxPriority == null ? draft.priority : draft.maxPriority,
              (draft, to) ->
                  draft.maxPriority =
                      to == null
                          ? null
                          : Integer.valueOf((int) whole("max_priority", to, -HIGHEST, HIGHEST, 0))),
          new Term(
              "weight",
              draft -> draft.weight,
              (draft, to) -> draft.weight = (int) whole("weight", to, 1, HIGHEST, 1)),
          new Term(
              "expires_at",
              draft -> instant(draft.expiresAtMillis),
              (draft, to) -> draft.expiresAtMillis = expiry(text("expires_at", to))),
          new Term(
              "on_limit",
              draft -> draft.waits ? "wait" : "reject",
              (draft, to) -> draft.waits = waits(text("on_limit", to))),
          new Term(
              "strict_after_denial",
              draft -> draft.strictAfterDenial,
              (draft, to) -> draft.strictAfterDenial = bool("strict_after_denial", to)),
          new Term(
              "sharing",
              draft -> draft.sharing == null ? null : draft.sharing.text(),
              (draft, to) -> draft.sharing = sharing(text("sharing", to))));

  private static final Map<String, Term> BY_NAME = byName();

  private KeyTermsJson() {}

  private static Map<String, Term> byName() {
    Map<String, Term> all = new LinkedHashMap<>();
    TERMS.forEach(term -> all.put(term.name(), term));
    TERMS.forEach(term -> all.put(term.published(), term));
    return all;
  }

  private static Term limit(
      String name,
      String published,
      Function<KeyDraft, Long> show,
      BiConsumer<KeyDraft, Long> set) {
    return new Term(
        name,
        published,
        show::apply,
        (draft, written, to) -> set.accept(draft, Long.valueOf(whole(written, to, 0, MOST, 0))));
  }

  /** Returns a key with the given name and secrets, and default terms. */
  public static KeySpec plain(String name, List<KeySpec.Secret> secrets) {
    return new KeySpec(
        name,
        secrets,
        KeySpec.Limits.NONE,
        Map.of(),
        null,
        KeySpec.Scope.ALL,
        KeySpec.Rank.PLAIN,
        KeySpec.NEVER,
        false,
        false);
  }

  /**
   * Returns {@code key} with changed terms; null stands for the value of a new key.
   *
   * @throws Unclear if a term is unknown or invalid
   */
  public static KeySpec changed(KeySpec key, ObjectNode terms) {
    return read(key, terms).key();
  }

  /**
   * Throws as {@link #changed} would for any key.
   *
   * @throws Unclear if a term is unknown or invalid
   */
  public static void check(ObjectNode terms) {
    read(plain("-", List.of()), terms);
  }

  private static KeyDraft read(KeySpec key, ObjectNode terms) {
    KeyDraft draft = new KeyDraft(key);
    Map<Term, String> written = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : terms.properties()) {
      Term term = BY_NAME.get(entry.getKey());
      if (term == null) {
        throw new Unclear(
            named(entry.getKey())
                + " is not known, expected some of "
                + TERMS.stream().map(Term::name).toList());
      }
      String other = written.putIfAbsent(term, entry.getKey());
      if (other != null) {
        throw new Unclear(
            "%s and %s are two names of one term, expected only %s"
                .formatted(other, entry.getKey(), term.name()));
      }
      JsonNode to = entry.getValue().isNull() ? null : entry.getValue();
      term.read().read(draft, entry.getKey(), to);
    }
    return draft;
  }

  /**
   * Returns a name for messages, made safe: what was written in place of a name may even be a
   * secret.
   */
  private static String named(String name) {
    return name.matches("[a-z_]{1,30}") ? name : "a member";
  }

  /** Returns all terms of a key, without its name and its secrets. */
  public static Map<String, @Nullable Object> shown(KeySpec key) {
    KeyDraft draft = new KeyDraft(key);
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    TERMS.forEach(term -> shown.put(term.published(), term.show().apply(draft)));
    return shown;
  }

  /** Returns as JSON the terms of a key that differ from those of a new one. */
  static String stored(KeySpec key) {
    Map<String, @Nullable Object> all = shown(key);
    Map<String, @Nullable Object> plain = shown(plain(key.name(), key.secrets()));
    all.entrySet().removeAll(plain.entrySet());
    return JsonMapper.shared().writeValueAsString(all);
  }

  private static long whole(String name, @Nullable JsonNode to, long least, long most, long none) {
    if (to == null) {
      return none;
    }
    boolean good = to.isIntegralNumber() && to.canConvertToLong();
    if (!good || to.longValue() < least || to.longValue() > most) {
      throw new Unclear(
          "%s is expected to be a whole number from %d to %d".formatted(name, least, most));
    }
    return to.longValue();
  }

  private static @Nullable String text(String name, @Nullable JsonNode to) {
    if (to == null) {
      return null;
    }
    if (!to.isString() || to.stringValue().isBlank() || to.stringValue().length() > LONGEST) {
      throw new Unclear(
          name + " is expected to be a string of 1 to " + LONGEST + " characters, not blank");
    }
    return to.stringValue();
  }

  private static boolean bool(String name, @Nullable JsonNode to) {
    if (to != null && !to.isBoolean()) {
      throw new Unclear(name + " is expected to be true or false");
    }
    return to != null && to.booleanValue();
  }

  private static boolean waits(@Nullable String to) {
    if (to != null && !to.equals("wait") && !to.equals("reject")) {
      throw new Unclear("on_limit is expected to be reject or wait");
    }
    return "wait".equals(to);
  }

  private static @Nullable SharingMode sharing(@Nullable String to) {
    if (to == null) {
      return null;
    }
    for (SharingMode each : SharingMode.values()) {
      if (each.text().equals(to)) {
        return each;
      }
    }
    throw new Unclear("sharing is expected to be exact, eventual or local");
  }

  private static @Nullable Set<String> names(
      String name, @Nullable JsonNode to, UnaryOperator<String> meant) {
    if (to == null) {
      return null;
    }
    if (!to.isArray()) {
      throw new Unclear(name + " is expected to be a list of strings");
    }
    Set<String> names = new TreeSet<>();
    for (JsonNode each : to) {
      String stated = each.isNull() ? null : text("each of " + name, each);
      if (stated == null) {
        throw new Unclear(name + " is expected to be a list of strings");
      }
      names.add(meant.apply(stated));
    }
    return names;
  }

  private static @Nullable Set<String> sorted(@Nullable Set<String> names) {
    return names == null ? null : new TreeSet<>(names);
  }

  private static String path(String stated) {
    return switch (NormalPath.of(stated)) {
      case NormalPath.Good(String path) -> path;
      case NormalPath.Bad bad ->
          throw new Unclear("each of allowed_endpoints is expected to be a path such as /openai");
    };
  }

  private static Map<String, KeySpec.ModelLimits> models(String name, @Nullable JsonNode to) {
    if (to == null) {
      return Map.of();
    }
    Map<String, KeySpec.ModelLimits> models = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : object(name, to).properties()) {
      ObjectNode limits = object("each of " + name, each.getValue());
      if (!Set.of("rpm", "tpm").containsAll(limits.propertyNames())) {
        throw new Unclear("each of " + name + " is expected to have rpm, tpm, or both");
      }
      models.put(
          each.getKey(), new KeySpec.ModelLimits(minute(limits, "rpm"), minute(limits, "tpm")));
    }
    return models;
  }

  private static long minute(ObjectNode limits, String name) {
    JsonNode to = limits.get(name);
    return whole(name + " of models", to == null || to.isNull() ? null : to, 0, MOST, 0);
  }

  private static ObjectNode object(String name, JsonNode to) {
    if (to instanceof ObjectNode object) {
      return object;
    }
    throw new Unclear(name + " is expected to be an object");
  }

  private static Map<String, Map<String, Long>> shownModels(KeyDraft draft) {
    Map<String, Map<String, Long>> shown = new TreeMap<>();
    draft.models.forEach(
        (model, limits) -> {
          Map<String, Long> each = new LinkedHashMap<>();
          each.put("rpm", limits.rpm());
          each.put("tpm", limits.tpm());
          shown.put(model, each);
        });
    return shown;
  }

  /** Returns an instant as text, or null for never. */
  public static @Nullable String instant(long unixMillis) {
    return unixMillis == KeySpec.NEVER ? null : Instant.ofEpochMilli(unixMillis).toString();
  }

  /** Parses an instant or a date; a key with a date expires when that day begins, in UTC. */
  private static long expiry(@Nullable String text) {
    if (text == null) {
      return KeySpec.NEVER;
    }
    try {
      return text.length() == "2026-01-31".length()
          ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli()
          : OffsetDateTime.parse(text).toInstant().toEpochMilli();
    } catch (DateTimeException | ArithmeticException unreadable) {
      throw new Unclear(
          "expires_at is expected to be an instant such as 2026-01-31T12:00:00Z, or a day such as"
              + " 2026-01-31");
    }
  }
}
