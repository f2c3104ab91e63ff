package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.cost.Cost;
import io.penstock.model.ModelContexts;
import io.penstock.model.ModelLimits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The settings of {@code models.<name>}, by the name that clients use. */
final class ModelSettings {
  static final RouteSetting<List<String>> FALLBACK =
      RouteSetting.fixed(
          "fallback",
          new ModelsSetting.Names(),
          List.of(),
          "Other models that may serve in its place; the first that has room does.");

  static final RouteSetting<Long> FALLBACK_AFTER =
      RouteSetting.fixed(
          "fallback_after",
          NumberShapes.Seconds.from("0", 86_400),
          5_000_000_000L,
          "Seconds that a request waits before another model may serve it.");

  static final RouteSetting<Long> RPM = limit("rpm", "Requests in any 60 seconds");
  static final RouteSetting<Long> TPM = limit("tpm", "Tokens, input and output, in any 60 seconds");
  static final RouteSetting<Long> RPD = limit("rpd", "Requests in 24 h from the first");

  static final RouteSetting<ConfigurationSnapshot.Price> PRICE_PER_MTOK =
      RouteSetting.unset(
          "price_per_mtok",
          new PriceTag(),
          "not known",
          "What 1,000,000 tokens cost, in whatever currency.");

  static final RouteSetting<Long> CONTEXT_TOKENS =
      RouteSetting.fixed(
          "context_tokens",
          new NumberShapes.Whole(1, Cost.MAX_TOKENS),
          ModelContexts.UNKNOWN,
          "Tokens of its context, which budgets keep free for input that a body does not contain.");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE =
      List.of(
          RPM,
          TPM,
          RPD,
          FALLBACK,
          FALLBACK_AFTER,
          PRICE_PER_MTOK,
          CONTEXT_TOKENS,
          SharingSetting.SHARING);

  private ModelSettings() {}

  private static RouteSetting<Long> limit(String name, String what) {
    return RouteSetting.<Long>sometimes(
            name,
            new NumberShapes.Whole(0, Cost.MAX_TOKENS),
            "0 where another of rpm, tpm and rpd is set, else as its provider's profile",
            values -> limited(values) ? Optional.of(0L) : Optional.empty(),
            what + ", whoever serves them; 0 is unlimited.")
        .alsoCalled("max_" + name);
  }

  private static boolean limited(EffectiveValues values) {
    return Stream.of(RPM, TPM, RPD).anyMatch(each -> values.set(each).isPresent());
  }

  /** Returns the model described by usable settings, without its fallbacks. */
  static ConfigurationSnapshot.Model model(EffectiveValues values) {
    ConfigurationSnapshot.Price price = values.find(PRICE_PER_MTOK).orElse(null);
    Long context = values.set(CONTEXT_TOKENS).isPresent() ? values.get(CONTEXT_TOKENS) : null;
    ModelLimits limits =
        limited(values) ? new ModelLimits(values.get(RPM), values.get(TPM), values.get(RPD)) : null;
    return new ConfigurationSnapshot.Model(limits, price, context);
  }

  /** Returns the settings of a model in the form in which route files write them. */
  static Map<String, Object> shown(ConfigurationSnapshot.Model model) {
    Map<String, Object> shown = new LinkedHashMap<>();
    if (model.limits() != null) {
      shown.put(RPM.name(), model.limits().rpm());
      shown.put(TPM.name(), model.limits().tpm());
      shown.put(RPD.name(), model.limits().rpd());
    }
    if (model.price() != null) {
      shown.put(PRICE_PER_MTOK.name(), PRICE_PER_MTOK.shape().show(model.price()));
    }
    if (model.contextTokens() != null) {
      shown.put(CONTEXT_TOKENS.name(), model.contextTokens());
    }
    return shown;
  }
}
