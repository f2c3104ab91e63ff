package io.penstock.sync;

import static io.penstock.sync.World.PACE;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.TTL;

import io.penstock.cost.Weight;
import io.penstock.limit.Answer;
import io.penstock.limit.Demand;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.Supply;
import io.penstock.time.CellClock;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One shared limit of one instance, with the test as its store. */
final class LoneLimit {
  static final long NOW = 1_000 * SECOND;

  /** Shared clock now: 500 s into a window of 10,000 s. */
  static final long SHARED = 1_700_000_500 * SECOND;

  /** Running window of 10,000 s. */
  static final long CELL = 170_000;

  static final long BORN = 7;

  final CellClock clock = new CellClock();
  final Lives lives = new Lives("self", TTL);
  final Limit limit;
  final Demand demand = new Demand(() -> {});
  final SharedLimit shared;
  private final List<Supply.Member> others;
  private final LimitId id;
  private long count;
  long stockedNanos = SharedLimit.STOCKED_NANOS;
  boolean learning;

  /** Last cell that the store reports as barred. */
  long barred = Supply.Ask.NONE;

  LoneLimit(LimitSpec spec, int members) {
    this(World.ID, spec, members);
  }

  LoneLimit(LimitId id, LimitSpec spec, int members) {
    this.id = id;
    others =
        IntStream.range(1, members).mapToObj(each -> new Supply.Member("m" + each, 0)).toList();
    clock.heard(NOW, NOW, SHARED, 0);
    limit = new Limit(spec, NOW);
    limit.share(demand, NOW);
    Cells cells = Objects.requireNonNull(Cells.of(spec));
    shared = new SharedLimit(id, limit, demand, cells, PACE, NOW);
  }

  /** Returns a limit known to the store, with these slices, by cell, granted at first. */
  static LoneLimit known(LimitSpec spec, int members, long... slices) {
    LoneLimit lone = new LoneLimit(spec, members);
    lone.answer(lone.asks(NOW), NOW, slices);
    return lone;
  }

  /** Returns a limit that lacked the given amount at first, and was granted twice that. */
  static LoneLimit stocked(LimitId id, LimitSpec spec, long lacked) {
    LoneLimit lone = new LoneLimit(id, spec, 1);
    lone.answer(lone.asks(NOW), NOW);
    lone.take(lacked, NOW);
    lone.answer(lone.asks(NOW), NOW, CELL, 2 * lacked);
    return lone;
  }

  /** Makes all other members be heard at the given instant. */
  Supply.Answer hear(long now) {
    Supply.Run run = new Supply.Run("run", 100 * TTL, Long.MAX_VALUE, Long.MAX_VALUE);
    Supply.Answer answer =
        new Supply.Answer(
            now - NOW + SHARED, "life", run, ++count, others, List.of(), List.of(), Long.MAX_VALUE);
    lives.hear(answer, now, now, now - NOW + SHARED, false);
    return answer;
  }

  /** Returns the ask at the given instant, and marks it as sent. */
  Supply.@Nullable Ask ask(long now) {
    hear(now);
    Supply.Ask ask = shared.ask(clock, learning, lives, stockedNanos, now);
    if (ask != null) {
      shared.asked(now);
    }
    return ask;
  }

  Supply.Ask asks(long now) {
    return Objects.requireNonNull(ask(now), "an ask");
  }

  /** Returns the ask when the store may know nothing. */
  Supply.Ask doubted(long now) {
    shared.doubt();
    return asks(now);
  }

  /** Reports everything, and receives an answer that renews the slices. */
  void renew(long now) {
    answer(doubted(now), now);
  }

  static Supply.Grant grant(LimitId id, long born, long barred, long... slices) {
    List<Supply.Slice> all =
        IntStream.range(0, slices.length / 2)
            .mapToObj(each -> new Supply.Slice(slices[2 * each], slices[2 * each + 1]))
            .toList();
    return new Supply.Grant(id, 1_000, born, all, barred, 5, SHARED);
  }

  /** Answers at once an ask sent at the given instant. */
  boolean answer(Supply.Ask ask, long now, long... slices) {
    return answer(ask, now, now, grant(id, BORN, barred, slices));
  }

  boolean answer(Supply.Ask ask, long sentAt, long now, Supply.@Nullable Grant grant) {
    boolean lost = shared.answered(ask, grant, clock, lives, sentAt + TTL, now);
    if (shared.suffices(now)) {
      demand.wake();
    }
    return lost;
  }

  /** Returns whether the amount passes. */
  boolean take(long amount, long now) {
    return limit.take(Weight.exactly(amount), now) instanceof Answer.Receipt;
  }
}
