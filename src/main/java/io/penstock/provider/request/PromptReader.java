package io.penstock.provider.request;

import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.prefix.HashKey;
import io.penstock.prefix.PromptPrefix;
import org.jspecify.annotations.Nullable;

/**
 * Finds the beginnings of a prompt that a provider may have in its cache. It is told of each value
 * after the member that the value belongs to. Each belongs to one request.
 */
public interface PromptReader {
  /** Begins a body, whose fingerprints are made with a key. */
  void begin(HashKey key);

  /** Returns the source of the bytes that it reads, for the walk. */
  CompactBytes compactBytes();

  /** An object or array begins. */
  void open(JsonWalk at, boolean array);

  /** An object or array ends. */
  void close(JsonWalk at);

  /** A string, number, boolean or null is read. */
  void scalar(JsonWalk at);

  /** Returns the beginnings that are cached for a model, after the body was read to its end. */
  PromptPrefix prefix(@Nullable String model);
}
