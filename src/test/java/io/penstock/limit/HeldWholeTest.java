package io.penstock.limit;

import static io.penstock.limit.HeldLimit.MINUTE;
import static io.penstock.limit.HeldLimit.SECOND;
import static io.penstock.limit.HeldLimit.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A limit that is held to a share of all of it behaves like the same limit without shares. */
class HeldWholeTest {
  private static final int RUNS = 40;
  private static final int STEPS = 200;

  /** Kinds of limits. */
  enum Kind {
    TRAILING,
    PACED,
    SLIDING,
    SLIDING_CELLS,
    FIXED,
    DAY,
    MONTH,
    FIRST_USE,
    PERMITS,
    BUCKET,
    STRICT,
    STRICT_EARLY;

    LimitSpec spec(HeldLimit.Clock clock) {
      long unpaced = LimitSpec.TrailingWindow.UNPACED;
      return switch (this) {
        case TRAILING -> new LimitSpec.TrailingWindow(100, MINUTE, 0, unpaced);
        case PACED -> new LimitSpec.TrailingWindow(100, MINUTE, SECOND, 10);
        case SLIDING -> new LimitSpec.SlidingWindow(100, MINUTE);
        case SLIDING_CELLS -> new LimitSpec.SlidingWindow(5_000, MINUTE);
        case FIXED -> new LimitSpec.FixedWindow(100, MINUTE);
        case DAY -> new LimitSpec.Day(100, clock.midnights(Each.DAY), 0);
        case MONTH -> new LimitSpec.Day(100, clock.midnights(Each.MONTH), 0);
        case FIRST_USE -> new LimitSpec.Day(100, null, 0);
        case PERMITS -> new LimitSpec.Concurrency(100);
        case BUCKET -> new LimitSpec.TokenBucket(new ExactRate(7, 3), 100);
        case STRICT -> new LimitSpec.Strict(new ExactRate(7, 3), 0);
        case STRICT_EARLY -> new LimitSpec.Strict(new ExactRate(70, 3), 3_000_000);
      };
    }

    long longestStep() {
      return this == DAY || this == FIRST_USE
          ? 600 * MINUTE
          : this == MONTH ? 20_000 * MINUTE : MINUTE / 4;
    }
  }

  /** One limit twice. */
  private static final class Both {
    private final Random random;
    private final HeldLimit.Clock clock = new HeldLimit.Clock();
    private final Limit alone;
    private final HeldLimit held;
    private final List<LimitAnswer.Receipt> ofAlone = new ArrayList<>();

    Both(Kind kind, long seed) {
      random = new Random(seed);
      held = new HeldLimit(kind.spec(clock), clock);
      alone = new Limit(held.limit.spec(), HeldLimit.BEGIN);
      hold(HeldLimit.BEGIN);
    }

    /** Holds it to all of the limit; a fixed window begins when the other one does. */
    void hold(long now) {
      hold(
          alone.state().local().frozen() instanceof FixedWindowState window ? window.start() : now,
          now);
    }

    private void hold(long begin, long now) {
      long all = alone.capacity();
      long since = begin + Math.floorDiv(now - begin, MINUTE) * MINUTE;
      long grid = held.limit.spec() instanceof LimitSpec.FixedWindow ? since : Ticker.NEVER;
      boolean calendar = held.limit.spec() instanceof LimitSpec.Day day && day.midnight() != null;
      long ends = calendar ? alone.dayEndsAt(now) : Ticker.NEVER;
      held.standing(now); // sets the clock
      held.limit.sharing().changeShare(new ShareChange(all, all, ends, grid, true), now);
    }

    void step(long now) {
      switch (random.nextInt(6)) {
        case 0 -> charge(now);
        case 1, 2 -> giveBack(now);
        default -> take(now);
      }
    }

    private void charge(long now) {
      long amount = random.nextLong(20);
      long released = random.nextLong(5);
      assertThat(held.limit.charge(amount, released, now))
          .isEqualTo(alone.charge(amount, released, now));
    }

    private void take(long now) {
      long amount = random.nextLong(alone.capacity() / 3 + 1) + 1;
      long reserved = alone.capacity() == 1 ? 0 : random.nextLong(amount);
      Weight weight = new Weight(amount, reserved, random.nextLong(amount + 1));
      if (alone.balance(now).equals(LimitBalance.ZERO)) {
        hold(now, now); // the first use begins a fixed window
      }
      assertThat(held.limit.decide(weight, now)).isEqualTo(alone.decide(weight, now));
      LimitAnswer expected = alone.take(weight, now);
      assertThat(held.limit.take(weight, now)).isEqualTo(expected);
      if (expected instanceof LimitAnswer.Receipt receipt) {
        ofAlone.add(receipt);
      }
    }

    private void giveBack(long now) {
      if (!ofAlone.isEmpty()) {
        LimitAnswer.Receipt receipt = ofAlone.remove(random.nextInt(ofAlone.size()));
        long taken = random.nextLong(receipt.taken() + 1);
        alone.giveBack(receipt, taken, receipt.reserved(), now);
        held.limit.giveBack(receipt, taken, receipt.reserved(), now);
      }
    }

    void compare(long now) {
      assertThat(held.limit.balance(now)).isEqualTo(alone.balance(now));
      assertThat(held.limit.room(now)).isEqualTo(alone.room(now));
      assertThat(held.limit.utilization(now)).isEqualTo(alone.utilization(now));
      assertThat(held.limit.remainder(now)).isEqualTo(alone.remainder(now));
      assertThat(held.limit.fullyFreeAt(now)).isEqualTo(alone.fullyFreeAt(now));
      for (long amount : new long[] {0, 1, alone.capacity() / 2, alone.capacity()}) {
        assertThat(held.limit.paceAllowsAt(amount, now)).isEqualTo(alone.paceAllowsAt(amount, now));
        assertThat(held.limit.roomFreeAt(amount, now)).isEqualTo(alone.roomFreeAt(amount, now));
        assertThat(held.limit.admittedAt(amount, now)).isEqualTo(alone.admittedAt(amount, now));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void heldToAll_behavesLikeTheLimitAlone(Kind kind) {
    for (long seed = 0; seed < RUNS; seed++) {
      Both both = new Both(kind, seed);
      long now = START;
      for (int step = 0; step < STEPS; step++) {
        now += both.random.nextLong(kind.longestStep());
        both.hold(now);
        both.step(now);
        both.hold(now);
        both.compare(now);
      }
    }
  }
}
