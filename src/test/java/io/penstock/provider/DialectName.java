package io.penstock.provider;

import io.penstock.dialect.DialectTable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.converter.TypedArgumentConverter;

/** Turns the name of a dialect in a table of cases into the dialect; see {@link ConvertWith}. */
public final class DialectName extends TypedArgumentConverter<String, ProviderProtocol> {
  DialectName() {
    super(String.class, ProviderProtocol.class);
  }

  @Override
  protected @Nullable ProviderProtocol convert(@Nullable String name) {
    return name == null ? null : of(name);
  }

  /** Returns the dialect with a name, in letters of any case. */
  public static ProviderProtocol of(String name) {
    return DialectTable.ALL.stream()
        .filter(each -> each.text().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow();
  }
}
