package io.penstock.shares;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.OutageCap;
import io.penstock.limit.ShareChange;
import io.penstock.limit.ShareDemand;
import io.penstock.limit.ShareNews;
import io.penstock.limit.ShareStanding;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** A limit of this instance that is held to its share of a limit of all. */
public final class SharedLimit implements ShareUser {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long HOUR = 3_600 * SECOND;
  private static final long DAY_MILLIS = LimitSpec.Day.NANOS / MILLI;

  /** For how long after the end of a window, what was spent in it may still count elsewhere. */
  private static final long EDGE_NANOS = 2 * SECOND;

  /** After so many answers in a row, an amount that was not granted counts as unavailable. */
  private static final int DENIALS = 3;

  /** The smallest capacity that the store could not add up exactly. */
  private static final long TOO_MUCH = 1L << 43;

  /**
   * Terms of all limits.
   *
   * @param onOutage what happens when the store has not answered for a lease
   * @param divides whether an instance without a share takes an equal part of a limit then
   * @param servesAlone whether it does so, too, before it has heard the store at all: then all
   * @param permitNanos for how long a permit of an instance that died may be in use
   */
  public record Terms(
      OutagePolicy onOutage, boolean divides, boolean servesAlone, long permitNanos) {}

  /** A limit that is not shared any more: what was spent of it until then. */
  private record Released(long spent, long untilNanos, ShareUse last) {
    long least(long now) {
      return now < untilNanos ? spent : 0;
    }

    ShareUse use(long now) {
      long least = least(now);
      return new ShareUse(
          last.capacity(),
          least,
          least,
          0,
          0,
          0,
          now < untilNanos ? last.cell() : ShareUse.Cell.NONE,
          last.isLong(),
          Math.max(0, untilNanos - now) / MILLI + 1);
    }
  }

  private final Limit limit;
  private final ShareDemand demand;
  private final UnixTime time;
  private final Terms terms;

  private long olderSpent;
  private long newerNanos = Long.MIN_VALUE / 2;
  private long newerSpent;
  private int denials;
  private boolean divided;

  /** Whether it is away, and was never heard, and this instance serves all the same. */
  private volatile boolean alone;

  private @Nullable Released released;

  /** When the day began, with its first use, that runs; 0 when none runs. */
  private long begunMillis;

  /** When the last such day ended. */
  private long endedMillis;

  /** The day that the share is of. */
  private ShareUse.Cell held = ShareUse.Cell.NONE;

  /**
   * Holds a limit to shares; the first one is 0.
   *
   * @param hurry is run on any thread when the share does not suffice
   */
  public SharedLimit(
      Limit limit, UnixTime time, ShareLease lease, Runnable hurry, Terms terms, long now) {
    this.limit = limit;
    this.time = time;
    this.terms = terms;
    this.demand = new ShareDemand(hurry);
    limit.sharing().holdShares(at -> alone || lease.holds(at), demand, now);
  }

  /** Returns whether a limit can be shared. One that is too high to be reached need not be. */
  public static boolean shares(LimitSpec spec) {
    return spec.capacity() < TOO_MUCH;
  }

  /**
   * Leaves the limit to another holder. From now on, this object only states what was spent of it
   * until now. Those that wait must be {@linkplain #wake woken} once the other one holds it.
   */
  public synchronized void leave(long now) {
    ShareUse last = use(now);
    released = new Released(last.least(), now + decayNanos(now), last);
  }

  /** Holds the limit to no share any more, and lets all that wait look again. */
  public void release(long now) {
    leave(now);
    limit.sharing().unshare(now);
    wake();
  }

  /** Lets nothing more be spent, whatever happens to the store; the spent amount counts on. */
  public synchronized void end(long now) {
    alone = false;
    shrink(0, now);
    limit.sharing().rejoin();
  }

  @Override
  public void contact(ShareNews.Contact contact, long members, long now) {
    synchronized (this) {
      if (released != null) {
        return;
      }
      limit.sharing().hear(news -> news.in(contact));
      boolean isAway = contact == ShareNews.Contact.AWAY;
      OutageCap cap = isAway ? terms.onOutage().cap() : null;
      if (cap != null) {
        limit.sharing().cutOff(cap, now);
      } else {
        limit.sharing().rejoin();
        alone = isAway && members == 0 && terms.servesAlone();
        divide(isAway ? alone ? 1 : members : 0, now);
      }
    }
    demand.wake();
  }

  /** Takes a part of a limit when this instance has no share, or gives that part up. */
  private void divide(long members, long now) {
    ShareUse use = use(now);
    if (members > 0 && terms.divides() && share(now) == 0) {
      divided = true;
      hold(use.capacity() / members, use.capacity() / members, use.cell(), now);
    } else if (divided) {
      divided = false;
      shrink(0, now);
    }
  }

  /** Returns the present: a thread may have stood still since an instant was read. */
  private long present(long asked) {
    return Math.max(asked, time.now());
  }

  private long unixMillis(long now) {
    return time.nanos(now) / MILLI;
  }

  @Override
  public synchronized long share(long asked) {
    long now = present(asked);
    if (released != null) {
      return released.least(now);
    }
    return limit.sharing().standing(gridNanos(now), now).share();
  }

  @Override
  public synchronized ShareUse use(long asked) {
    long now = present(asked);
    if (released != null) {
      return released.use(now);
    }
    return use(limit.sharing().standing(gridNanos(now), now), now);
  }

