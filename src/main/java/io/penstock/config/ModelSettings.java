package io.penstock.config;

import java.math.BigDecimal;
import java.util.List;

/** The settings of {@code models.<name>}, by the name that clients ask for. */
final class ModelSettings {
  static final Setting<List<String>> FALLBACK =
      Setting.fixed(
          "fallback",
          new Models.Names(),
          List.of(),
          "Other models that may serve in its place; the first that has room does.");

  static final Setting<BigDecimal> FALLBACK_AFTER =
      Setting.fixed(
          "fallback_after",
          Numbers.Fraction.from("0", 86_400),
          BigDecimal.valueOf(5),
          "Seconds that a request waits before another model may serve it.");

  /** The settings, in the order they are shown. */
  static final List<Setting<?>> TABLE = List.of(FALLBACK, FALLBACK_AFTER);

  /** Known, and not supported yet. */
  static final List<String> LATER = List.of("max_rpm", "max_tpm", "max_rpd", "price_per_mtok");

  private ModelSettings() {}
}
