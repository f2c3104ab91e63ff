package io.penstock.config;

import io.penstock.config.ConfigurationSnapshot.Price;
import io.penstock.usage.CachedInput;
import io.penstock.usage.UsageLedger;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prices of tokens in the running configuration. Safe from any thread. */
public final class PriceTable {
  private static final int TOKENS_DIGITS = 6;

  private volatile Map<String, Price> byModel = Map.of();

  /** Replaces all prices by those of a configuration. */
  public void configure(ConfigurationSnapshot snapshot) {
    Map<String, Price> next = new HashMap<>();
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

  /** Returns the price of the tokens of a row, or null if that of its model is unknown. */
  public @Nullable BigDecimal of(UsageLedger.Row row) {
    Price price = byModel.get(row.model());
    if (price == null) {
      return null;
    }
    CachedInput cached = row.cached();
    BigDecimal input = price.inputPerMtok();
    BigDecimal read = either(price.cacheReadPerMtok(), input);
    BigDecimal write = either(price.cacheWritePerMtok(), input);
    BigDecimal writeForHour = either(price.cacheWriteHourPerMtok(), write);
    return of(input, row.uncachedInput())
        .add(of(read, cached.read()))
        .add(of(write, cached.written() - cached.writtenForHour()))
        .add(of(writeForHour, cached.writtenForHour()))
        .add(of(price.outputPerMtok(), row.output()))
        .movePointLeft(TOKENS_DIGITS);
  }

  private static BigDecimal either(@Nullable BigDecimal amount, BigDecimal otherwise) {
    return amount == null ? otherwise : amount;
  }

  private static BigDecimal of(BigDecimal perMtok, long tokens) {
    return perMtok.multiply(BigDecimal.valueOf(tokens));
  }
}
