package io.penstock.usage;

import org.jspecify.annotations.Nullable;

/** Receiver of the usage of requests, once each. Safe from any thread. */
@FunctionalInterface
public interface UsageSink {
  /**
   * Counts the usage of a request.
   *
   * @param key the name of the key that the request came with, or null
   * @param group the group of the key, or null
   * @param model the model that the request was for, or null
   * @param input tokens of input, ≥ 0
   * @param output tokens of output, ≥ 0
   */
  void add(
      @Nullable String key,
      @Nullable String group,
      @Nullable String model,
      long input,
      long output);
}
