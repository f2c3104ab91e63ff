package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.usage.CachedInput;
import io.penstock.usage.UsageLedger;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PriceTableTest {
  private static final LocalDate DAY = LocalDate.of(2026, 3, 1);
  private static final CachedInput CACHED = new CachedInput(500_000, 300_000, 100_000);

  @TempDir private Path directory;

  private BigDecimal price(String price, CachedInput cached) {
    String file =
        """
        endpoints: [{path: /a, upstreams: [{id: a, url: "http://localhost:1"}]}]
        models: {m: {price_per_mtok: {%s}}}
        """
            .formatted(price);
    PriceTable table = new PriceTable();
    table.configure(new Routes(directory).write("a.yaml", file).good(Map.of()));
    UsageLedger.Row row = new UsageLedger.Row(DAY, "k", "", "m", 1, 1_000_000, 200_000, cached);
    BigDecimal sum = table.of(row);
    assertThat(sum).isNotNull();
    return sum;
  }

  @Test
  void noPriceOfCaches_costsTheSameWhateverWasCached() {
    assertThat(price("input: 3, output: 15", CachedInput.NONE)).isEqualByComparingTo("6");
    assertThat(price("input: 3, output: 15", CACHED))
        .isEqualTo(price("input: 3, output: 15", CachedInput.NONE));
  }

  @Test
  void everyPrice_countsForItsPart() {
    assertThat(
            price(
                "input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6",
                CACHED))
        .isEqualByComparingTo("5.1");
  }

  @Test
  void missingPrices_areThoseOfOtherInput_andOfTheShorterWrite() {
    assertThat(price("input: 3, output: 15, cache_read: 0.3", CACHED)).isEqualByComparingTo("4.65");
    assertThat(price("input: 3, output: 15, cache_write: 4", CACHED)).isEqualByComparingTo("6.3");
    assertThat(price("input: 3, output: 15, cache_write_1h: 6", CACHED))
        .isEqualByComparingTo("6.3");
    assertThat(price("input: 3, output: 15, cache_read: 0", CACHED)).isEqualByComparingTo("4.5");
  }
}
