package io.penstock.gateway.body;

import io.penstock.gateway.body.BodyBudget.Claim;
import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * One part of the body budget: how many of its bytes each tenant has, and which claims wait for
 * some. Guarded by the lock of its {@link BodyBudget}.
 *
 * <p>A tenant has at most its share, but may always have one body. Claims of one tenant are granted
 * in order of arrival, and tenants take turns. A claim that waits only because of its tenant's
 * share does not delay other tenants. A claim that waits for room in the pool is not overtaken, so
 * that smaller bodies cannot keep a large one waiting for ever.
 *
 * <p>A body of unstated length asks again when it turns out longer. Such claims go before others,
 * and the bytes of half-read bodies that wait like this are not counted against them: otherwise
 * they would wait for each other. With such bodies a tenant may have twice its share.
 */
final class BodyPool {
  /** The bytes of one tenant, and its claims that wait. */
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

  /** Tenants that have bytes or claims that wait. */
  @SharedState("bodies")
  private final Map<Object, Tenant> tenants = new HashMap<>();

  /**
   * Tenants with a next claim that fits their share, in the order in which it came to fit; those
   * with a claim that grows go first.
   */
  @SharedState("bodies")
  private final SequencedSet<Tenant> growing = new LinkedHashSet<>();

  @SharedState("bodies")
  private final SequencedSet<Tenant> arrived = new LinkedHashSet<>();

  private long heldBytes;
  private long stuckBytes;

  /** Creates a pool in which no tenant has more than {@code shareBytes}, except for one body. */
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

  /** Takes the bytes for a new claim if there is room and no other claim waits before it. */
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

  /** Adds to the bytes of a tenant; a negative number removes some. */
  void change(Object key, long bytes) {
    Tenant tenant = tenants.computeIfAbsent(key, Tenant::new);
    tenant.heldBytes += bytes;
    heldBytes += bytes;
    settle(tenant);
  }

  /**
   * Adds a claim to those that wait.
   *
   * @param holding bytes of this pool that it has already
   */
  void enqueue(Claim claim, long holding) {
    Tenant tenant = tenants.computeIfAbsent(claim.tenant(), Tenant::new);
    (claim.grows() ? tenant.growing : tenant.arrived).add(claim);
    stick(tenant, holding);
  }

  /** Removes a claim from those that wait; no effect if it does not wait. */
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

  /**
   * Returns the claim that waits here and may be granted now, or null; the claim stays in its
   * place.
   */
  @Nullable Claim next() {
    SequencedSet<Tenant> ready = growing.isEmpty() ? arrived : growing;
    Claim head = ready.isEmpty() ? null : ready.getFirst().head();
    if (head == null) {
      return null;
    }
    long reserved = head.grows() ? heldBytes - stuckBytes : heldBytes;
    return fits(reserved, head.need(), mostBytes) ? head : null;
  }

  /** Moves the tenant of a claim that was granted behind the others for its next claim. */
  void turn(Object key) {
    Tenant tenant = tenants.get(key);
    if (tenant != null) {
      growing.remove(tenant);
      arrived.remove(tenant);
      settle(tenant);
    }
  }

  /** Moves a tenant to the right place after its claims or bytes have changed. */
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
    long reserved = claim.grows() ? tenant.heldBytes - tenant.stuckBytes : tenant.heldBytes;
    return fits(reserved, claim.need(), shareBytes);
  }

  private static boolean fits(long reserved, long need, long most) {
    return reserved == 0 || need <= most - reserved;
  }
}
