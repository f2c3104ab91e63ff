package io.penstock.config;

import io.penstock.config.ConfigurationSnapshot.Price;
import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SectionSchema;
import io.penstock.config.shape.SourceFile;
import io.penstock.config.shape.ValueShape;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;

/** The price of 1,000,000 tokens of a model. */
record PriceTag() implements ValueShape<Price> {
  private static final NumberShapes.Fraction AMOUNT =
      NumberShapes.Fraction.from("0", 1_000_000_000);

  static final RouteSetting<BigDecimal> INPUT =
      RouteSetting.fixed("input", AMOUNT, BigDecimal.ZERO, "Price of 1,000,000 tokens of input.");
  static final RouteSetting<BigDecimal> OUTPUT =
      RouteSetting.fixed("output", AMOUNT, BigDecimal.ZERO, "Price of 1,000,000 tokens of output.");

  static final RouteSetting<BigDecimal> CACHE_READ =
      RouteSetting.unset(
          "cache_read",
          AMOUNT,
          "as input",
          "Price of 1,000,000 tokens of input that the provider reads from its cache.");
  static final RouteSetting<BigDecimal> CACHE_WRITE =
      RouteSetting.unset(
          "cache_write",
          AMOUNT,
          "as input",
          "Price of 1,000,000 tokens of input that it writes to its cache for 5 minutes.");
  static final RouteSetting<BigDecimal> CACHE_WRITE_1H =
      RouteSetting.unset(
          "cache_write_1h",
          AMOUNT,
          "as cache_write",
          "Price of 1,000,000 tokens of input that it writes to its cache for 1 hour.");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE =
      List.of(INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, CACHE_WRITE_1H);

  @Override
  public Optional<Price> read(Node node, SourceFile source, String name) {
    return source
        .mapping(node, name, "a mapping with input and output")
        .map(mapping -> FileSection.read(mapping, TABLE, source))
        .filter(section -> !section.broken())
        .map(section -> EffectiveValues.of(TABLE, section))
        .map(PriceTag::price);
  }

  private static Price price(EffectiveValues values) {
    return new Price(
        values.get(INPUT),
        values.get(OUTPUT),
        values.find(CACHE_READ).orElse(null),
        values.find(CACHE_WRITE).orElse(null),
        values.find(CACHE_WRITE_1H).orElse(null));
  }

  @Override
  public Object show(Price value) {
    Map<String, Object> shown = new LinkedHashMap<>();
    show(INPUT, value.inputPerMtok(), shown);
    show(OUTPUT, value.outputPerMtok(), shown);
    show(CACHE_READ, value.cacheReadPerMtok(), shown);
    show(CACHE_WRITE, value.cacheWritePerMtok(), shown);
    show(CACHE_WRITE_1H, value.cacheWriteHourPerMtok(), shown);
    return shown;
  }

  private static void show(
      RouteSetting<BigDecimal> setting, @Nullable BigDecimal amount, Map<String, Object> shown) {
    if (amount != null) {
      shown.put(setting.name(), AMOUNT.show(amount));
    }
  }

  @Override
  public Map<String, Object> schema() {
    return SectionSchema.of(TABLE);
  }
}
