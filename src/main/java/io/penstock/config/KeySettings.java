package io.penstock.config;

import io.penstock.config.shape.CallsSetting;
import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.EndpointPaths;
import io.penstock.config.shape.ExpirySetting;
import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SecretDigest;
import io.penstock.config.shape.WordShapes;
import io.penstock.cost.AllowedCalls;
import io.penstock.cost.Cost;
import io.penstock.cost.ExcessOutput;
import io.penstock.key.KeySpec;
import io.penstock.key.KeySpec.LimitPolicy;
import io.penstock.key.KeySpec.Limits;
import io.penstock.key.KeySpec.ModelLimits;
import io.penstock.key.KeySpec.Rank;
import io.penstock.key.KeySpec.Scope;
import io.penstock.key.KeyTerms;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings of {@code keys[]}, which are also the terms of keys in JSON and in commands. */
public final class KeySettings {
  /** A limit; 0 is unlimited. */
  static final NumberShapes.Whole LIMIT = new NumberShapes.Whole(0, Cost.MAX_TOKENS);

  private static final NumberShapes.Whole PRIORITIES =
      new NumberShapes.Whole(-1_000_000, 1_000_000);
  private static final NumberShapes.Whole WEIGHTS = new NumberShapes.Whole(1, 1_000_000);
  private static final String UNLIMITED = "unlimited";
  private static final String ALL = "all";
  private static final String DEFAULT = "default";

  static final RouteSetting<String> NAME =
      RouteSetting.required(
          "name", new WordShapes.Identifier(), "Its name, in logs, metrics and queues.");

  static final RouteSetting<String> SHA256 =
      RouteSetting.required(
          "sha256",
          new SecretDigest(),
          "SHA-256 of the secret that clients send; never the secret.");

  static final RouteSetting<Long> RPM = limit("rpm", "Requests in any 60 seconds");
  static final RouteSetting<Long> TPM = limit("tpm", "Tokens, input and output, in any 60 seconds");
  static final RouteSetting<Long> RPD = limit("rpd", "Requests in 24 h from the first");
  static final RouteSetting<Long> CONCURRENCY = limit("concurrency", "Requests at the same time");
  static final RouteSetting<Long> BUDGET_TOKENS_PER_DAY =
      limit("budget_tokens_per_day", "Tokens, input and output, in a UTC day");
  static final RouteSetting<Long> MAX_OUTPUT_TOKENS =
      limit(
          "max_output_tokens",
          "Largest maximum of output that a request may state, for all its answers; written"
              + " into requests that state none");

  static final RouteSetting<Long> LIGHT_RPM =
      RouteSetting.fixed(
          "light_rpm",
          LIMIT,
          Limits.LIGHT_RPM,
          "Calls that cost nothing in any 60 seconds; 0 is unlimited.");

  static final RouteSetting<Map<String, ModelLimits>> MODELS =
      RouteSetting.fixed(
          "models", new KeyModels(), Map.of(), "What it may spend on some models, by their names.");

  static final RouteSetting<String> GROUP =
      RouteSetting.unset("group", new WordShapes.Identifier(), "none", "The group it is in.");

  static final RouteSetting<List<String>> ALLOWED_MODELS =
      RouteSetting.unset(
          "allowed_models",
          new ModelsSetting.Names(),
          "all",
          "Models it may use, as clients name them.");

  static final RouteSetting<List<String>> ALLOWED_ENDPOINTS =
      RouteSetting.unset(
          "allowed_endpoints",
          new EndpointPaths(),
          "all",
          "Paths of endpoints it may use, with the dynamic ones below them.");

  static final RouteSetting<AllowedCalls> CALLS =
      RouteSetting.fixed(
          "calls",
          new CallsSetting(),
          AllowedCalls.ALL,
          "The calls it may make: all, those that are weighed, or a list.");

  static final RouteSetting<Long> PRIORITY =
      RouteSetting.fixed("priority", PRIORITIES, 0L, "Priority of its requests that state none.");

