package io.penstock.usage;

import io.penstock.cost.TokenUsage;
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
   * @param used its tokens by kind
   */
  void add(@Nullable String key, @Nullable String group, @Nullable String model, TokenUsage used);
}
