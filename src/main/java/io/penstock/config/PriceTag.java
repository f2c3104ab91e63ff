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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.Node;

/** The price of 1,000,000 tokens of a model. */
record PriceTag() implements ValueShape<Price> {
  private static final NumberShapes.Fraction AMOUNT =
      NumberShapes.Fraction.from("0", 1_000_000_000);

  static final RouteSetting<BigDecimal> INPUT =
      RouteSetting.fixed("input", AMOUNT, BigDecimal.ZERO, "Price of 1,000,000 tokens of input.");
  static final RouteSetting<BigDecimal> OUTPUT =
      RouteSetting.fixed("output", AMOUNT, BigDecimal.ZERO, "Price of 1,000,000 tokens of output.");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE = List.of(INPUT, OUTPUT);

  @Override
  public Optional<Price> read(Node node, SourceFile source, String name) {
    return source
        .mapping(node, name, "a mapping with input and output")
        .map(mapping -> FileSection.read(mapping, TABLE, source))
        .filter(section -> !section.broken())
        .map(section -> EffectiveValues.of(TABLE, section))
        .map(values -> new Price(plain(values.get(INPUT)), plain(values.get(OUTPUT))));
  }

  private static BigDecimal plain(BigDecimal amount) {
    return amount.setScale(Math.max(0, amount.scale()));
  }

  @Override
  public Object show(Price value) {
    return ValueShape.keywords(
        INPUT.name(), AMOUNT.show(value.inputPerMtok()),
        OUTPUT.name(), AMOUNT.show(value.outputPerMtok()));
  }

  @Override
  public Map<String, Object> schema() {
    return SectionSchema.of(TABLE);
  }
}
