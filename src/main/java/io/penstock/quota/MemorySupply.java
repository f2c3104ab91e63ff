package io.penstock.quota;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Slices for the members within one process. Slices limits with windows; a round that asks for
 * another kind of limit, or for a window other members have at another length, fails as a whole and
 * changes nothing.
 */
public final class MemorySupply implements Supply {
  private final Ticker clock;
  private final long ttlNanos;
  private final long epoch;
  private final Map<LimitId, SharedCells> limits = new HashMap<>();

  /**
   * Makes a supply that has granted nothing.
   *
   * @param clock the shared clock
   * @param ttlNanos how long a slice may be spent, and how long a member that is silent lives, ≥ 1
   * @param epoch which life of the store this is
   */
  public MemorySupply(Ticker clock, long ttlNanos, long epoch) {
    if (ttlNanos < 1) {
      throw new IllegalArgumentException("ttlNanos is " + ttlNanos + ", expected at least 1");
    }
    this.clock = clock;
    this.ttlNanos = ttlNanos;
    this.epoch = epoch;
  }

  @Override
  public CompletionStage<Answer> round(Round round) {
    return CompletableFuture.completedStage(round).thenApply(this::answer);
  }

  private synchronized Answer answer(Round round) {
    round.asks().forEach(this::check);
    long now = clock.nanos();
    List<Grant> grants = new ArrayList<>();
    for (Ask ask : round.asks()) {
      SharedCells cells = limits.computeIfAbsent(ask.id(), absent -> new SharedCells(ask.spec()));
      cells.hear(round.member(), ask, now, ttlNanos);
      List<Slice> slices = slices(cells, round.member(), ask, now);
      if (!slices.isEmpty()) {
        grants.add(new Grant(ask.id(), slices));
      }
    }
    limits.values().removeIf(cells -> cells.idle(now, ttlNanos));
    return new Answer(now, grants);
  }

  private void check(Ask ask) {
    if (!SharedCells.sliceable(ask.spec())) {
      throw new IllegalArgumentException(ask.id() + " has no window, expected one to slice");
    }
    SharedCells known = limits.get(ask.id());
    if (known != null && !known.fits(ask.spec())) {
      throw new IllegalArgumentException(
          ask.id() + " has another window here, expected the one other members said");
    }
  }

  private List<Slice> slices(SharedCells cells, String member, Ask ask, long now) {
    List<Slice> slices = new ArrayList<>();
    long left = ask.wanted();
    long last = cells.cellAt(now + ttlNanos);
    for (long cell = cells.cellAt(now); left > 0 && cell <= last; cell++) {
      long amount = Math.min(left, cells.room(cell));
      if (amount > 0) {
        cells.grant(member, cell, amount);
        slices.add(new Slice(cell, amount, ttlNanos, epoch));
        left -= amount;
      }
    }
    return slices;
  }
}
