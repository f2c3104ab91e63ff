package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.START;

import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;

/** Limits of all kinds that are shared exactly. */
final class LimitKinds {
  /** Zone in which midnight is ten seconds after the start of a {@link SliceWorld}. */
  private static final ZoneId ZONE =
      ZoneOffset.ofTotalSeconds(
          (int) (86_400 - Math.floorMod((START + 10 * SECOND) / SECOND, 86_400L)));

  static final LimitSpec FIXED = new LimitSpec.FixedWindow(300, 5 * SECOND);
  static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(600, 12 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);
  static final LimitSpec SLIDING = new LimitSpec.SlidingWindow(600, 12 * SECOND);

  /** The members' clocks always show ten seconds to midnight, because they are not asked. */
  static final LimitSpec DAY =
      new LimitSpec.Day(900, new ZoneMidnights(ZONE, () -> START / MILLI), 300 * MILLI);

  static final LimitSpec SPAN = new LimitSpec.Day(900, null, 300 * MILLI);
  static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new ExactRate(40, 1), 300);
  static final LimitSpec STRICT = new LimitSpec.Strict(new ExactRate(20, 1), 0);
  static final LimitSpec PERMITS = new LimitSpec.Concurrency(40);
  static final List<LimitSpec> ALL =
      List.of(FIXED, TRAILING, SLIDING, DAY, SPAN, BUCKET, STRICT, PERMITS);

  private LimitKinds() {}

  static LimitSpec draw(Random random) {
    return ALL.get(random.nextInt(ALL.size()));
  }

  /** Returns the largest amount of one request. */
  static long largest(LimitSpec spec) {
    return spec instanceof LimitSpec.Strict || spec instanceof LimitSpec.Concurrency ? 1 : 20;
  }
}
