package io.penstock.config;

import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.cost.Cost;
import java.util.List;

/** The settings of an upstream's {@code limits[]}: limits that some of its models share. */
final class PoolSettings {
  static final RouteSetting<List<String>> MODELS =
      RouteSetting.required(
          "models",
          new ModelsSetting.Names(),
          "The upstream's own names of the models that share it.");

  static final RouteSetting<String> NAME =
      RouteSetting.derived(
          "name",
          ModelsSetting.NAME,
          "its first model",
          values -> values.get(MODELS).getFirst(),
          "Its name, where limits are shown and shared.");

  /** The settings, in display order; those of limits have the names of {@link UpstreamSettings}. */
  static final List<RouteSetting<?>> TABLE =
      List.of(
          NAME,
          MODELS,
          limit("rpm", "Requests in any 60 seconds"),
          limit("tpm", "Tokens, as charge counts them, in any 60 seconds"),
          limit("itpm", "Input tokens in any 60 seconds"),
          limit("otpm", "Output tokens in any 60 seconds"),
          limit("rpd", "Requests a day"),
          limit("concurrency", "Requests at the same time"));

  private PoolSettings() {}

  private static RouteSetting<Long> limit(String name, String what) {
    return RouteSetting.fixed(
        name, new NumberShapes.Whole(0, Cost.MAX_TOKENS), 0L, what + "; 0 is unlimited.");
  }
}
