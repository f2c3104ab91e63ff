package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares a limit restored from another one's memory with the other one, which was never ended.
 */
class RestoredStatesLimitTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long HOUR = 3_600 * SECOND;
  private static final long START = 5_000 * HOUR;
  private static final int SEEDS = 200;
  private static final LimitSpec.TrailingWindow TRAILING =
      new LimitSpec.TrailingWindow(100, 60 * SECOND, 50 * MILLI, 10);

  static Stream<LimitSpec> withoutGrid() {
    return Stream.of(
        TRAILING,
        new LimitSpec.TrailingWindow(100, 60 * SECOND, 0, 1L << 60),
        new LimitSpec.SlidingWindow(20, 10 * SECOND),
        new LimitSpec.SlidingWindow(5_000, 10 * SECOND),
        new LimitSpec.TokenBucket(new ExactRate(3, 7), 50));
  }

  static Stream<LimitSpec> all() {
    return Stream.concat(
        withoutGrid(),
        Stream.of(
            new LimitSpec.FixedWindow(100, 10 * SECOND),
            new LimitSpec.Strict(new ExactRate(3, 10), 0),
            new LimitSpec.Strict(new ExactRate(1, 7), 2 * SECOND),
            new LimitSpec.Day(100, null, 50 * MILLI)));
  }

  /** A limit that was used for a while, and the instant of its last use. */
  private static final class Used {
    final Limit limit;
    final Random random;
    long now = START;

    Used(LimitSpec spec, long seed) {
      random = new Random(seed);
      limit = new Limit(spec, now);
      List<LimitAnswer.Receipt> receipts = new ArrayList<>();
      int steps = random.nextInt(200);
      for (int step = 0; step < steps; step++) {
        now += (long) (random.nextDouble() * random.nextDouble() * 3 * SECOND);
        use(receipts);
      }
    }

    private void use(List<LimitAnswer.Receipt> receipts) {
      boolean strict = limit.spec() instanceof LimitSpec.Strict;
      long amount = strict ? 1 : 1 + random.nextLong(20);
      long held = strict || random.nextBoolean() ? 0 : random.nextLong(5);
      if (limit.take(new Weight(amount, held, amount), now)
          instanceof LimitAnswer.Receipt receipt) {
        receipts.add(receipt);
      }
      if (!receipts.isEmpty() && random.nextInt(3) == 0) {
        LimitAnswer.Receipt old = receipts.remove(random.nextInt(receipts.size()));
        limit.giveBack(old, random.nextLong(old.taken() + 1), old.reserved(), now);
      }
      if (!strict && random.nextInt(8) == 0) {
        limit.charge(random.nextLong(5), 0, now);
      }
    }

    /**
     * Returns what is remembered. From then on the reserved output of this limit is charged, too.
     */
    List<ChargedCell> save() {
      List<ChargedCell> cells = limit.cells(now);
      long held = limit.balance(now).reserved();
      limit.charge(held, held, now);
      return cells;
    }
  }

  private static List<ChargedCell> shifted(List<ChargedCell> cells, long nanos) {
    return cells.stream()
        .map(cell -> new ChargedCell(cell.atNanos() + nanos, cell.amount()))
        .toList();
  }

  private static long room(Limit limit, long now) {
    return Math.min(limit.capacity(), limit.room(now));
  }

  /** Clocks are read to the millisecond, and may have been set back by an hour. */
  @ParameterizedTest
  @MethodSource("all")
  void restored_neverHasMoreRoomThanTheOtherOne(LimitSpec spec) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Used used = new Used(spec, seed);
      List<ChargedCell> saved = used.save();
      long late = used.random.nextLong(2 * MILLI) + (seed % 4 == 0 ? HOUR : 0);
      long now = used.now + (seed % 3 == 0 ? 0 : used.random.nextLong(100 * SECOND));
      Limit restored = Limit.restored(spec, shifted(saved, late), now, now);
      for (int step = 0; step < 100; step++) {
        assertThat(room(restored, now))
            .as("%s, seed %d", spec, seed)
            .isLessThanOrEqualTo(room(used.limit, now));
        assertThat(restored.admittedAt(1, now))
            .as("%s, seed %d", spec, seed)
            .isGreaterThanOrEqualTo(used.limit.admittedAt(1, now));
        now += used.random.nextLong(2 * SECOND);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("withoutGrid")
  void whatTheRestoredOneAdmits_theOtherOneWouldHave(LimitSpec spec) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Used used = new Used(spec, seed);
      List<ChargedCell> saved = used.save();
      long now = used.now + used.random.nextLong(20 * SECOND);
      Limit restored = Limit.restored(spec, shifted(saved, MILLI), now, now);
      for (int step = 0; step < 200; step++) {
        now += used.random.nextLong(SECOND);
        Weight weight = Weight.exactly(1 + used.random.nextLong(20));
        if (restored.take(weight, now) instanceof LimitAnswer.Receipt) {
          assertThat(used.limit.take(weight, now))
              .as("%s, seed %d, step %d", spec, seed, step)
              .isInstanceOf(LimitAnswer.Receipt.class);
        }
      }
    }
  }

  /** Another process has another origin of its instants. */
  @ParameterizedTest
  @MethodSource("all")
  void restoredAtAnotherOrigin_neverHasMoreRoom(LimitSpec spec) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Used used = new Used(spec, seed);
      List<ChargedCell> saved = used.save();
      long now = used.now + used.random.nextLong(30 * SECOND);
      long origin = now - used.random.nextLong(10 * SECOND);
      Limit restored =
          Limit.restored(spec, shifted(saved, MILLI - origin), now - origin, now - origin);
      for (int step = 0; step < 50; step++) {
        assertThat(room(restored, now - origin))
            .as("%s, seed %d", spec, seed)
            .isLessThanOrEqualTo(room(used.limit, now));
        now += used.random.nextLong(2 * SECOND);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void restoredAfterAllIsOver_owesNothing(LimitSpec spec) {
    Used used = new Used(spec, 7);
    long now = used.now + 30 * HOUR;
    Limit restored = Limit.restored(spec, used.save(), now, now);
    assertThat(restored.cells(now)).isEmpty();
    assertThat(room(restored, now)).isEqualTo(restored.capacity());
  }

  @ParameterizedTest
  @MethodSource("all")
  void restored_remembersNoLess(LimitSpec spec) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Used used = new Used(spec, seed);
      List<ChargedCell> saved = used.save();
      Limit restored = Limit.restored(spec, saved, used.now, used.now);
      assertThat(restored.cells(used.now)).as("%s, seed %d", spec, seed).isEqualTo(saved);
    }
  }

  @Test
  void heldAtTheSave_isCharged() {
    Limit limit = new Limit(TRAILING, START);
    limit.take(new Weight(3, 4, 3), START);
    List<ChargedCell> cells = limit.cells(START);
    assertThat(cells).extracting(ChargedCell::amount).containsExactly(7L);
    Limit restored = Limit.restored(TRAILING, cells, START, START);
    assertThat(restored.balance(START)).isEqualTo(new LimitBalance(7, 0, 0));
  }

  @Test
  void fewReleases_areRestoredToTheInstant_andMoreThanThatToASubCell() {
    long window = 60 * SECOND;
    List<ChargedCell> cells = List.of(new ChargedCell(START + 1, 4_096));
    LimitSpec few = new LimitSpec.SlidingWindow(4_096, window);
    long now = START + SECOND;
    assertThat(Limit.restored(few, cells, now, now).admittedAt(1, now))
        .isEqualTo(START + 1 + window);
    LimitSpec many = new LimitSpec.SlidingWindow(4_097, window);
    assertThat(Limit.restored(many, cells, now, now).admittedAt(2, now))
        .isBetween(START + 2 + window, START + SECOND + window);
  }

  /**
   * An amount that may pass at once may do so again when it has left the window, without a pace.
   */
  @Test
  void withoutAPace_nothingIsPacedAfterwards() {
    LimitSpec spec = new LimitSpec.TrailingWindow(100, 60 * SECOND, 0, 100);
    Limit limit = new Limit(spec, START);
    limit.take(Weight.exactly(100), START);
    long later = START + 50 * SECOND;
    Limit restored = Limit.restored(spec, limit.cells(later), later, later);
    assertThat(restored.admittedAt(100, later)).isEqualTo(START + 61 * SECOND);
  }

  @Test
  void debt_isStillOwed() {
    LimitSpec spec = new LimitSpec.FixedWindow(100, 10 * SECOND);
    Limit limit = new Limit(spec, START);
    limit.charge(350, 0, START);
    Limit restored =
        Limit.restored(spec, limit.cells(START), START + 11 * SECOND, START + 11 * SECOND);
    assertThat(restored.balance(START + 11 * SECOND)).isEqualTo(new LimitBalance(100, 150, 0));
    assertThat(restored.balance(START + 31 * SECOND)).isEqualTo(new LimitBalance(50, 0, 0));
  }

  @Test
  void running_doesNotSurvive() {
    LimitSpec spec = new LimitSpec.Concurrency(3);
    Limit limit = new Limit(spec, START);
    limit.take(Weight.exactly(2), START);
    assertThat(limit.cells(START)).isEmpty();
    assertThat(room(Limit.restored(spec, List.of(new ChargedCell(START, 2)), START, START), START))
        .isEqualTo(3);
  }

  @Test
  void day_endsWhenItWouldHave() {
    LimitSpec spec = new LimitSpec.Day(2, null, 0);
    Limit limit = new Limit(spec, START);
    limit.take(Weight.exactly(2), START);
    long later = START + 5 * HOUR;
    Limit restored = Limit.restored(spec, limit.cells(later), later, later + HOUR);
    assertThat(restored.admittedAt(1, later + HOUR)).isEqualTo(START + 24 * HOUR);
  }

  @Test
  void dayOfAMidnight_endsAtTheNextMidnightAtTheLatest() {
    long noon = 12 * 3_600_000L;
    LimitSpec spec = new LimitSpec.Day(2, new ZoneMidnights(ZoneOffset.UTC, () -> noon), 0);
    Limit restored =
        Limit.restored(spec, List.of(new ChargedCell(START + 100 * HOUR, 2)), START, START);
    assertThat(restored.admittedAt(1, START)).isEqualTo(START + 12 * HOUR);
  }

  @Test
  void cellsFromAnotherAlgorithm_countAsFarAsTheyCan() {
    LimitSpec strict = new LimitSpec.Strict(new ExactRate(1, 10), 0);
    Limit restored =
        Limit.restored(strict, List.of(new ChargedCell(START - SECOND, 40)), START, START);
    assertThat(restored.admittedAt(1, START)).isEqualTo(START + 9 * SECOND);
  }
}
