package io.penstock.config;

import static io.penstock.config.KeySettings.CALLS;
import static io.penstock.config.KeySettings.MAX_PRIORITY;
import static io.penstock.config.KeySettings.NAME;
import static io.penstock.config.KeySettings.ON_LIMIT;
import static io.penstock.config.KeySettings.PRIORITY;
import static io.penstock.config.KeySettings.SHA256;
import static io.penstock.config.KeySettings.STRICT_AFTER_DENIAL;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.SourcePlace;
import io.penstock.cost.AllowedCalls;
import io.penstock.key.KeySpec;
import io.penstock.key.KeySpec.Secret;
import io.penstock.key.KeyTerms;
import io.penstock.sharing.SharingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

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
        && values.find(ON_LIMIT).orElse(false)
        && values.get(STRICT_AFTER_DENIAL)) {
      faultCollector.add(
          values.place(STRICT_AFTER_DENIAL),
          "strict_after_denial is true, but on_limit is wait, expected reject");
    }
  }

  /** Returns the key described by usable settings, or adds a fault for a contradiction. */
  static Optional<KeySpec> build(EffectiveValues values, FaultCollector faultCollector) {
    List<Secret> secrets = List.of(new Secret(values.get(SHA256), KeySpec.NEVER));
    return terms(values, faultCollector::add)
        .map(terms -> new KeySpec(values.get(NAME), secrets, terms));
  }

  /**
   * Returns the terms described by usable settings, or nothing and the fault of a contradiction.
   */
  static Optional<KeyTerms> terms(EffectiveValues values, BiConsumer<SourcePlace, String> faults) {
    KeyTerms terms = KeySettings.terms(values);
    KeySpec.Rank rank = terms.rank();
    if (rank.priority() > rank.maxPriority()) {
      faults.accept(
          values.placeOfAny(PRIORITY, MAX_PRIORITY),
          "priority is %d, above max_priority %d, expected at most that"
              .formatted(rank.priority(), rank.maxPriority()));
      return Optional.empty();
    }
    KeySpec.LimitPolicy policy = terms.policy();
    SharingMode sharing = policy.sharing();
    if (policy.strictAfterDenial() && sharing != null && sharing != SharingMode.EVENTUAL) {
      faults.accept(
          values.place(STRICT_AFTER_DENIAL),
          "strict_after_denial is true, but sharing is %s, expected eventual"
              .formatted(sharing.text()));
      return Optional.empty();
    }
    return Optional.of(terms);
  }

  /** Returns a key in the form in which route files write it, with its secret masked. */
  static Map<String, Object> shown(KeySpec key) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put(NAME.name(), NAME.shape().show(key.name()));
    shown.put(SHA256.name(), SHA256.shape().show(key.secrets().getFirst().sha256()));
    for (KeyTerm<?> term : KeySettings.TERMS) {
      Object value = term.shown(key.terms());
      if (value == null && term.setting().equals(CALLS)) {
        value = CALLS.shape().show(AllowedCalls.ALL);
      }
      if (value != null) {
        shown.put(term.name(), value);
      }
    }
    return shown;
  }
}