  static final RouteSetting<Long> MAX_PRIORITY =
      RouteSetting.derived(
          "max_priority",
          PRIORITIES,
          "its priority",
          values -> values.get(PRIORITY),
          "The highest priority its requests can state.");

  static final RouteSetting<Long> WEIGHT =
      RouteSetting.fixed("weight", WEIGHTS, 1L, "Its part where shares are fair.");

  static final RouteSetting<Long> EXPIRES_AT =
      RouteSetting.unset(
          "expires_at",
          new ExpirySetting(),
          "never",
          "When it ends: an instant, or the beginning of a UTC day.");

  static final WordShapes.Choice<Boolean> AT_LIMIT =
      WordShapes.Choice.of(List.of(false, true), waits -> waits ? "wait" : "reject");

  static final RouteSetting<Boolean> ON_LIMIT =
      RouteSetting.unset(
          "on_limit",
          AT_LIMIT,
          "its group's, else wait; reject with sharing eventual, strict_after_denial or regions",
          "Whether its requests are refused at its limits, or wait for them.");

  static final RouteSetting<Long> MAX_WAITING =
      RouteSetting.fixed(
          "max_waiting",
          LIMIT,
          LimitPolicy.MAX_WAITING,
          "How many of its requests may wait in a queue; further ones that its limits hold are"
              + " refused; 0 is unlimited.");

  static final RouteSetting<ExcessOutput> MAX_OUTPUT =
      RouteSetting.unset(
          "max_output",
          EndpointSettings.EXCESS_OUTPUT,
          "cap where there is a budget, else the endpoint's",
          "What happens to a stated maximum of output above what its limits or an upstream allow.");

  static final RouteSetting<Boolean> STRICT_AFTER_DENIAL =
      RouteSetting.fixed(
          "strict_after_denial",
          new WordShapes.Flag(),
          false,
          "Whether the shared count is asked for after a denial (on_limit reject, sharing"
              + " eventual).");

  /** The terms, in display order. */
  public static final List<KeyTerm<?>> TERMS =
      List.of(
          limit(RPM, Limits::rpm, "requests per minute", "rpm"),
          limit(TPM, Limits::tpm, "tokens per minute", "tpm"),
          limit(RPD, Limits::rpd, "requests per day", "rpd"),
          limit(CONCURRENCY, Limits::concurrency, "requests at a time", "concurrency"),
          limit(BUDGET_TOKENS_PER_DAY, Limits::budgetTokensPerDay, "tokens per UTC day", "budget"),
          limit(
              MAX_OUTPUT_TOKENS,
              Limits::maxOutputTokens,
              "output per request",
              "max-output-tokens"),
          new KeyTerm<>(
              LIGHT_RPM,
              terms -> terms.limits().lightRpm(),
              "free calls per minute",
              "light-rpm",
              "N",
              DEFAULT),
          new KeyTerm<>(MODELS, KeyTerms::models, "limits for models", "", "", null),
          new KeyTerm<>(GROUP, KeyTerms::group, "group", "group", "NAME", "none"),
          new KeyTerm<>(
              ALLOWED_MODELS,
              terms -> sorted(terms.scope().models()),
              "models",
              "models",
              "NAME",
              ALL),
          new KeyTerm<>(
              ALLOWED_ENDPOINTS,
              terms -> sorted(terms.scope().endpoints()),
              "endpoints",
              "endpoints",
              "PATH",
              ALL),
          new KeyTerm<>(
              CALLS,
              terms -> terms.scope().calls().all() ? null : terms.scope().calls(),
              "calls",
              "calls",
              "CALL",
              ALL),
          new KeyTerm<>(
              PRIORITY, terms -> (long) terms.rank().priority(), "priority", "priority", "N", null),
          new KeyTerm<>(
              MAX_PRIORITY,
              terms -> (long) terms.rank().maxPriority(),
              "highest priority",
              "max-priority",
              "N",
              DEFAULT),
          new KeyTerm<>(
              WEIGHT, terms -> (long) terms.rank().weight(), "weight", "weight", "N", null),
          new KeyTerm<>(
              EXPIRES_AT,
              terms -> terms.expiresAtMillis() == KeySpec.NEVER ? null : terms.expiresAtMillis(),
              "expires",
              "expires",
              "WHEN",
              "never"),
          new KeyTerm<>(
              ON_LIMIT,
              terms -> terms.policy().waits(),
              "at its limits",
              "on-limit",
              "reject|wait",
              DEFAULT),
          new KeyTerm<>(
              MAX_WAITING,
              terms -> terms.policy().maxWaiting(),
              "waiting requests",
              "max-waiting",
              "N",
              DEFAULT),
          new KeyTerm<>(
              MAX_OUTPUT,
              terms -> terms.policy().excessOutput(),
              "larger maxima of output",
              "max-output",
              "refuse|cap",
              DEFAULT),
          new KeyTerm<>(
              STRICT_AFTER_DENIAL,
              terms -> terms.policy().strictAfterDenial(),
              "strict after a denial",
              "strict-after-denial",
              "true|false",
              null),
          new KeyTerm<>(
              SharingSetting.SHARING,
              terms -> terms.policy().sharing(),
              "sharing",
              "sharing",
              "exact|eventual|local",
              DEFAULT));

