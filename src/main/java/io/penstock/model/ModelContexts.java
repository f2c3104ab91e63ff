package io.penstock.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The contexts of models, in tokens: the most that a request and its answer can have together. Safe
 * from any thread.
 */
public final class ModelContexts {
  /** The context of a model if none is configured, in tokens. */
  public static final long UNKNOWN = 200_000;

  private volatile Map<String, Long> byModel = Map.of();

  /** Replaces all contexts; the names of models are those that clients use. */
  public void configure(Map<String, Long> contexts) {
    byModel = Map.copyOf(contexts);
  }

  /** Returns the context of a model, which may be asked for by a dated name, in tokens. */
  public long of(@Nullable String model) {
    Map<String, Long> current = byModel;
    String name = model == null ? null : ModelNames.match(current::containsKey, model);
    return name == null ? UNKNOWN : current.getOrDefault(name, UNKNOWN);
  }
}
