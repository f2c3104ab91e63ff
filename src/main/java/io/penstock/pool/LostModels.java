package io.penstock.pool;

import io.penstock.tenant.SharedState;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The models that an upstream has served, and which of them it does not know any more: a provider
 * may have retired one, or taken it from the account. Names that were never served do not count,
 * because clients invent some. Safe from any thread.
 */
final class LostModels {
  /** Most models that are remembered: more than any provider has. */
  static final int MOST = 1_000;

  /** Whether a model is lost, by the upstream's own name for it. */
  @SharedState("models that were served")
  private final ConcurrentMap<String, Boolean> served = new ConcurrentHashMap<>();

  /** Notes that a model was served. */
  void served(String model) {
    Boolean lost = served.get(model);
    if (lost == null ? served.size() < MOST : lost) {
      served.put(model, false);
    }
  }

  /** Notes that the upstream does not know a model. */
  void notFound(String model) {
    served.replace(model, true);
  }

  /** Returns whether a model was served, and is not known any more. */
  boolean isLost(String model) {
    return served.getOrDefault(model, false);
  }

  /** Returns the number of such models. */
  long count() {
    return served.values().stream().filter(lost -> lost).count();
  }

  /** Forgets all models: the upstream may be another one. */
  void forget() {
    served.clear();
  }
}
