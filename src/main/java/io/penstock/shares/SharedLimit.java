package io.penstock.shares;

import io.penstock.limit.CellGrid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareChange;
import io.penstock.limit.ShareNews;
import io.penstock.limit.ShareStanding;
import io.penstock.limit.SliceDemand;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.time.ZoneMidnights;
import java.time.Instant;
import java.time.LocalDate;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** A limit of this instance that is held to its share of a limit of all. */
public final class SharedLimit implements ShareUser {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long HOUR = 3_600 * SECOND;

  /** For how long after the end of a window, what was spent in it may still count elsewhere. */
  private static final long EDGE_NANOS = 2 * SECOND;

  /** After so many answers in a row, an amount that was not granted counts as unavailable. */
  private static final int DENIALS = 3;

  private final Limit limit;
  private final SliceDemand demand;
  private final WallClock wall;
  private final long permitNanos;

  private long olderSpent;
  private long newerNanos = Long.MIN_VALUE / 2;
  private long newerSpent;
  private int denials;

  /** The day that the share is of. */
  private ShareUse.Cell held = ShareUse.Cell.NONE;

  /**
   * Holds a limit to shares; the first one is 0.
   *
   * @param lease tells whether the share may be spent at an instant
   * @param hurry is run on any thread when the share does not suffice
   * @param permitNanos for how long a permit of an instance that died may be in use
   */
  public SharedLimit(
      Limit limit,
      WallClock wall,
      LongPredicate lease,
      Runnable hurry,
      long permitNanos,
      long now) {
    this.limit = limit;
    this.wall = wall;
    this.permitNanos = permitNanos;
    this.demand = new SliceDemand(hurry);
    limit.sharing().holdShares(lease, demand, now);
  }

  /** Returns whether limits of this kind can be shared. */
  public static boolean shares(LimitSpec spec) {
    return !(spec instanceof LimitSpec.Unlimited);
  }

  /** Holds the limit to no share any more, and lets all that wait look again. */
  public void release(long now) {
    limit.sharing().unshare(now);
    demand.wake();
  }

  @Override
  public synchronized long share(long now) {
    long unixMillis = wall.unixMillis();
    return limit.sharing().standing(grid(unixMillis, now), now).share();
  }

  @Override
  public synchronized ShareUse use(long now) {
    long unixMillis = wall.unixMillis();
    return use(limit.sharing().standing(grid(unixMillis, now), now), unixMillis, now);
  }

  private ShareUse use(ShareStanding standing, long unixMillis, long now) {
    return new ShareUse(
        standing.capacity(),
        standing.least(),
        standing.used(),
        standing.needed(),
        standing.waiting(),
        recent(standing.spent(), now),
        cell(standing.earlier(), unixMillis, now),
        lengthNanos() > HOUR,
        decayNanos(now) / MILLI + 1);
  }

  private long recent(long spent, long now) {
    if (now - newerNanos >= SECOND) {
      olderSpent = newerSpent;
      newerNanos = now;
      newerSpent = spent;
    }
    return spent - (now - newerNanos > 2 * SECOND ? newerSpent : olderSpent);
  }

  private long lengthNanos() {
    return switch (limit.spec()) {
      case LimitSpec.TrailingWindow window -> window.windowNanos();
      case LimitSpec.SlidingWindow window -> window.windowNanos();
      case LimitSpec.FixedWindow window -> window.windowNanos();
      case LimitSpec.Day day -> day.lengthNanos();
      default -> 0;
    };
  }

  private long decayNanos(long now) {
    return switch (limit.spec()) {
      case LimitSpec.TrailingWindow window ->
          window.windowNanos() + window.guardNanos() + 2 * window.subCellNanos() + SECOND;
      case LimitSpec.SlidingWindow window -> window.windowNanos() + window.windowNanos() / 30;
      case LimitSpec.FixedWindow window -> window.windowNanos() + EDGE_NANOS;
      case LimitSpec.Day day -> endOfDay(day, now) - now + day.lengthNanos() + EDGE_NANOS;
      case LimitSpec.Strict strict -> strict.rate().intervalNanos();
      case LimitSpec.Concurrency _ -> permitNanos;
      case LimitSpec.TokenBucket _ -> 0;
      case LimitSpec.Unlimited _ -> 0;
    };
  }

