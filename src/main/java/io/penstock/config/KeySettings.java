package io.penstock.config;

import io.penstock.config.shape.CallsSetting;
import io.penstock.config.shape.EndpointPaths;
import io.penstock.config.shape.ExpirySetting;
import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SecretDigest;
import io.penstock.config.shape.WordShapes;
import io.penstock.cost.AllowedCalls;
import io.penstock.key.KeySpec.ModelLimits;
import io.penstock.key.KeyTerms;
import java.util.List;
import java.util.Map;

/** The settings of {@code keys[]}. */
final class KeySettings {
  private static final NumberShapes.Whole LIMIT = whole(KeyTerms.LIMIT);
  private static final NumberShapes.Whole PRIORITIES = whole(KeyTerms.PRIORITY);

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
      RouteSetting.fixed("weight", whole(KeyTerms.WEIGHT), 1L, "Its part where shares are fair.");

  static final RouteSetting<Long> EXPIRES_AT =
      RouteSetting.unset(
          "expires_at",
          new ExpirySetting(),
          "never",
          "When it ends: an instant, or the beginning of a UTC day.");

  static final RouteSetting<Boolean> ON_LIMIT =
      RouteSetting.fixed(
          "on_limit",
          WordShapes.Choice.of(List.of(false, true), waits -> waits ? "wait" : "reject"),
          false,
          "Whether its requests are refused at its limits, or wait for them.");

  static final RouteSetting<Boolean> STRICT_AFTER_DENIAL =
      RouteSetting.fixed(
          "strict_after_denial",
          new WordShapes.Flag(),
          false,
          "Whether the shared count is asked for after a denial (on_limit reject, sharing"
              + " eventual).");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE =
      List.of(
          NAME,
          SHA256,
          RPM,
          TPM,
          RPD,
          CONCURRENCY,
          BUDGET_TOKENS_PER_DAY,
          MAX_OUTPUT_TOKENS,
          MODELS,
          GROUP,
          ALLOWED_MODELS,
          ALLOWED_ENDPOINTS,
          CALLS,
          PRIORITY,
          MAX_PRIORITY,
          WEIGHT,
          EXPIRES_AT,
          ON_LIMIT,
          STRICT_AFTER_DENIAL,
          SharingSetting.SHARING);

  /** Plausible but wrong setting names, mapped to the right ones. */
  static final Map<String, String> MEANT =
      Map.of(
          "secret", "sha256",
          "key", "sha256",
          "api_key", "sha256",
          "expires", "expires_at");

  private KeySettings() {}

  /** Returns the shape of the numbers of a range. */
  static NumberShapes.Whole whole(KeyTerms.Range range) {
    return new NumberShapes.Whole(range.least(), range.most());
  }

  private static RouteSetting<Long> limit(String name, String what) {
    return RouteSetting.fixed(name, LIMIT, 0L, what + "; 0 is unlimited.");
  }
}
