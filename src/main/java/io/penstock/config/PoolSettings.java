package io.penstock.config;

import io.penstock.cost.Cost;
import java.util.List;

/** The settings of an upstream's {@code limits[]}: limits that some of its models share. */
final class PoolSettings {
  private static final Numbers.Whole LIMIT = new Numbers.Whole(0, Cost.MAX_TOKENS);

  static final Setting<List<String>> MODELS =
      Setting.required(
          "models", new Models.Names(), "The upstream's own names of the models that share it.");

  static final Setting<String> NAME =
      Setting.derived(
          "name",
          new Models.Name(),
          "its first model",
          values -> values.get(MODELS).getFirst(),
          "Its name, where limits are shown and shared.");

  static final Setting<Long> RPM = minute("rpm", "Requests");
  static final Setting<Long> TPM = minute("tpm", "Tokens, as charge counts them,");
  static final Setting<Long> ITPM = minute("itpm", "Input tokens");
  static final Setting<Long> OTPM = minute("otpm", "Output tokens");
  static final Setting<Long> RPD =
      Setting.fixed("rpd", LIMIT, 0L, "Requests a day; 0 is unlimited.");
  static final Setting<Long> CONCURRENCY =
      Setting.fixed("concurrency", LIMIT, 0L, "Requests at the same time; 0 is unlimited.");

  /** The settings, in display order. */
  static final List<Setting<?>> TABLE =
      List.of(NAME, MODELS, RPM, TPM, ITPM, OTPM, RPD, CONCURRENCY);

  private PoolSettings() {}

  private static Setting<Long> minute(String name, String what) {
    return Setting.fixed(name, LIMIT, 0L, what + " in any 60 seconds; 0 is unlimited.");
  }
}
