package io.penstock.quota;

import io.penstock.limit.LimitSpec;
import io.penstock.quota.Counts.Count;
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
 * Has who was denied once be judged by what is shared right now: until the end of the denied cell
 * of a fixed window, or for one window from the denied request, each decision is to be preceded by
 * a fetch of the shared count. One is on its way for a limit at a time, and who comes within {@link
 * #FRESH_NANOS} of an answer shares it. Safe from any thread; nothing here waits.
 */
public final class AfterDenial {
  /** Fetches what others counted of one limit. Safe from any thread; returns at once. */
  @FunctionalInterface
  public interface Fetch {
    /** Returns the sum over all others by cell, or fails; it may never complete. */
    CompletionStage<List<Count>> others(LimitId id);
  }

  /** Who decides waits no longer than this, and then goes by what is known. */
  public static final long MOST_NANOS = 300_000_000;

  /** For how long an answer is as good as a new one. */
  public static final long FRESH_NANOS = 20_000_000;

  /** So many limits are remembered at once: those that are denied beyond are judged as others. */
  static final int MOST = 10_000;

  private static final CompletionStage<Boolean> KNOWN = CompletableFuture.completedStage(true);

  /** One limit that said no. */
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
  private final Map<LimitId, Denied> all = new HashMap<>();

  /**
   * Makes one that knows of no denial.
   *
   * @param counted which limits others count too, after the fact: all others are never fetched
   * @param merge takes in what was fetched, before who waits for it decides
   * @param wall tells when cells of fixed windows end
   */
  public AfterDenial(
      Predicate<LimitId> counted, Fetch fetch, Consumer<List<Count>> merge, WallClock wall) {
    this.counted = counted;
    this.fetch = fetch;
    this.merge = merge;
    this.wall = wall;
  }

  /** Takes note that a limit said no to a request that came at {@code now}. */
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
   * Returns what is to complete before a decision about a limit, at the latest {@link #MOST_NANOS}
   * after {@code now}: true when the shared count is known then, false when it could not be had.
   * Already complete where nothing is to be fetched.
   */
  public CompletionStage<Boolean> before(LimitId id, long now) {
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

  /** An answer is as old as its question. */
  private void ended(
      LimitId id, CompletableFuture<Boolean> mine, long askedAt, @Nullable List<Count> others) {
    if (others != null) {
      merge.accept(others); // late or not: counts are absolute
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
