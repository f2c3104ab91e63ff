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
  private final String life;
  private final Map<String, Long> numbers = new HashMap<>();
  private final Map<String, Long> heard = new HashMap<>();
  private long count;
  private final Map<LimitId, SharedCells> limits = new HashMap<>();

  /**
   * Makes a supply that has granted nothing.
   *
   * @param clock the shared clock
   * @param ttlNanos how long a slice may be spent, and how long a member that is silent lives, ≥ 1
   * @param life which life of the store this is
   */
  public MemorySupply(Ticker clock, long ttlNanos, String life) {
    if (ttlNanos < 1) {
      throw new IllegalArgumentException("ttlNanos is " + ttlNanos + ", expected at least 1");
    }
    this.clock = clock;
    this.ttlNanos = ttlNanos;
    this.life = life;
  }

  @Override
  public CompletionStage<Answer> round(Round round) {
    return CompletableFuture.completedStage(round).thenApply(this::answer);
  }

  private synchronized Answer answer(Round round) {
    round.asks().forEach(this::check);
    long now = clock.nanos();
    List<Grant> grants = new ArrayList<>();
    heard.put(round.member(), now);
    count++;
    if (numbers.getOrDefault(round.member(), Long.MIN_VALUE) < round.number()) {
      numbers.put(round.member(), round.number());
      round.asks().forEach(ask -> grant(ask, round.member(), now, grants));
    }
    limits.values().removeIf(cells -> cells.idle(now, ttlNanos));
    List<Member> members = new ArrayList<>();
    heard.forEach((name, at) -> members.add(new Member(name, now - at)));
    return new Answer(now, life, count, members, grants);
  }

  private void grant(Ask ask, String member, long now, List<Grant> into) {
    SharedCells cells = limits.computeIfAbsent(ask.id(), absent -> new SharedCells(ask.spec()));
    cells.hear(member, ask, now, ttlNanos);
    List<Slice> slices = slices(cells, member, ask, now);
    if (!slices.isEmpty()) {
      into.add(new Grant(ask.id(), cells.capacity(), slices));
    }
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
    long left = ask.head() + ask.wanted();
    long last = cells.cellAt(now + ttlNanos);
    for (long cell = cells.cellAt(now); left > 0 && cell <= last; cell++) {
      long amount = Math.min(left, cells.room(cell));
      if (amount > 0) {
        cells.grant(member, cell, amount);
        slices.add(new Slice(cell, amount));
        left -= amount;
      }
    }
    return slices;
  }
}
