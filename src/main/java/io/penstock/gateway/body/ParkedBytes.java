package io.penstock.gateway.body;

import io.penstock.queue.DynamicThreshold;
import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.Map;

/**
 * One part of the bytes that bodies in queues may have, and how many of them each tenant has.
 * Guarded by the lock of its {@link BodyBudget}.
 *
 * <p>A tenant has at most its share, and at most what a {@link DynamicThreshold} leaves to it. A
 * body that is larger than the share counts with the share: so a tenant may always have one body,
 * and leaves room for those of others.
 */
final class ParkedBytes {
  private final long mostBytes;
  private final long shareBytes;

  @SharedState("bodies")
  private final Map<Object, Long> ofTenant = new HashMap<>();

  private long heldBytes;

  /**
   * Creates a part in which a tenant has at most {@code shareBytes}, and leaves room for others.
   */
  ParkedBytes(long mostBytes, long shareBytes) {
    this.mostBytes = mostBytes;
    this.shareBytes = Math.min(shareBytes, DynamicThreshold.ofOneAlone(mostBytes));
  }

  /**
   * Takes the bytes of a body; returns false, and takes nothing, if its tenant may not have them.
   */
  boolean takes(Object tenant, long bytes) {
    long counted = counted(bytes);
    long own = ofTenant.getOrDefault(tenant, 0L) + counted;
    long free = mostBytes - heldBytes - counted;
    boolean first = heldBytes == 0 || bytes == 0;
    if (!first && (own > shareBytes || DynamicThreshold.isExceeded(own, free))) {
      return false;
    }
    change(tenant, counted);
    return true;
  }

  /** Gives back the bytes of a body. */
  void giveBack(Object tenant, long bytes) {
    change(tenant, -counted(bytes));
  }

  private long counted(long bytes) {
    return Math.min(bytes, shareBytes);
  }

  private void change(Object tenant, long bytes) {
    heldBytes += bytes;
    if (ofTenant.merge(tenant, bytes, Long::sum) == 0) {
      ofTenant.remove(tenant);
    }
  }

  /** Returns how many tenants have bytes. */
  int tenants() {
    return ofTenant.size();
  }
}
