package io.penstock.mock;

import java.util.List;

/**
 * A parameter of {@code mock://} addresses.
 *
 * @param name in the query of the address
 * @param otherwise the value of an address without it
 * @param accepted the values that it may have, in words
 * @param meaning one sentence
 */
public record MockParameter(String name, String otherwise, String accepted, String meaning) {
  static final MockParameter LATENCY =
      new MockParameter(
          "latency", "0ms", "0 to 60m", "Time from the end of a request to the first byte back.");
  static final MockParameter TOKENS =
      new MockParameter(
          "tokens",
          "50",
          "1 to 100000",
          "Output tokens of an answer, unless the request states a lower maximum.");
  static final MockParameter TPS =
      new MockParameter(
          "tps",
          "0",
          "0 (all at once), or 0.001 to 1000000000 tokens a second",
          "How fast an answer is written, in tokens a second.");
  static final MockParameter RPM =
      new MockParameter(
          "rpm",
          "0",
          "0 (unlimited) to 1000000000000",
          "Requests of a model that are admitted in any trailing window; others get 429.");
  static final MockParameter TPM =
      new MockParameter(
          "tpm",
          "0",
          "0 (unlimited) to 1000000000000",
          "Tokens of a model that are admitted in any trailing window; others get 429.");
  static final MockParameter ITPM =
      new MockParameter(
          "itpm",
          "0",
          "0 (unlimited) to 1000000000000",
          "Input tokens of a model that are admitted in any trailing window, those read from the"
              + " cache not counted; others get 429.");
  static final MockParameter CACHE =
      new MockParameter(
          "cache",
          "0",
          "0 (none) to 100000",
          "Fewest tokens of a prompt's beginning that an Anthropic provider caches, up to a mark"
              + " of the request.");
  static final MockParameter CACHE_LIFE =
      new MockParameter(
          "cache_life",
          "5m",
          "1ms to 60m",
          "How long a cached beginning is kept after its last use; one that is asked for an hour,"
              + " 12 times as long.");
  static final MockParameter WINDOW =
      new MockParameter(
          "window",
          "60s",
          "1ms to 60m",
          "Length of that window; rpm, tpm and itpm are amounts for the window, whatever its"
              + " length.");
  static final MockParameter ERROR_RATE =
      new MockParameter(
          "error_rate", "0", "0 to 1", "Share of admitted requests that get status 500.");
  static final MockParameter HEADERS =
      new MockParameter(
          "headers",
          "all",
          "all or none",
          "Whether answers state what is left of rpm, tpm and itpm in the provider's headers.");

  /** All parameters; there are no others. */
  public static final List<MockParameter> ALL =
      List.of(LATENCY, TOKENS, TPS, RPM, TPM, ITPM, WINDOW, ERROR_RATE, HEADERS, CACHE, CACHE_LIFE);
}
