package io.penstock.config;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prices of tokens in the running configuration. Safe from any thread. */
public final class PriceTable {
  private static final int TOKENS_DIGITS = 6;

  private volatile Map<String, ConfigurationSnapshot.Price> byModel = Map.of();

  /** Replaces all prices by those of a configuration. */
  public void configure(ConfigurationSnapshot snapshot) {
    Map<String, ConfigurationSnapshot.Price> next = new HashMap<>();
    snapshot
        .models()
        .forEach(
            (name, model) -> {
              if (model.price() != null) {
                next.put(name, model.price());
              }
            });
    byModel = Map.copyOf(next);
  }

  /** Returns the price of the given tokens of a model, or null if it is unknown. */
  public @Nullable BigDecimal of(String model, long inputTokens, long outputTokens) {
    ConfigurationSnapshot.Price price = byModel.get(model);
    if (price == null) {
      return null;
    }
    BigDecimal input = price.inputPerMtok().multiply(BigDecimal.valueOf(inputTokens));
    BigDecimal output = price.outputPerMtok().multiply(BigDecimal.valueOf(outputTokens));
    return input.add(output).movePointLeft(TOKENS_DIGITS);
  }
}
