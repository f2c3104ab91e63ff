package io.penstock.config;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What tokens cost by the configuration that runs. Safe from any thread. */
public final class Prices {
  private static final int TOKENS_DIGITS = 6;

  private volatile Map<String, Snapshot.Price> byModel = Map.of();

  /** Takes over what a configuration says. */
  public void configure(Snapshot snapshot) {
    Map<String, Snapshot.Price> next = new HashMap<>();
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

  /** Returns what so many tokens of a model cost, or null when that is not known. */
  public @Nullable BigDecimal of(String model, long inputTokens, long outputTokens) {
    Snapshot.Price price = byModel.get(model);
    if (price == null) {
      return null;
    }
    BigDecimal input = price.inputPerMtok().multiply(BigDecimal.valueOf(inputTokens));
    BigDecimal output = price.outputPerMtok().multiply(BigDecimal.valueOf(outputTokens));
    return input.add(output).movePointLeft(TOKENS_DIGITS);
  }
}
