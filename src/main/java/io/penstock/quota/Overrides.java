package io.penstock.quota;

import java.util.Map;

/** What an operator said models may be asked, in the place of what is configured. */
public interface Overrides {
  /** Returns all of them, by model. Safe from any thread. */
  Map<String, ModelLimits> overrides();

  /** Takes over those of an earlier process; before any request comes. */
  void restore(Map<String, ModelLimits> overrides, long now);
}
