package io.penstock.dispatch;

import io.penstock.cost.Cost;

/** Predicts how much of a request's input is read from a cache. Safe from any thread. */
@FunctionalInterface
public interface CacheForecast {
  /** Returns a cost with the part of its input that is expected to be read from a cache now. */
  Cost expect(Cost cost, long now);
}
