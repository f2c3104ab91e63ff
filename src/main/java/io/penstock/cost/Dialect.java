package io.penstock.cost;

import org.jspecify.annotations.Nullable;

/**
 * Format in which the requests and answers of an endpoint are read, as far as limits, metrics and
 * traces know it. All dialects stand in one table, {@code DialectTable}. Immutable.
 */
public interface Dialect {
  /** Returns its name in route files, in lower case. */
  String text();

  /**
   * Returns whether bodies are read; if not, the cost of a request is what its parameters state.
   */
  default boolean readsBodies() {
    return true;
  }

  /** Returns the rule by which its provider counts requests, unless an upstream has another. */
  ChargeRule charge();

  /**
   * Returns the name of the provider that defined it, in OpenTelemetry's conventions; null if there
   * is none.
   */
  @Nullable String telemetryName();
}
