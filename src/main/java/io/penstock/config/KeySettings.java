package io.penstock.config;

import io.penstock.cost.Cost;
import io.penstock.key.KeySpec.ModelLimits;
import java.util.List;
import java.util.Map;

/** The settings of {@code keys[]}. */
final class KeySettings {
  private static final Numbers.Whole LIMIT = new Numbers.Whole(0, Cost.MAX_TOKENS);
  private static final Numbers.Whole PRIORITIES = new Numbers.Whole(-1_000_000, 1_000_000);

  static final Setting<String> NAME =
      Setting.required("name", new Words.Identifier(), "Its name, in logs, metrics and queues.");

  static final Setting<String> SHA256 =
      Setting.required(
          "sha256", new Sha256(), "SHA-256 of the secret that clients send; never the secret.");

  static final Setting<Long> RATE_LIMIT_RPM = limit("rate_limit_rpm", "Requests in any 60 seconds");
  static final Setting<Long> RATE_LIMIT_TPM =
      limit("rate_limit_tpm", "Tokens, input and output, in any 60 seconds");
  static final Setting<Long> RATE_LIMIT_RPD =
      limit("rate_limit_rpd", "Requests in 24 h from the first");
  static final Setting<Long> MAX_CONCURRENCY =
      limit("max_concurrency", "Requests at the same time");
  static final Setting<Long> BUDGET_TOKENS_PER_DAY =
      limit("budget_tokens_per_day", "Tokens, input and output, in a UTC day");

  static final Setting<Map<String, ModelLimits>> MODELS =
      Setting.fixed(
          "models", new KeyModels(), Map.of(), "What it may spend on some models, by their names.");

  static final Setting<String> GROUP =
      Setting.unset("group", new Words.Identifier(), "none", "The group it is in.");

  static final Setting<List<String>> ALLOWED_MODELS =
      Setting.unset(
          "allowed_models", new Models.Names(), "all", "Models it may use, as clients name them.");

  static final Setting<List<String>> ALLOWED_ENDPOINTS =
      Setting.unset(
          "allowed_endpoints",
          new EndpointPaths(),
          "all",
          "Paths of endpoints it may use, with the dynamic ones below them.");

  static final Setting<Long> PRIORITY =
      Setting.fixed("priority", PRIORITIES, 0L, "Priority of its requests that state none.");

  static final Setting<Long> MAX_PRIORITY =
      Setting.derived(
          "max_priority",
          PRIORITIES,
          "its priority",
          values -> values.get(PRIORITY),
          "The highest priority its requests can state.");

  static final Setting<Long> WEIGHT =
      Setting.fixed(
          "weight", new Numbers.Whole(1, 1_000_000), 1L, "Its part where shares are fair.");

  static final Setting<Long> EXPIRES_AT =
      Setting.unset(
          "expires_at",
          new Expiry(),
          "never",
          "When it ends: an instant, or the beginning of a UTC day.");

  static final Setting<Boolean> ON_LIMIT =
      Setting.fixed(
          "on_limit",
          Words.Choice.of(List.of(false, true), waits -> waits ? "wait" : "reject"),
          false,
          "Whether its requests are refused at its limits, or wait for them.");

  static final Setting<Boolean> STRICT_AFTER_DENIAL =
      Setting.fixed(
          "strict_after_denial",
          new Words.Flag(),
          false,
          "Whether the shared count is asked for after a denial (on_limit reject, sharing"
              + " eventual).");

  /** The settings, in display order. */
  static final List<Setting<?>> TABLE =
      List.of(
          NAME,
          SHA256,
          RATE_LIMIT_RPM,
          RATE_LIMIT_TPM,
          RATE_LIMIT_RPD,
          MAX_CONCURRENCY,
          BUDGET_TOKENS_PER_DAY,
          MODELS,
          GROUP,
          ALLOWED_MODELS,
          ALLOWED_ENDPOINTS,
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
          "rpm", "rate_limit_rpm",
          "tpm", "rate_limit_tpm",
          "rpd", "rate_limit_rpd",
          "concurrency", "max_concurrency",
          "secret", "sha256",
          "key", "sha256",
          "api_key", "sha256",
          "expires", "expires_at");

  private KeySettings() {}

  private static Setting<Long> limit(String name, String what) {
    return Setting.fixed(name, LIMIT, 0L, what + "; 0 is unlimited.");
  }
}
