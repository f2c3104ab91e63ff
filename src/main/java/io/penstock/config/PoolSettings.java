package io.penstock.config;

import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.cost.Cost;
import java.util.List;

/** The settings of an upstream's {@code limits[]}: limits that some of its models share. */
final class PoolSettings {
  private static final NumberShapes.Whole LIMIT = new NumberShapes.Whole(0, Cost.MAX_TOKENS);

  static final RouteSetting<List<String>> MODELS =
      RouteSetting.required(
          "models",
          new ModelsSetting.Names(),
          "The upstream's own names of the models that share it.");

  static final RouteSetting<String> NAME =
      RouteSetting.derived(
          "name",
          new ModelsSetting.Name(),
          "its first model",
          values -> values.get(MODELS).getFirst(),
          "Its name, where limits are shown and shared.");

  static final RouteSetting<Long> RPM = minute("rpm", "Requests");
  static final RouteSetting<Long> TPM = minute("tpm", "Tokens, as charge counts them,");
  static final RouteSetting<Long> ITPM = minute("itpm", "Input tokens");
  static final RouteSetting<Long> OTPM = minute("otpm", "Output tokens");
  static final RouteSetting<Long> RPD =
      RouteSetting.fixed("rpd", LIMIT, 0L, "Requests a day; 0 is unlimited.");
  static final RouteSetting<Long> CONCURRENCY =
      RouteSetting.fixed("concurrency", LIMIT, 0L, "Requests at the same time; 0 is unlimited.");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE =
      List.of(NAME, MODELS, RPM, TPM, ITPM, OTPM, RPD, CONCURRENCY);

  private PoolSettings() {}

  private static RouteSetting<Long> minute(String name, String what) {
    return RouteSetting.fixed(name, LIMIT, 0L, what + " in any 60 seconds; 0 is unlimited.");
  }
}
