package io.penstock.gateway.body;

import io.penstock.gateway.body.BodyBudget.Claim;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * One part of the body budget: how many of its bytes each tenant holds, and which claims wait for
 * some. Guarded by the lock of its {@link BodyBudget}.
 *
 * <p>A tenant holds at most its share, but may always hold one body. Claims of one tenant are
 * granted in order of arrival, and tenants take turns. A claim that lacks only a part of its
 * tenant's share holds up no other tenant. A claim that lacks room in the pool is not overtaken, so
 * that a large body is not passed by smaller ones for ever.
 *
 * <p>A body of unstated length asks again when it turns out longer. Such claims go before others,
 * and what half-read bodies hold that wait like this is not counted against them: they would
 * otherwise wait for each other. With such bodies a tenant may hold twice its share.
 */
final class BodyPool {
  /** What one tenant holds, and its claims that wait. */
  private static final class Tenant {
    private final Object key;
    private final SequencedSet<Claim> growing = new LinkedHashSet<>();
    private final SequencedSet<Claim> arrived = new LinkedHashSet<>();
    private long heldBytes;
    private long stuckBytes;

    Tenant(Object key) {
      this.key = key;
    }

    /** Returns the claim that is granted next, or null. */
    @Nullable Claim head() {
      if (!growing.isEmpty()) {
        return growing.getFirst();
      }
      return arrived.isEmpty() ? null : arrived.getFirst();
    }
  }

  private final long mostBytes;
  private final long shareBytes;

  /** Tenants that hold something, or of which a claim waits. */
  private final Map<Object, Tenant> tenants = new HashMap<>();

  /** Tenants whose next claim fits their share, by when it did: first those whose claim grows. */
  private final SequencedSet<Tenant> growing = new LinkedHashSet<>();

  private final SequencedSet<Tenant> arrived = new LinkedHashSet<>();
  private long heldBytes;
  private long stuckBytes;

  /** Makes a pool of which no tenant holds more than {@code shareBytes}, except for one body. */
  BodyPool(long mostBytes, long shareBytes) {
    this.mostBytes = mostBytes;
    this.shareBytes = shareBytes;
  }

  long heldBytes() {
    return heldBytes;
  }

  int tenants() {
    return tenants.size();
  }

  /** Takes what a new claim needs if there is room and nobody waits before it. */
  boolean takes(Claim claim) {
    Tenant tenant = tenants.get(claim.tenant());
    long ofTenant = tenant == null ? 0 : tenant.heldBytes;
    boolean first =
        growing.isEmpty() && arrived.isEmpty() && (tenant == null || tenant.head() == null);
    if (!first
        || !fits(ofTenant, claim.need(), shareBytes)
        || !fits(heldBytes, claim.need(), mostBytes)) {
      return false;
    }
    change(claim.tenant(), claim.need());
    return true;
  }

  /** Adds what a tenant holds; removes it where that is negative. */
  void change(Object key, long bytes) {
    Tenant tenant = tenants.computeIfAbsent(key, Tenant::new);
    tenant.heldBytes += bytes;
    heldBytes += bytes;
    settle(tenant);
  }

  /**
   * Has a claim wait.
   *
   * @param holding what it holds of this pool already
   */
  void enqueue(Claim claim, long holding) {
    Tenant tenant = tenants.computeIfAbsent(claim.tenant(), Tenant::new);
    (claim.grows() ? tenant.growing : tenant.arrived).add(claim);
    stick(tenant, holding);
  }

  /** Has a claim wait no more; no effect on one that does not. */
  void dequeue(Claim claim, long holding) {
    Tenant tenant = tenants.get(claim.tenant());
    if (tenant != null && (claim.grows() ? tenant.growing : tenant.arrived).remove(claim)) {
      stick(tenant, -holding);
    }
  }

  private void stick(Tenant tenant, long bytes) {
    tenant.stuckBytes += bytes;
    stuckBytes += bytes;
    settle(tenant);
  }

  /** Returns the claim that waits here and may be granted now, or null; it goes on waiting. */
  @Nullable Claim next() {
    SequencedSet<Tenant> ready = growing.isEmpty() ? arrived : growing;
    Claim head = ready.isEmpty() ? null : ready.getFirst().head();
    if (head == null) {
      return null;
    }
    long held = head.grows() ? heldBytes - stuckBytes : heldBytes;
    return fits(held, head.need(), mostBytes) ? head : null;
  }

  /** Has the tenant of a claim that was granted wait behind the others for its next one. */
  void turn(Object key) {
    Tenant tenant = tenants.get(key);
    if (tenant != null) {
      growing.remove(tenant);
      arrived.remove(tenant);
      settle(tenant);
    }
  }

  /** Puts a tenant where it belongs after something of it has changed. */
  private void settle(Tenant tenant) {
    Claim head = tenant.head();
    if (head == null || !fitsShare(tenant, head)) {
      growing.remove(tenant);
      arrived.remove(tenant);
    } else {
      (head.grows() ? arrived : growing).remove(tenant);
      (head.grows() ? growing : arrived).add(tenant);
    }
    if (head == null && tenant.heldBytes == 0) {
      tenants.remove(tenant.key);
    }
  }

  private boolean fitsShare(Tenant tenant, Claim claim) {
    long held = claim.grows() ? tenant.heldBytes - tenant.stuckBytes : tenant.heldBytes;
    return fits(held, claim.need(), shareBytes);
  }

  private static boolean fits(long held, long need, long most) {
    return held == 0 || need <= most - held;
  }
}
