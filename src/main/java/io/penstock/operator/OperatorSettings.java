package io.penstock.operator;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the operator port. Their text does not show the token.
 *
 * @param token that operators must send; null when none is set
 * @param tokens tokens of single operators by their names, each as good as the other one
 * @param reservationTimeout how long a reservation may remain unsettled before it is forgotten
 */
public record OperatorSettings(
    @Nullable String token, Map<String, String> tokens, Duration reservationTimeout) {
  @Override
  public String toString() {
    return "OperatorSettings[" + reservationTimeout + "]";
  }
}
