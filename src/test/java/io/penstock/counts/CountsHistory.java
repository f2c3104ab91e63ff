package io.penstock.counts;

import io.penstock.cost.LimitMeasure;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random history of the counts of several writers for some limits, each with several measures and
 * windows. Counts grow, are repeated, arrive late, and reach the largest possible value, while time
 * passes.
 */
final class CountsHistory {
  private static final long MINUTE_MILLIS = 60_000;
  private static final long DAY_MILLIS = 1_440 * MINUTE_MILLIS;
  private static final List<String> WRITERS = List.of("a.1", "b|c:d", "\u00e9 %", "d");

  /**
   * One exchange.
   *
   * @param unixMillis time of the store
   * @param all whether the store has lost all data before
   */
  record Step(long unixMillis, boolean all, String writer, List<Count> own) {}

  private final Random random;
  private final List<LimitId> ids = new ArrayList<>();
  private final Map<String, Long> amounts = new HashMap<>();
  private final int hurry;
  private long now;

  CountsHistory(long seed, int limits) {
    random = new Random(seed);
    now = 1_700_000_000_000L + random.nextLong(DAY_MILLIS);
    hurry = 1 + random.nextInt(8);
    for (int i = 0; i < limits; i++) {
      String name = "k " + seed + ":" + i;
      for (long millis : List.of(1L, 7_777L, MINUTE_MILLIS, DAY_MILLIS)) {
        for (LimitMeasure measure : List.of(LimitMeasure.TOKENS, LimitMeasure.REQUESTS)) {
          ids.add(new LimitId(LimitId.Kind.KEY, name, "", measure, millis * 1_000_000));
        }
      }
    }
  }

  /** Returns the name of the limit; of the first one when there are several. */
  String limit() {
    return ids.getFirst().text();
  }

  /**
   * Returns the next exchange.
   *
   * @param harm whether the store may lose all data, and its clock may be set back
   */
  Step next(boolean harm) {
    now += random.nextInt(3) == 0 ? random.nextLong(MINUTE_MILLIS) * hurry : random.nextLong(3);
    boolean set = harm && random.nextInt(12) == 0;
    now -= set ? random.nextLong(random.nextBoolean() ? DAY_MILLIS : 3 * MINUTE_MILLIS) : 0;
    now += random.nextInt(30) == 0 ? random.nextLong(DAY_MILLIS) : 0;
    String writer = WRITERS.get(random.nextInt(WRITERS.size()));
    List<Count> own = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      own.add(count(writer));
    }
    return new Step(now, harm && random.nextInt(40) == 0, writer, own);
  }

  private Count count(String writer) {
    LimitId id = ids.get(random.nextInt(ids.size()));
    long cell = now * 1_000_000 / id.durationNanos() + 1 - random.nextInt(4);
    String counted = id.text() + " " + id.field() + " " + cell + " " + writer;
    long last = amounts.getOrDefault(counted, 0L);
    long more = random.nextInt(20) == 0 ? random.nextLong(Long.MAX_VALUE) : random.nextLong(200);
    long amount = last > Long.MAX_VALUE - more ? Long.MAX_VALUE : last + more;
    amounts.put(counted, amount);
    return new Count(
        id, cell, random.nextInt(5) == 0 ? amount - random.nextLong(amount | 1) : amount);
  }
}
