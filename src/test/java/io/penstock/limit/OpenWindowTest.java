package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.cost.Weight;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** Compares a fixed window that changes in place with an immutable window. */
class OpenWindowTest {
  private static final long WINDOW = 1_000_000;
  private static final long CAPACITY = 100;
  private static final long START = 5_000_000;
  private static final long STEPS = 10_000;

  private static LimitSpec.FixedWindow spec(long capacity) {
    return new LimitSpec.FixedWindow(capacity, WINDOW);
  }

  /** A limit for one thread, on immutable states alone. */
  private static final class Plain {
    private LocalState state = FixedWindowState.starting(spec(CAPACITY), LimitBalance.ZERO, START);

    LimitAnswer take(Weight weight, long now) {
      if (weight.least() > state.capacity()) {
        return new LimitAnswer.Refuse(state.capacity());
      }
      Weight cut = weight.within(state.capacity());
      if (cut.amount() > state.room(now)) {
        return new LimitAnswer.Wait(state.roomFreeAt(cut.amount(), now));
      }
      LocalState.Taken taken = state.take(cut.taken(), cut.reserved(), now);
      state = taken.next();
      return taken.receipt();
    }

    LimitAnswer.Receipt charge(long amount, long released, long now) {
      LocalState.Taken charged = state.charge(amount, released, now);
      state = charged.next();
      return charged.receipt();
    }
  }

  private static long later(Random random, long now) {
    return switch (random.nextInt(12)) {
      case 0 -> now + random.nextLong(3 * WINDOW);
      case 1 -> now + WINDOW;
      case 2 -> Math.max(START, now - random.nextLong(WINDOW / 10));
      case 3 -> now;
      default -> now + random.nextLong(WINDOW / 8);
    };
  }

  private static Weight weight(Random random) {
    long taken = random.nextLong(CAPACITY / 3);
    long held = random.nextInt(6) == 0 ? random.nextLong(CAPACITY / 2) : 0;
    return new Weight(taken, held, random.nextLong(taken + 1));
  }

  @Test
  void randomUse_isThatOfTheStateThatNeverChanges() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      Limit limit = new Limit(spec(CAPACITY), START);
      Plain plain = new Plain();
      List<LimitAnswer.Receipt> receipts = new ArrayList<>();
      long now = START;
      for (int step = 0; step < 300; step++) {
        now = later(random, now);
        String where = "seed " + seed + " step " + step;
        assertSame(limit, plain.state, random, now, where);
        switch (random.nextInt(10)) {
          case 0, 1 -> {
            if (!receipts.isEmpty()) {
              LimitAnswer.Receipt receipt = receipts.remove(random.nextInt(receipts.size()));
              long back = random.nextLong(receipt.taken() + 1);
              limit.giveBack(receipt, back, receipt.reserved(), now);
              plain.state = plain.state.giveBack(receipt.cell(), back, receipt.reserved(), now);
            }
          }
          case 2 -> {
            long amount = random.nextLong(random.nextInt(8) == 0 ? 3 * CAPACITY : 10);
            long released = random.nextInt(4) == 0 ? random.nextLong(5) : 0;
            LimitAnswer.Receipt charged = limit.charge(amount, released, now);
            assertThat(charged).as(where).isEqualTo(plain.charge(amount, released, now));
            receipts.add(charged);
          }
          case 3 -> {
            if (random.nextInt(10) == 0) {
              LimitSpec next = spec(1 + random.nextLong(2 * CAPACITY));
              limit.resize(next, now);
              plain.state =
                  plain.state.spec().equals(next) ? plain.state : become(plain, next, now);
            }
          }
          default -> {
            Weight weight = weight(random);
            LimitAnswer answer = limit.take(weight, now);
            assertThat(answer).as(where).isEqualTo(plain.take(weight, now));
            if (answer instanceof LimitAnswer.Receipt receipt) {
              receipts.add(receipt);
            }
          }
        }
      }
    }
  }

  private static LocalState become(Plain plain, LimitSpec next, long now) {
    return StateFactory.changed(plain.state, next, now);
  }

  private static void assertSame(
      Limit limit, LocalState state, Random random, long now, String where) {
    long room = state.room(now);
    long amount = random.nextLong(state.capacity() + 1);
    assertThat(limit.room(now))
        .as(where)
        .isEqualTo(room >= state.capacity() ? Long.MAX_VALUE : room);
    assertThat(limit.roomFreeAt(amount, now)).as(where).isEqualTo(state.roomFreeAt(amount, now));
    assertThat(limit.balance(now)).as(where).isEqualTo(state.balance(now));
  }

  @Test
  void tenThousandStepsInOneWindow_allocateLessThanAByteEach() {
    Limit limit = new Limit(spec(Long.MAX_VALUE / 4), START);
    Weight weight = Weight.exactly(7);
    assertThat(bytes(now -> assertTrue(limit.take(weight, now) instanceof LimitAnswer.Receipt)))
        .isLessThan(STEPS);
    assertThat(bytes(now -> assertTrue(limit.decide(weight, now) instanceof LimitAnswer.Receipt)))
        .isLessThan(STEPS);
    LimitAnswer.Receipt receipt = limit.charge(7, 0, START);
    assertThat(bytes(now -> limit.giveBack(receipt, 7, 0, now))).isLessThan(STEPS);
    assertThat(bytes(now -> limit.charge(7, 0, now))).isLessThan(STEPS);
    assertThat(limit.balance(START).charged()).isEqualTo(7 * (1 + STEPS));
  }

  private static void assertTrue(boolean held) {
    if (!held) {
      throw new AssertionError("it was not admitted");
    }
  }

  /** Returns the bytes this thread allocates for all steps, linkage at the first step included. */
  private static long bytes(LongConsumer step) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int at = 0; at < STEPS; at++) {
      step.accept(START);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
