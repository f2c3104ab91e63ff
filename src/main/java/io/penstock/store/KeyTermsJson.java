package io.penstock.store;

import io.penstock.cost.AllowedCalls;
import io.penstock.endpoint.NormalPath;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyTerms;
import io.penstock.sharing.SharingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Converts the terms of a key to and from JSON, in which they have the names of route files. */
public final class KeyTermsJson {
  private static final int LONGEST = 200;

  private static final Set<String> NAMES = shown(plain("-", List.of())).keySet();

  /** Thrown for invalid terms; the message explains the reason to a person, without values. */
  public static final class Unclear extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    public Unclear(String message) {
      super(message, null, false, false);
    }
  }

  private KeyTermsJson() {}

  /** Returns a key with the given name and secrets, and default terms. */
  public static KeySpec plain(String name, List<KeySpec.Secret> secrets) {
    return KeyTerms.PLAIN.key(name, secrets);
  }

  /**
   * Returns {@code key} with changed terms; null stands for the value of a new key.
   *
   * @throws Unclear if a term is unknown or invalid
   */
  public static KeySpec changed(KeySpec key, ObjectNode terms) {
    ObjectNode all = JsonMapper.shared().valueToTree(different(key));
    if (key.rank().maxPriority() == key.rank().priority()) {
      all.remove("max_priority"); // it follows the priority
    }
    for (Map.Entry<String, JsonNode> entry : terms.properties()) {
      if (!NAMES.contains(entry.getKey())) {
        throw new Unclear(named(entry.getKey()) + " is not known, expected some of " + NAMES);
      }
      all.set(entry.getKey(), entry.getValue());
    }
    try {
      return new StatedTerms(all)
          .terms()
          .key(key.name(), key.secrets())
          .identifiedBy(key.identity());
    } catch (KeyTerms.Contradiction contradiction) {
      throw new Unclear(String.valueOf(contradiction.getMessage()));
    }
  }

  /**
   * Throws as {@link #changed} would for any key.
   *
   * @throws Unclear if a term is unknown or invalid
   */
  public static void check(ObjectNode terms) {
    changed(plain("-", List.of()), terms);
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
    KeySpec.Limits limits = key.limits();
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("rpm", limits.rpm());
    shown.put("tpm", limits.tpm());
    shown.put("rpd", limits.rpd());
    shown.put("concurrency", limits.concurrency());
    shown.put("budget_tokens_per_day", limits.budgetTokensPerDay());
    shown.put("max_output_tokens", limits.maxOutputTokens());
    shown.put("models", shownModels(key.models()));
    shown.put("group", key.group());
    shown.put("allowed_models", sorted(key.scope().models()));
    shown.put("allowed_endpoints", sorted(key.scope().endpoints()));
    shown.put("calls", key.scope().calls().all() ? null : key.scope().calls().words());
    shown.put("priority", key.rank().priority());
    shown.put("max_priority", key.rank().maxPriority());
    shown.put("weight", key.rank().weight());
    shown.put("expires_at", instant(key.expiresAtMillis()));
    shown.put("on_limit", key.waits() ? "wait" : "reject");
    shown.put("strict_after_denial", key.strictAfterDenial());
    shown.put("sharing", key.sharing() == null ? null : key.sharing().text());
    return shown;
  }

  /** Returns as JSON the terms of a key that differ from those of a new one. */
  static String stored(KeySpec key) {
    return JsonMapper.shared().writeValueAsString(different(key));
  }

  private static Map<String, @Nullable Object> different(KeySpec key) {
    Map<String, @Nullable Object> all = shown(key);
    all.entrySet().removeAll(shown(plain(key.name(), List.of())).entrySet());
    return all;
  }

  /** Terms as JSON. */
  private record StatedTerms(ObjectNode json) {
    KeyTerms terms() {
      return new KeyTerms(
          new KeySpec.Limits(
              limit("rpm"),
              limit("tpm"),
              limit("rpd"),
              limit("concurrency"),
              limit("budget_tokens_per_day"),
              limit("max_output_tokens")),
          models("models", stated("models")),
          text("group", stated("group")),
          new KeySpec.Scope(
              names("allowed_models", stated("allowed_models"), name -> name),
              names("allowed_endpoints", stated("allowed_endpoints"), KeyTermsJson::path),
              calls(stated("calls"))),
          whole("priority", stated("priority"), KeyTerms.PRIORITY, 0),
          stated("max_priority") == null
              ? null
              : Long.valueOf(whole("max_priority", stated("max_priority"), KeyTerms.PRIORITY, 0)),
          whole("weight", stated("weight"), KeyTerms.WEIGHT, 1),
          expiry(text("expires_at", stated("expires_at"))),
          waits(text("on_limit", stated("on_limit"))),
          bool("strict_after_denial", stated("strict_after_denial")),
          KeyTermsJson.sharing(text("sharing", stated("sharing"))));
    }

    private @Nullable JsonNode stated(String name) {
      JsonNode value = json.get(name);
      return value == null || value.isNull() ? null : value;
    }

    private long limit(String name) {
      return whole(name, stated(name), KeyTerms.LIMIT, 0);
    }
  }

  private static long whole(String name, @Nullable JsonNode to, KeyTerms.Range range, long none) {
    if (to == null) {
      return none;
    }
    boolean good = to.isIntegralNumber() && to.canConvertToLong();
    if (!good || !range.contains(to.longValue())) {
      throw new Unclear(
          "%s is expected to be a whole number from %d to %d"
              .formatted(name, range.least(), range.most()));
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

  private static AllowedCalls calls(@Nullable JsonNode to) {
    Set<String> words = names("calls", to, KeyTermsJson::call);
    if (words == null) {
      return AllowedCalls.ALL;
    }
    if (words.isEmpty()) {
      throw new Unclear("calls is empty, expected weighed or paths of calls, or null for all");
    }
    return AllowedCalls.of(words);
  }

  private static String call(String stated) {
    if (!AllowedCalls.isEntry(stated)) {
      throw new Unclear(
          "each of calls is expected to be weighed, or the path of a call such as /v1/files");
    }
    return stated;
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
    return whole(name + " of models", to == null || to.isNull() ? null : to, KeyTerms.LIMIT, 0);
  }

  private static ObjectNode object(String name, JsonNode to) {
    if (to instanceof ObjectNode object) {
      return object;
    }
    throw new Unclear(name + " is expected to be an object");
  }

  private static Map<String, Map<String, Long>> shownModels(
      Map<String, KeySpec.ModelLimits> models) {
    Map<String, Map<String, Long>> shown = new TreeMap<>();
    models.forEach(
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
