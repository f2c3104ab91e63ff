package io.penstock.config;

import static io.penstock.config.KeySettings.ALLOWED_ENDPOINTS;
import static io.penstock.config.KeySettings.ALLOWED_MODELS;
import static io.penstock.config.KeySettings.BUDGET_TOKENS_PER_DAY;
import static io.penstock.config.KeySettings.CALLS;
import static io.penstock.config.KeySettings.CONCURRENCY;
import static io.penstock.config.KeySettings.EXPIRES_AT;
import static io.penstock.config.KeySettings.GROUP;
import static io.penstock.config.KeySettings.MAX_OUTPUT_TOKENS;
import static io.penstock.config.KeySettings.MAX_PRIORITY;
import static io.penstock.config.KeySettings.MODELS;
import static io.penstock.config.KeySettings.NAME;
import static io.penstock.config.KeySettings.ON_LIMIT;
import static io.penstock.config.KeySettings.PRIORITY;
import static io.penstock.config.KeySettings.RPD;
import static io.penstock.config.KeySettings.RPM;
import static io.penstock.config.KeySettings.SHA256;
import static io.penstock.config.KeySettings.STRICT_AFTER_DENIAL;
import static io.penstock.config.KeySettings.TPM;
import static io.penstock.config.KeySettings.WEIGHT;
import static io.penstock.config.SharingSetting.SHARING;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SourcePlace;
import io.penstock.key.KeySpec;
import io.penstock.key.KeySpec.Limits;
import io.penstock.key.KeySpec.Scope;
import io.penstock.key.KeySpec.Secret;
import io.penstock.key.KeyTerms;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks that the settings of one key are consistent, builds the key, and shows it. */
final class KeyBuilder {
  /** Name that stands for all requests without a key. */
  private static final String NOBODY = "anonymous";

  private KeyBuilder() {}

  /** Adds faults for contradictory settings. */
  static void check(EffectiveValues values, FaultCollector faultCollector) {
    if (values.usable(NAME) && values.get(NAME).equals(NOBODY)) {
      faultCollector.add(
          values.place(NAME), "name is 'anonymous', which stands for no key, expected another");
    }
    if (values.usable(ON_LIMIT, STRICT_AFTER_DENIAL)
        && values.get(ON_LIMIT)
        && values.get(STRICT_AFTER_DENIAL)) {
      faultCollector.add(
          values.place(STRICT_AFTER_DENIAL),
          "strict_after_denial is true, but on_limit is wait, expected reject");
    }
  }

  /** Returns the key described by usable settings, or adds a fault for a contradiction. */
  static Optional<KeySpec> build(EffectiveValues values, FaultCollector faultCollector) {
    try {
      Secret secret = new Secret(values.get(SHA256), KeySpec.NEVER);
      return Optional.of(terms(values).key(values.get(NAME), List.of(secret)));
    } catch (KeyTerms.Contradiction contradiction) {
      SourcePlace place =
          contradiction.term().equals(PRIORITY.name())
              ? values.placeOfAny(PRIORITY, MAX_PRIORITY)
              : values.place(STRICT_AFTER_DENIAL);
      faultCollector.add(place, String.valueOf(contradiction.getMessage()));
      return Optional.empty();
    }
  }

  private static KeyTerms terms(EffectiveValues values) {
    return new KeyTerms(
        new Limits(
            values.get(RPM),
            values.get(TPM),
            values.get(RPD),
            values.get(CONCURRENCY),
            values.get(BUDGET_TOKENS_PER_DAY),
            values.get(MAX_OUTPUT_TOKENS)),
        values.get(MODELS),
        values.find(GROUP).orElse(null),
        new Scope(
            values.find(ALLOWED_MODELS).map(Set::copyOf).orElse(null),
            values.find(ALLOWED_ENDPOINTS).map(Set::copyOf).orElse(null),
            values.get(CALLS)),
        values.get(PRIORITY),
        values.get(MAX_PRIORITY),
        values.get(WEIGHT),
        values.find(EXPIRES_AT).orElse(KeySpec.NEVER),
        values.get(ON_LIMIT),
        values.get(STRICT_AFTER_DENIAL),
        values.find(SHARING).orElse(null));
  }

  /** Returns a key in the form in which route files write it, with its secret masked. */
  static Map<String, Object> shown(KeySpec key) {
    Map<String, Object> shown = new LinkedHashMap<>();
    put(shown, NAME, key.name());
    put(shown, SHA256, key.secrets().getFirst().sha256());
    put(shown, RPM, key.limits().rpm());
    put(shown, TPM, key.limits().tpm());
    put(shown, RPD, key.limits().rpd());
    put(shown, CONCURRENCY, key.limits().concurrency());
    put(shown, BUDGET_TOKENS_PER_DAY, key.limits().budgetTokensPerDay());
    put(shown, MAX_OUTPUT_TOKENS, key.limits().maxOutputTokens());
    put(shown, MODELS, key.models());
    put(shown, GROUP, key.group());
    put(shown, ALLOWED_MODELS, sorted(key.scope().models()));
    put(shown, ALLOWED_ENDPOINTS, sorted(key.scope().endpoints()));
    put(shown, CALLS, key.scope().calls());
    put(shown, PRIORITY, (long) key.rank().priority());
    put(shown, MAX_PRIORITY, (long) key.rank().maxPriority());
    put(shown, WEIGHT, (long) key.rank().weight());
    put(shown, EXPIRES_AT, key.expiresAtMillis() == KeySpec.NEVER ? null : key.expiresAtMillis());
    put(shown, ON_LIMIT, key.waits());
    put(shown, STRICT_AFTER_DENIAL, key.strictAfterDenial());
    return shown;
  }

  private static <T> void put(
      Map<String, Object> shown, RouteSetting<T> setting, @Nullable T value) {
    if (value != null) {
      shown.put(setting.name(), setting.shape().show(value));
    }
  }

  private static @Nullable List<String> sorted(@Nullable Set<String> names) {
    return names == null ? null : List.copyOf(new TreeSet<>(names));
  }
}
