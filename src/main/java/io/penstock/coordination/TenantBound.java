package io.penstock.coordination;

import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.Map;

/**
 * Count with a bound, and with a bound on the part of each tenant. Used by one thread at a time.
 */
public final class TenantBound {
  /** Result of a request for more. */
  public enum Room {
    /** There is room. */
    FREE,
    /** The bound over all tenants is reached. */
    FULL,
    /** The bound of the tenant is reached. */
    OWN_FULL
  }

  private final long most;
  private final long ownMost;

  @SharedState("coordination objects")
  private final Map<String, Long> byTenant = new HashMap<>();

  private long taken;

  /** Creates a count of 0. */
  public TenantBound(long most, long ownMost) {
    this.most = most;
    this.ownMost = ownMost;
  }

  /** Returns whether a tenant may take so much more; takes nothing. */
  public Room room(String tenant, long amount) {
    if (ownMost < most && byTenant.getOrDefault(tenant, 0L) + amount > ownMost) {
      return Room.OWN_FULL;
    }
    return taken + amount > most ? Room.FULL : Room.FREE;
  }

  /** Adds an amount of a tenant, which is negative for what it gives back. */
  public void add(String tenant, long amount) {
    taken += amount;
    byTenant.merge(tenant, amount, (before, more) -> before + more == 0 ? null : before + more);
  }

  /** Returns the amount taken by all tenants. */
  public long taken() {
    return taken;
  }
}
