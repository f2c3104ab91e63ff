package io.penstock.slices;

import static io.penstock.slices.SliceWorld.PACE;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.TTL;

import io.penstock.cost.Weight;
import io.penstock.limit.CellAmount;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore;
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
  final StoreLives lives = new StoreLives("self", TTL);
  final Limit limit;
  final SliceDemand demand = new SliceDemand(() -> {});
  final SharedLimit shared;
  private final List<SliceStore.Member> others;
  private final LimitId id;
  private long count;
  long stockedNanos = SharedLimit.STOCKED_NANOS;
  boolean learning;

  /** Last cell that the store reports as barred. */
  long barred = SliceStore.Ask.NONE;

  LoneLimit(LimitSpec spec, int members) {
    this(SliceWorld.ID, spec, members);
  }

  LoneLimit(LimitId id, LimitSpec spec, int members) {
    this.id = id;
    others =
        IntStream.range(1, members).mapToObj(each -> SliceFixture.member("m" + each, 0)).toList();
    clock.addReading(NOW, NOW, SHARED, 0);
    limit = new Limit(spec, NOW);
    limit.sharing().share(demand, NOW);
    LimitCells cells = Objects.requireNonNull(LimitCells.of(spec));
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
  SliceStore.Answer hear(long now) {
    SliceStore.Run run = new SliceStore.Run("run", 100 * TTL, Long.MAX_VALUE, Long.MAX_VALUE);
    SliceStore.Answer answer =
        new SliceStore.Answer(
            now - NOW + SHARED, "life", run, ++count, others, List.of(), List.of(), Long.MAX_VALUE);
    lives.apply(answer, now, now, now - NOW + SHARED, false);
    return answer;
  }

  /** Returns the ask at the given instant, and marks it as sent. */
  SliceStore.@Nullable Ask ask(long now) {
    hear(now);
    SliceStore.Ask ask = shared.ask(clock, learning, lives, stockedNanos, now);
    if (ask != null) {
      shared.asked(now);
    }
    return ask;
  }

  SliceStore.Ask asks(long now) {
    return Objects.requireNonNull(ask(now), "an ask");
  }

  /** Returns the ask when the store may know nothing. */
  SliceStore.Ask doubted(long now) {
    shared.markUncertain();
    return asks(now);
  }

  /** Reports everything, and receives an answer that renews the slices. */
  void renew(long now) {
    answer(doubted(now), now);
  }

  static SliceStore.Grant grant(LimitId id, long born, long barred, long... slices) {
    List<CellAmount> all =
        IntStream.range(0, slices.length / 2)
            .mapToObj(each -> new CellAmount(slices[2 * each], slices[2 * each + 1]))
            .toList();
    return new SliceStore.Grant(id, 1_000, born, all, barred, 5, SHARED);
  }

  /** Answers at once an ask sent at the given instant. */
  boolean answer(SliceStore.Ask ask, long now, long... slices) {
    return answer(ask, now, now, grant(id, BORN, barred, slices));
  }

  boolean answer(SliceStore.Ask ask, long sentAt, long now, SliceStore.@Nullable Grant grant) {
    boolean lost = shared.answered(ask, grant, clock, lives, sentAt + TTL, now);
    if (shared.suffices(now)) {
      demand.wake();
    }
    return lost;
  }

  /** Returns whether the amount passes. */
  boolean take(long amount, long now) {
    return limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt;
  }
}
