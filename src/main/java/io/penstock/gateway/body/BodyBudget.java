package io.penstock.gateway.body;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Budget for the bytes of all bodies that are in memory at once: being read, waiting, or kept until
 * their upstream answers. A body is read once there is room for all of it; until then its client
 * waits, and nothing is refused for it. Safe from any thread.
 *
 * <ul>
 *   <li>One tenant (a key, or without keys an address) has at most its share of the budget, but may
 *       always have one body.
 *   <li>An eighth of the budget is kept for bodies of at most {@link #SMALL_BYTES}, which first
 *       take from the other seven eighths. A tenant's share of that eighth is counted separately.
 *   <li>A body counts with the length it states. A body that states none counts with {@link
 *       #SMALL_BYTES}, and with twice as much whenever it turns out longer, until it is complete.
 *   <li>Bodies that wait in queues have at most half of the budget, so that others can be read: a
 *       tenant its share, and small bodies an eighth of it for themselves. A body that is larger
 *       than its tenant's share counts with the share there.
 * </ul>
 *
 * <p>The budget covers only a part of the memory that bodies take: in addition there is what the
 * network layer has read ahead, a few pieces for each connection, and what a JSON reader keeps of
 * the value it is reading, about twice its length.
 */
public final class BodyBudget {
  /** The longest body that may use the part kept for small ones. */
  static final long SMALL_BYTES = 64 << 10;

  private static final int KEPT_PART = 8;

  /** Stands for the length of a body that states none. */
  private static final long UNSTATED = -1;

  private final long mostBytes;
  private final BodyPool common;
  private final BodyPool kept;
  private final ParkedBytes parkedCommon;
  private final ParkedBytes parkedKept;
  private final LongAdder late = new LongAdder();
  private final LongAdder unparked = new LongAdder();
  private long waiting;
  private long waitingBytes;
  private long parkedBytes;

  /**
   * Creates a budget.
   *
   * @param mostBytes ≥ 1
   * @param tenantShare the part of it that one tenant may have, above 0 and at most 1
   */
  public BodyBudget(long mostBytes, double tenantShare) {
    if (mostBytes < 1) {
      throw new IllegalArgumentException("mostBytes is " + mostBytes + ", expected at least 1");
    }
    long small = mostBytes / KEPT_PART;
    this.mostBytes = mostBytes;
    long share = (long) (mostBytes * tenantShare);
    long shareOfSmall = (long) (small * tenantShare);
    this.common = new BodyPool(mostBytes - small, share);
    this.kept = new BodyPool(small, shareOfSmall);
    long parked = mostParkedBytes(mostBytes);
    long smallParked = parked / KEPT_PART;
    this.parkedCommon = new ParkedBytes(parked - smallParked, share);
    this.parkedKept = new ParkedBytes(smallParked, shareOfSmall);
  }

  /** Returns an empty claim for one more body of a tenant. */
  public Claim claim(Object tenant) {
    return new Claim(tenant);
  }

  /** Returns the size of the budget. */
  public long mostBytes() {
    return mostBytes;
  }

  /** Returns how many bytes are taken. */
  public synchronized long heldBytes() {
    return common.heldBytes() + kept.heldBytes();
  }

  /** Returns how many bodies wait for room to be read. */
  public synchronized long waiting() {
    return waiting;
  }

  /** Returns how many bytes they wait for. */
  public synchronized long waitingBytes() {
    return waitingBytes;
  }

  /** Returns how many bytes are taken by bodies that wait in queues. */
  public synchronized long parkedBytes() {
    return parkedBytes;
  }

  /**
   * Returns the most bytes that bodies that wait in queues may have together, in a budget of {@code
   * mostBytes}.
   */
  static long mostParkedBytes(long mostBytes) {
    return Math.ceilDiv(mostBytes, 2);
  }

  /** Returns how many bodies came too slowly and were refused. */
  public long late() {
    return late.sum();
  }

  /** Counts a body that came too slowly. */
  public void countLate() {
    late.increment();
  }

  /**
   * Returns how many bodies were refused because other bodies in queues had taken the room there is
   * for those, or for those of the same tenant.
   */
  public long notParked() {
    return unparked.sum();
  }

  /** Returns how many tenants have bytes or wait. */
  synchronized int tenants() {
    return Math.max(
        Math.max(common.tenants(), kept.tenants()),
        Math.max(parkedCommon.tenants(), parkedKept.tenants()));
  }

  private boolean ask(Claim claim, Runnable resume) {
    List<Runnable> resumed = new ArrayList<>();
    boolean granted;
    synchronized (this) {
      granted = !claim.released && !claim.waits && take(claim, resumed);
      claim.resume = granted ? null : resume;
    }
    resumed.forEach(Runnable::run);
    return granted;
  }

  /** Takes the bytes that a claim needs next, or makes it wait; returns whether they were taken. */
  private boolean take(Claim claim, List<Runnable> resumed) {
    claim.grows = claim.pool != null;
    claim.need = claim.grows ? claim.larger() : claim.first();
    if (!claim.grows) {
      if (common.takes(claim)) {
        claim.hold(common, claim.need);
        return true;
      }
      if (claim.small() && kept.takes(claim)) {
        claim.hold(kept, claim.need);
        return true;
      }
    }
    claim.waits = true;
    waiting++;
    waitingBytes += claim.need;
    common.enqueue(claim, claim.held(common));
    if (!claim.grows && claim.small()) {
      kept.enqueue(claim, 0);
    }
    serve(resumed);
    return !claim.waits;
  }

  private void stopWaiting(Claim claim) {
    if (claim.waits) {
      claim.waits = false;
      waiting--;
      waitingBytes -= claim.need;
      common.dequeue(claim, claim.held(common));
      kept.dequeue(claim, 0);
    }
  }

  /** Grants what can be granted now. */
  private void serve(List<Runnable> resumed) {
    serve(common, resumed);
    serve(kept, resumed);
  }

  private void serve(BodyPool pool, List<Runnable> resumed) {
    for (Claim next = pool.next(); next != null; next = pool.next()) {
      stopWaiting(next);
      next.giveBack();
      pool.change(next.tenant, next.need);
      next.hold(pool, next.need);
      pool.turn(next.tenant);
      if (next.resume != null) {
        resumed.add(next.resume);
        next.resume = null;
      }
    }
  }

  /**
   * The part of the budget that one body has. Its count of bytes that were read belongs to one
   * event loop.
   */
  final class Claim {
    private final Object tenant;
    private long statedBytes = UNSTATED;
    private long most = Long.MAX_VALUE;
    private long readBytes;

    /** Number of bytes that may be read before more room has to be asked for. */
    private volatile long mayHoldBytes;

    private long need;
    private boolean grows;
    private boolean waits;
    private @Nullable Runnable resume;
    private @Nullable BodyPool pool;
    private long bytes;
    private @Nullable ParkedBytes parkedIn;
    private boolean released;

    private Claim(Object tenant) {
      this.tenant = tenant;
    }

    /**
     * Sets the length of the body, before anything of it is read.
     *
     * @param stated its length, or negative when it does not state one
     * @param atMost the longest body that is accepted
     */
    void expect(long stated, long atMost) {
      statedBytes = Math.max(stated, UNSTATED);
      most = atMost;
      mayHoldBytes = stated == 0 ? Long.MAX_VALUE : 0;
    }

    /**
     * Returns whether the next piece of the body may be read now. If not, {@code resume} is run
     * once when it may, on the thread that made the room.
     */
    boolean mayRead(Runnable resume) {
      return readBytes < mayHoldBytes || ask(this, resume);
    }

    /** Returns whether the next piece waits for room. Safe from any thread. */
    boolean waitsForMemory() {
      synchronized (BodyBudget.this) {
        return waits;
      }
    }

    /** Counts a piece that was read. */
    void add(long piece) {
      readBytes += piece;
    }

    /** Notes that the body was read to its end. */
    void complete() {
      if (statedBytes == UNSTATED) {
        freeing(this::fit);
      }
    }

    /** Shrinks the bytes taken to those that were read. */
    private void fit() {
      if (!released && pool != null) {
        stopWaiting(this);
        pool.change(tenant, readBytes - bytes);
        bytes = readBytes;
        mayHoldBytes = Long.MAX_VALUE;
      }
    }

    /**
     * Notes that the body, which is complete, waits in a queue. Returns false when bodies in
     * queues, or those of its tenant, already have all they may.
     */
    boolean park() {
      synchronized (BodyBudget.this) {
        if (released || parkedIn != null) {
          return true;
        }
        if (parkedCommon.takes(tenant, bytes)) {
          parkedIn = parkedCommon;
        } else if (bytes <= SMALL_BYTES && parkedKept.takes(tenant, bytes)) {
          parkedIn = parkedKept;
        } else {
          unparked.increment();
          return false;
        }
        parkedBytes += bytes;
        return true;
      }
    }

    /** Notes that the body does not wait in a queue any more. */
    void unpark() {
      synchronized (BodyBudget.this) {
        leaveQueue();
      }
    }

    private void leaveQueue() {
      if (parkedIn != null) {
        parkedIn.giveBack(tenant, bytes);
        parkedIn = null;
        parkedBytes -= bytes;
      }
    }

    /** Returns everything to the budget; nothing can be added any more. */
    void release() {
      freeing(
          () -> {
            stopWaiting(this);
            leaveQueue();
            giveBack();
            released = true;
            mayHoldBytes = 0;
          });
    }

    private void freeing(Runnable change) {
      List<Runnable> resumed = new ArrayList<>();
      synchronized (BodyBudget.this) {
        change.run();
        serve(resumed);
      }
      resumed.forEach(Runnable::run);
    }

    private void hold(BodyPool from, long taken) {
      pool = from;
      bytes = taken;
      mayHoldBytes = taken == statedBytes || taken >= most ? Long.MAX_VALUE : taken;
    }

    private void giveBack() {
      if (pool != null) {
        pool.change(tenant, -bytes);
        pool = null;
        bytes = 0;
      }
    }

    private long held(BodyPool of) {
      return of.equals(pool) ? bytes : 0;
    }

    private long first() {
      return statedBytes == UNSTATED ? Math.min(SMALL_BYTES, most) : statedBytes;
    }

    private long larger() {
      return Math.min(most, Math.max(2 * bytes, readBytes + SMALL_BYTES));
    }

    private boolean small() {
      return first() <= SMALL_BYTES;
    }

    /** Returns the tenant that it counts for. */
    Object tenant() {
      return tenant;
    }

    /** Returns how many bytes it waits for. */
    long need() {
      return need;
    }

    /** Returns whether it has a part of the bytes already and waits for a larger one. */
    boolean grows() {
      return grows;
    }
  }
}