  private ShareUse.Cell cell(long earlier, long unixMillis, long now) {
    return switch (limit.spec()) {
      case LimitSpec.FixedWindow(long capacity, long window) -> {
        long unix = unixMillis * MILLI;
        long since = Math.floorMod(unix, window) / MILLI;
        yield new ShareUse.Cell(Math.floorDiv(unix, window) + 1, 1, earlier, since);
      }
      case LimitSpec.Day day -> {
        ZoneMidnights midnights = day.midnight();
        long late = day.guardNanos() / MILLI;
        yield midnights == null
            ? ShareUse.Cell.NONE
            : cell(midnights, unixMillis - late + aheadMillis(day, now), earlier);
      }
      default -> ShareUse.Cell.NONE;
    };
  }

  /** Returns the time until the day begins in which the limit spends already, 0 if it runs. */
  private long aheadMillis(LimitSpec.Day day, long now) {
    long ends = limit.dayEndsAt(now);
    long wallEnds = endOfDay(day, now);
    return ends != Ticker.NEVER && ends - wallEnds > HOUR ? (wallEnds - now) / MILLI + 1 : 0;
  }

  private static ShareUse.Cell cell(ZoneMidnights midnights, long unixMillis, long earlier) {
    LocalDate date = Instant.ofEpochMilli(unixMillis).atZone(midnights.zone()).toLocalDate();
    boolean daily = midnights.each() == ZoneMidnights.Each.DAY;
    LocalDate first = daily ? date : date.withDayOfMonth(1);
    long number = daily ? date.toEpochDay() : date.getYear() * 12L + date.getMonthValue();
    long begin = first.atStartOfDay(midnights.zone()).toInstant().toEpochMilli();
    return new ShareUse.Cell(number, 1, earlier, unixMillis - begin);
  }

  private static long endOfDay(LimitSpec.Day day, long now) {
    ZoneMidnights midnights = day.midnight();
    return midnights == null
        ? now + LimitSpec.Day.NANOS
        : midnights.after(now - day.guardNanos(), now) + day.guardNanos();
  }

  /** Returns when a later day than that of a share begins. */
  private long laterNanos(ShareUse.Cell of, long now) {
    if (!(limit.spec() instanceof LimitSpec.Day day) || day.midnight() == null) {
      return Ticker.NEVER;
    }
    long ends = endOfDay(day, now); // read before the wall clock, which may turn in between
    return of.isBefore(cell(0, wall.unixMillis(), now)) ? now : ends;
  }

  private @Nullable CellGrid grid(long unixMillis, long now) {
    if (!(limit.spec() instanceof LimitSpec.FixedWindow(long capacity, long window))) {
      return null;
    }
    long unix = unixMillis * MILLI;
    return new CellGrid(Math.floorDiv(unix, window), now - Math.floorMod(unix, window), window);
  }

  @Override
  public synchronized ShareUse shrink(long most, long now) {
    long unixMillis = wall.unixMillis();
    return use(change(most, Long.MAX_VALUE, held, false, unixMillis, now), unixMillis, now);
  }

  @Override
  public synchronized void hold(long share, long later, ShareUse.Cell cell, long now) {
    held = cell;
    change(share, later, cell, true, wall.unixMillis(), now);
  }

  private ShareStanding change(
      long share, long later, ShareUse.Cell cell, boolean raises, long unixMillis, long now) {
    long laterNanos = laterNanos(cell, now);
    CellGrid grid = grid(unixMillis, now);
    return limit
        .sharing()
        .changeShare(new ShareChange(share, later, laterNanos, grid, raises), now);
  }

  @Override
  public void wake() {
    demand.wake();
  }

  /**
   * Takes in what the store said.
   *
   * @param free what no instance has
   * @param isAway whether it has not answered for longer than a lease
   */
  public synchronized void hear(long free, boolean isAway, long now) {
    long unixMillis = wall.unixMillis();
    ShareStanding standing = limit.sharing().standing(grid(unixMillis, now), now);
    boolean lacks = standing.needed() > standing.share();
    denials = lacks && !isAway ? denials + 1 : 0;
    long denied =
        denials < DENIALS
            ? Long.MAX_VALUE
            : Math.max(1, Math.max(0, standing.share() - standing.least()) + free + 1);
    limit.sharing().hear(new ShareNews(free, denied, now, isAway));
    if (standing.waiting() > 0) {
      demand.wakeAfterDenial();
    }
  }
}
