package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.START;

import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.time.Midnight;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;

/** Limits of all kinds that are shared exactly. */
final class Kinds {
  /** Zone in which midnight is ten seconds after the start of a {@link World}. */
  private static final ZoneId ZONE =
      ZoneOffset.ofTotalSeconds(
          (int) (86_400 - Math.floorMod((START + 10 * SECOND) / SECOND, 86_400L)));

  static final LimitSpec FIXED = new LimitSpec.FixedWindow(300, 5 * SECOND);
  static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(600, 12 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);
  static final LimitSpec SLIDING = new LimitSpec.SlidingWindow(600, 12 * SECOND);

  /** The members' clocks always show ten seconds to midnight, because they are not asked. */
  static final LimitSpec DAY =
      new LimitSpec.Day(900, new Midnight(ZONE, () -> START / MILLI), 300 * MILLI);

  static final LimitSpec SPAN = new LimitSpec.Day(900, null, 300 * MILLI);
  static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new Rate(40, 1), 300);
  static final LimitSpec STRICT = new LimitSpec.Strict(new Rate(20, 1));
  static final LimitSpec PERMITS = new LimitSpec.Concurrency(40);
  static final List<LimitSpec> ALL =
      List.of(FIXED, TRAILING, SLIDING, DAY, SPAN, BUCKET, STRICT, PERMITS);

  private Kinds() {}

  static LimitSpec draw(Random random) {
    return ALL.get(random.nextInt(ALL.size()));
  }

  /** Returns the largest amount of one request. */
  static long largest(LimitSpec spec) {
    return spec instanceof LimitSpec.Strict || spec instanceof LimitSpec.Concurrency ? 1 : 20;
  }
}
