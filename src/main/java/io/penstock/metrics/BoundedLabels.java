package io.penstock.metrics;

import io.penstock.tenant.SharedState;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Values of a label that clients choose: the first ones, up to a maximum, are used as they are, all
 * later ones become {@code other}. Safe from any thread.
 */
final class BoundedLabels {
  /** Label of a missing value. */
  static final String NONE = "none";

  /** Label of values beyond the maximum. */
  static final String OTHER = "other";

  private final int most;

  @SharedState("labels of metrics")
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  @SharedState("labels of metrics")
  private final AtomicInteger count = new AtomicInteger();

  BoundedLabels(int most) {
    this.most = most;
  }

  /** Returns the label of a value; {@link #NONE} for null. */
  String of(@Nullable String value) {
    if (value == null) {
      return NONE;
    }
    if (known.contains(value)) {
      return value;
    }
    if (count.get() >= most) {
      return OTHER;
    }
    return admit(value) ? value : OTHER;
  }

  private synchronized boolean admit(String value) {
    if (known.contains(value)) {
      return true;
    }
    if (count.get() >= most) {
      return false;
    }
    count.incrementAndGet();
    return known.add(value);
  }

  /** Returns whether a value is used as it is. */
  boolean has(String value) {
    return known.contains(value);
  }
}
