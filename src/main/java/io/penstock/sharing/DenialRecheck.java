package io.penstock.sharing;

import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore.Count;
import io.penstock.tenant.SharedState;
import io.penstock.time.WallClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the shared count of a limit before each decision, for some time after the limit denied a
 * request: until the end of the denied cell of a fixed window, else for one window from the denied
 * request. At most one fetch runs per limit, and decisions within {@link #FRESH_NANOS} of an answer
 * reuse it. Safe from any thread; no method blocks.
 */
public final class DenialRecheck {
  /** Fetches the counts of other instances for one limit. Safe from any thread; returns at once. */
  @FunctionalInterface
  public interface Fetch {
    /** Returns the sum over all other instances by cell. The stage may fail, or never complete. */
    CompletionStage<List<Count>> others(LimitId id);
  }

  /** Longest wait of a decision for a fetch; after that it uses the counts that are known. */
  public static final long MOST_NANOS = 300_000_000;

  /** Time during which an answer is reused. */
  public static final long FRESH_NANOS = 20_000_000;

  /** Most limits that are remembered at once. Further denied limits are decided without a fetch. */
  static final int MOST = 10_000;

  private static final CompletionStage<Boolean> KNOWN = CompletableFuture.completedStage(true);

  /** State of a limit that denied a request. */
  private static final class Denied {
    private long until;
    private @Nullable CompletableFuture<Boolean> running;
    private long askedAt;
    private boolean answered;
    private long answeredAt;
  }

  private final Predicate<LimitId> counted;
  private final Fetch fetch;
  private final Consumer<List<Count>> merge;
  private final WallClock wall;

  @SharedState("limits")
  private final Map<LimitId, Denied> all = new HashMap<>();

  /**
   * Creates an object without denials.
   *
   * @param counted whether other instances count a limit too, after the fact; other limits are
   *     never fetched
   * @param merge receives the fetched counts before the waiting decisions go on
   * @param wall gives the ends of the cells of fixed windows
   */
  public DenialRecheck(
      Predicate<LimitId> counted, Fetch fetch, Consumer<List<Count>> merge, WallClock wall) {
    this.counted = counted;
    this.fetch = fetch;
    this.merge = merge;
    this.wall = wall;
  }

  /** Remembers that a limit denied a request that arrived at {@code now}. */
  public synchronized void denied(LimitId id, LimitSpec spec, long now) {
    if (!counted.test(id)) {
      return;
    }
    all.values().removeIf(each -> all.size() >= MOST && each.until <= now);
    Denied denied = all.get(id);
    if (denied == null && all.size() < MOST && id.durationNanos() > 0) {
      denied = new Denied();
      all.put(id, denied);
    }
    if (denied != null) {
      denied.until = Math.max(denied.until, until(id, spec, now));
    }
  }

  private long until(LimitId id, LimitSpec spec, long now) {
    long length = id.durationNanos();
    return spec instanceof LimitSpec.FixedWindow
        ? now + length - Math.floorMod(wall.unixMillis() * 1_000_000, length)
        : now + length;
  }

  /**
   * Returns a stage to wait for before a decision about a limit, but no longer than {@link
   * #MOST_NANOS} after {@code now}. It completes with true when the shared count is known, with
   * false when the fetch failed. It is already complete when nothing is to be fetched.
   */
  public CompletionStage<Boolean> refreshBeforeDecision(LimitId id, long now) {
    CompletableFuture<Boolean> mine;
    synchronized (this) {
      Denied denied = all.get(id);
      if (denied == null || denied.until <= now) {
        all.remove(id);
        return KNOWN;
      }
      if (denied.answered && now - denied.answeredAt <= FRESH_NANOS) {
        return KNOWN;
      }
      if (denied.running != null && now - denied.askedAt < MOST_NANOS) {
        return denied.running;
      }
      mine = new CompletableFuture<>();
      denied.running = mine;
      denied.askedAt = now;
    }
    begin(id).whenComplete((others, failure) -> ended(id, mine, now, others));
    return mine;
  }

  private CompletionStage<List<Count>> begin(LimitId id) {
    try {
      return fetch.others(id);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedStage(failure);
    }
  }

  /** Ends a fetch. The age of an answer counts from its request. */
  private void ended(
      LimitId id, CompletableFuture<Boolean> mine, long askedAt, @Nullable List<Count> others) {
    if (others != null) {
      merge.accept(others); // even if late: counts are absolute
    }
    synchronized (this) {
      Denied denied = all.get(id);
      if (denied != null && denied.running != null && denied.askedAt == askedAt) {
        denied.running = null;
        denied.answered = others != null;
        denied.answeredAt = askedAt;
      }
    }
    mine.complete(others != null);
  }
}
