package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares a sliding window with a plain list of all releases. */
class SlidingModelTest {
  private static final long WINDOW = 1_000_000;

  private static long since(List<Long> releases, long after) {
    return releases.stream().filter(at -> at > after).count();
  }

  /**
   * Returns the first instant with room for {@code amount}, among those at which a release ends.
   */
  private static long opens(List<Long> releases, long capacity, long amount, long now) {
    long at = now;
    while (since(releases, at - WINDOW) + amount > capacity) {
      long last = at;
      at =
          releases.stream()
              .mapToLong(each -> each + WINDOW)
              .filter(end -> end > last)
              .min()
              .orElseThrow();
    }
    return at;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 5, 63, 64, 65, 130})
  void randomUse_isWhatAListOfAllReleasesSays(long most) {
    for (long seed = 1; seed <= 5; seed++) {
      Random random = new Random(seed);
      long now = random.nextLong(10 * WINDOW);
      long capacity = most;
      Limit limit = new Limit(new LimitSpec.SlidingWindow(capacity, WINDOW), now);
      List<Long> releases = new ArrayList<>();
      List<LimitAnswer.Receipt> receipts = new ArrayList<>();
      for (int step = 0; step < 1_000; step++) {
        now += random.nextLong(1 + 2 * WINDOW / most);
        long ended = now - WINDOW;
        releases.removeIf(at -> at <= ended);
        long amount = 1 + random.nextLong(random.nextBoolean() ? 1 : capacity);
        long free = Math.max(0, capacity - since(releases, now - WINDOW));
        String where = "seed " + seed + " step " + step;
        assertThat(Math.min(capacity, limit.room(now))).as(where).isEqualTo(free);
        assertThat(limit.roomFreeAt(amount, now))
            .as(where)
            .isEqualTo(opens(releases, capacity, amount, now));
        switch (random.nextInt(10)) {
          case 0 -> {
            if (!receipts.isEmpty()) {
              LimitAnswer.Receipt receipt = receipts.remove(random.nextInt(receipts.size()));
              limit.giveBack(receipt, receipt.taken(), 0, now);
              for (long each = 0; each < receipt.taken(); each++) {
                releases.remove((Object) receipt.cell());
              }
            }
          }
          case 1 -> receipts.add(charged(limit, releases, 1 + random.nextLong(3), now));
          case 2 -> {
            capacity = 1 + random.nextLong(most);
            limit.resize(new LimitSpec.SlidingWindow(capacity, WINDOW), now);
          }
          default -> {
            LimitAnswer answer = limit.take(Weight.exactly(amount), now);
            assertThat(answer instanceof LimitAnswer.Receipt).as(where).isEqualTo(amount <= free);
            if (answer instanceof LimitAnswer.Receipt receipt) {
              receipts.add(receipt);
              add(releases, now, amount);
            }
          }
        }
      }
    }
  }

  private static LimitAnswer.Receipt charged(
      Limit limit, List<Long> releases, long amount, long now) {
    add(releases, now, amount);
    return limit.charge(amount, 0, now);
  }

  private static void add(List<Long> releases, long now, long amount) {
    for (long each = 0; each < amount; each++) {
      releases.add(now);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 7, 64, 200, 4_096, 4_097, 10_000})
  void asFastAsItGoes_neverMoreThanTheCapacityInAnyWindow(long capacity) {
    Random random = new Random(capacity);
    Limit limit = new Limit(new LimitSpec.SlidingWindow(capacity, 60 * WINDOW), 0);
    long now = 0;
    List<Long> releases = new ArrayList<>();
    while (releases.size() < 4 * capacity) {
      if (limit.take(Weight.exactly(1), now) instanceof LimitAnswer.Wait wait) {
        now = wait.untilNanos();
      } else {
        releases.add(now);
        now += random.nextLong(1 + 60 * WINDOW / capacity);
      }
    }
    for (int at = (int) capacity; at < releases.size(); at++) {
      long before = releases.get(at - (int) capacity);
      assertThat(releases.get(at) - before).isGreaterThanOrEqualTo(60 * WINDOW);
    }
  }
}