  /** The settings of the terms. */
  static final List<RouteSetting<?>> OF_TERMS =
      TERMS.stream().<RouteSetting<?>>map(KeyTerm::setting).toList();

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE =
      Stream.concat(Stream.of(NAME, SHA256), OF_TERMS.stream()).toList();

  /** Plausible but wrong setting names, mapped to the right ones. */
  static final Map<String, String> MEANT =
      Map.of(
          "secret", "sha256",
          "key", "sha256",
          "api_key", "sha256",
          "expires", "expires_at");

  private KeySettings() {}

  /** Returns the terms described by usable settings. */
  static KeyTerms terms(EffectiveValues values) {
    return new KeyTerms(
        new Limits(
            values.get(RPM),
            values.get(TPM),
            values.get(RPD),
            values.get(CONCURRENCY),
            values.get(BUDGET_TOKENS_PER_DAY),
            values.get(MAX_OUTPUT_TOKENS),
            values.get(LIGHT_RPM)),
        values.get(MODELS),
        values.find(GROUP).orElse(null),
        new Scope(
            values.find(ALLOWED_MODELS).map(Set::copyOf).orElse(null),
            values.find(ALLOWED_ENDPOINTS).map(Set::copyOf).orElse(null),
            values.get(CALLS)),
        new Rank(
            Math.toIntExact(values.get(PRIORITY)),
            Math.toIntExact(values.get(MAX_PRIORITY)),
            Math.toIntExact(values.get(WEIGHT))),
        values.find(EXPIRES_AT).orElse(KeySpec.NEVER),
        new LimitPolicy(
            values.find(ON_LIMIT).orElse(null),
            values.get(MAX_WAITING),
            values.get(STRICT_AFTER_DENIAL),
            values.find(SharingSetting.SHARING).orElse(null),
            values.find(MAX_OUTPUT).orElse(null)));
  }

  /** Returns a setting of a limit. */
  static RouteSetting<Long> limit(String name, String what) {
    return RouteSetting.fixed(name, LIMIT, 0L, what + "; 0 is unlimited.");
  }

  private static KeyTerm<Long> limit(
      RouteSetting<Long> setting, ToLongFunction<Limits> of, String label, String option) {
    return new KeyTerm<>(
        setting, terms -> of.applyAsLong(terms.limits()), label, option, "N", UNLIMITED);
  }

  private static @Nullable List<String> sorted(@Nullable Set<String> names) {
    return names == null ? null : names.stream().sorted().toList();
  }
}