  private ShareUse use(ShareStanding standing, long now) {
    return new ShareUse(
        standing.capacity(),
        standing.least(),
        standing.used(),
        standing.needed(),
        standing.waiting(),
        recent(standing.spent(), now),
        cell(standing.earlier(), now),
        limit.spec().windowNanos() > HOUR,
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

  private long decayNanos(long now) {
    return switch (limit.spec()) {
      case LimitSpec.TrailingWindow window ->
          window.windowNanos() + window.guardNanos() + 2 * window.subCellNanos() + SECOND;
      case LimitSpec.SlidingWindow window -> window.windowNanos() + window.windowNanos() / 30;
      case LimitSpec.FixedWindow window -> window.windowNanos() + EDGE_NANOS;
      case LimitSpec.Day day -> endOfDay(day, now) - now + day.windowNanos() + EDGE_NANOS;
      case LimitSpec.Strict strict -> strict.rate().intervalNanos();
      case LimitSpec.Concurrency _ -> terms.permitNanos();
      case LimitSpec.TokenBucket _ -> 0;
      case LimitSpec.Unlimited _ -> 0;
    };
  }

  private ShareUse.Cell cell(long earlier, long now) {
    return switch (limit.spec()) {
      case LimitSpec.FixedWindow(long capacity, long window) -> {
        long unix = time.nanos(now);
        long since = Math.floorMod(unix, window) / MILLI;
        yield new ShareUse.Cell(Math.floorDiv(unix, window) + 1, 1, earlier, since);
      }
      case LimitSpec.Day day -> {
        ZoneMidnights midnights = day.midnight();
        long late = day.guardNanos() / MILLI;
        yield midnights == null
            ? ofFirstUse(day, earlier, now)
            : cell(midnights, unixMillis(now) - late + aheadMillis(day, now), earlier);
      }
      default -> ShareUse.Cell.NONE;
    };
  }

  /** Returns the day that began with its first use; one of no length when none runs. */
  private ShareUse.Cell ofFirstUse(LimitSpec.Day day, long earlier, long now) {
    long unixMillis = unixMillis(now);
    followDay(day, now);
    long counts = unixMillis < endedMillis + EDGE_NANOS / MILLI ? earlier : 0;
    return begunMillis == 0
        ? new ShareUse.Cell(unixMillis, 0, counts, 0)
        : new ShareUse.Cell(begunMillis, DAY_MILLIS, counts, unixMillis - begunMillis);
  }

  /** Ends a day that began with its first use, or notes the beginning of one that began here. */
  private void followDay(LimitSpec.Day day, long now) {
    long unixMillis = unixMillis(now);
    long late = day.guardNanos() / MILLI;
    if (begunMillis > 0 && unixMillis >= begunMillis + DAY_MILLIS + late) {
      endedMillis = begunMillis + DAY_MILLIS + late;
      begunMillis = 0;
    }
    long ends = limit.dayEndsAt(now);
    if (begunMillis == 0 && ends != Ticker.NEVER) {
      long began = unixMillis + (ends - now) / MILLI - DAY_MILLIS - late;
      begunMillis = began > endedMillis - DAY_MILLIS / 2 ? began : 0;
    }
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

  /** Returns whether a share is of a day that began with its first use, and has ended. */
  private boolean isOver(ShareUse.Cell of, long unixMillis) {
    return of.length() == DAY_MILLIS && of.number() + of.length() <= unixMillis;
  }

  /** Returns when a later day than that of a share begins. */
  private long laterNanos(ShareUse.Cell of, long now) {
    if (!(limit.spec() instanceof LimitSpec.Day day)) {
      return Ticker.NEVER;
    }
    if (day.midnight() == null) {
      followDay(day, now);
      return begunMillis == 0
          ? Ticker.NEVER
          : now + (begunMillis + DAY_MILLIS - unixMillis(now)) * MILLI + day.guardNanos();
    }
    long ends = endOfDay(day, now); // read before the wall clock, which may turn in between
    return of.isBefore(cell(0, now)) ? now : ends;
  }

  private long gridNanos(long now) {
    return limit.spec() instanceof LimitSpec.FixedWindow(long capacity, long window)
        ? now - Math.floorMod(time.nanos(now), window)
        : Ticker.NEVER;
  }

  @Override
  public synchronized ShareUse shrink(long most, long asked) {
    long now = present(asked);
    if (released != null) {
      return released.use(now);
    }
    return use(change(most, Long.MAX_VALUE, held, false, now), now);
  }

  @Override
  public synchronized void hold(long share, long later, ShareUse.Cell cell, long asked) {
    long now = present(asked);
    if (released == null) {
      held = cell;
      boolean isOver = isOver(cell, unixMillis(now));
      if (cell.length() == DAY_MILLIS
          && !isOver
          && (begunMillis == 0 || cell.number() < begunMillis)) {
        begunMillis = cell.number(); // the earliest beginning counts
      }
      change(isOver ? Math.min(share, later) : share, later, cell, true, now);
    }
  }

  private ShareStanding change(
      long share, long later, ShareUse.Cell cell, boolean raises, long now) {
    long laterNanos = laterNanos(cell, now);
    long gridNanos = gridNanos(now);
    return limit
        .sharing()
        .changeShare(new ShareChange(share, later, laterNanos, gridNanos, raises), now);
  }

  @Override
  public void wake() {
    demand.wake();
  }

  @Override
  public void heard(long free, long heardNanos) {
    boolean waits;
    synchronized (this) {
      if (released != null) {
        return;
      }
      ShareStanding standing = limit.sharing().standing(Ticker.NEVER, heardNanos);
      denials = standing.needed() > standing.share() ? denials + 1 : 0;
      long rest = Math.max(0, standing.share() - standing.least());
      long denied = denials < DENIALS ? Long.MAX_VALUE : rest + free + 1;
      limit
          .sharing()
          .hear(news -> new ShareNews(free, denied, heardNanos, news.contact(), news.others()));
      waits = standing.waiting() > 0;
    }
    if (waits) {
      demand.wakeAfterDenial();
    }
  }
}
