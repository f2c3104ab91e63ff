package io.penstock.limit;

import io.penstock.time.ZoneMidnights;
import java.math.BigInteger;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Division of the time of a shared limit into cells, and the amounts that may be spent in them.
 * Times are microseconds of the shared clock, since 1970.
 *
 * @param kind the kind of the cells
 * @param cellMicros the length of a cell of the grid, 0 where there is none
 * @param reach for how many cells after it a cell counts; for days, for how many microseconds
 * @param capacity the most that may count at the same time, cut to {@link #MOST}
 * @param releases tokens or slots that come every {@code seconds}; 0 for other kinds
 * @param seconds see {@code releases}
 * @param fillMicros how long an empty bucket takes to be full; 0 for other kinds
 * @param midnight where a day ends, null for all but {@link Kind#DAY}
 */
public record CellPartition(
    Kind kind,
    long cellMicros,
    long reach,
    long capacity,
    long releases,
    long seconds,
    long fillMicros,
    @Nullable ZoneMidnights midnight) {
  /** Bound of amounts and capacities: thousands of them add up exactly in a double. */
  public static final long MOST = 1L << 43;

  /** Kinds of cells. */
  public enum Kind {
    /** Cell c is the window [c × length, (c + 1) × length). */
    FIXED,
    /** Cell c is the sixtieth [c × length, (c + 1) × length) of a window. */
    TRAILING,
    /** There is a single cell, 0, which never ends. */
    CONCURRENCY,
    /** A cell is a calendar day or month; its number is the microsecond at which it begins. */
    DAY,
    /** A cell is 24 h long; its number is the microsecond of its first grant. */
    SPAN,
    /**
     * Cell c is the minute [c × length, (c + 1) × length) in which tokens were spent. Tokens that
     * were granted and may still be spent are in a cell of their own, {@link #OUT}.
     */
    BUCKET,
    /**
     * A cell is a slot, or several that begin within 5 ms of it; its number is the microsecond at
     * which it begins. It counts from being handed out; nothing is reported of it.
     *
     * <p>A slot may be used once it has certainly begun, and for a tenth of an interval after that,
     * 2 to 20 ms. So each release is later than its slot by at most that much and the width of the
     * bounds of the shared clock, which is the quickest round trip plus 0.2 ms for each second
     * since. Where several slots are handed out as one, they go at most 5 ms sooner. Two releases
     * are closer than an interval by no more than that.
     */
    STRICT
  }

  /**
   * The cell of tokens of a bucket that members were granted and may still spend; above all others.
   */
  public static final long OUT = 1L << 52;

  /** The length of a {@link Kind#SPAN}. */
  public static final long SPAN_MICROS = LimitSpec.Day.NANOS / 1_000;

  private static final long LEAST_SLIDING_NANOS = 10_000_000_000L;
  private static final long MINUTE_MICROS = 60_000_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Bound within which numbers are exact in a double and in a long, with room for a sum. */
  private static final BigInteger EXACT = BigInteger.ONE.shiftLeft(52);

  /**
   * Returns the cells of a limit.
   *
   * @throws IllegalArgumentException when its kind cannot be shared in slices
   */
  public static CellPartition of(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.FixedWindow window ->
          plain(Kind.FIXED, micros(window.windowNanos()), 0, window.capacity());
      case LimitSpec.TrailingWindow window -> trailing(window);
      case LimitSpec.Concurrency concurrency -> plain(Kind.CONCURRENCY, 0, 0, concurrency.max());
      case LimitSpec.Day day ->
          new CellPartition(
              day.midnight() == null ? Kind.SPAN : Kind.DAY,
              0,
              micros(day.guardNanos()),
              cut(day.capacity()),
              0,
              0,
              0,
              day.midnight());
      case LimitSpec.TokenBucket bucket -> bucket(bucket);
      case LimitSpec.Strict strict -> slots(strict.rate());
      case LimitSpec.SlidingWindow window -> sliding(window);
      case LimitSpec.Unlimited unlimited -> throw unshared("has no limit");
    };
  }

  private static IllegalArgumentException unshared(String why) {
    return new IllegalArgumentException(
        "a limit that "
            + why
            + " is not shared in slices, expected a rate, a window, a day, a bucket or permits");
  }

  private static CellPartition plain(Kind kind, long cellMicros, long reach, long capacity) {
    return new CellPartition(kind, cellMicros, reach, cut(capacity), 0, 0, 0, null);
  }

  /**
   * Returns the cells of a sliding window. It has sub-cells as trailing windows have when it is
   * shared, so that each release counts a little longer.
   */
  private static CellPartition sliding(LimitSpec.SlidingWindow window) {
    if (window.windowNanos() < LEAST_SLIDING_NANOS) {
      throw unshared("is a sliding window under 10 s");
    }
    return trailing(
        new LimitSpec.TrailingWindow(
            window.capacity(), window.windowNanos(), 0, LimitSpec.TrailingWindow.UNPACED));
  }

  private static CellPartition trailing(LimitSpec.TrailingWindow window) {
    long cell = SubCells.length(micros(window.windowNanos()));
    long counts = micros(window.windowNanos() + window.guardNanos());
    return plain(Kind.TRAILING, cell, Math.ceilDiv(counts, cell), window.capacity());
  }

  private static CellPartition slots(ExactRate exactRate) {
    return new CellPartition(
        Kind.STRICT, 0, 0, 1, exactRate.releases(), exactRate.seconds(), 0, null);
  }

  private static CellPartition bucket(LimitSpec.TokenBucket bucket) {
    long releases = bucket.rate().releases();
    long seconds = bucket.rate().seconds();
    BigInteger fill =
        BigInteger.valueOf(bucket.burst())
            .multiply(BigInteger.valueOf(seconds * 1_000_000))
            .add(BigInteger.valueOf(releases - 1))
            .divide(BigInteger.valueOf(releases));
    if (fill.compareTo(EXACT) > 0) {
      throw new IllegalArgumentException(
          "a bucket of %d at %d every %d s fills in more than a century, expected less"
              .formatted(bucket.burst(), releases, seconds));
    }
    long micros = fill.longValueExact();
    long reach = Math.ceilDiv(micros, MINUTE_MICROS);
    long capacity = cut(bucket.burst());
    return new CellPartition(
        Kind.BUCKET, MINUTE_MICROS, reach, capacity, releases, seconds, micros, null);
  }

  private static long cut(long amount) {
    return Math.min(amount, MOST);
  }

  private static long micros(long nanos) {
    return Math.ceilDiv(nanos, 1_000);
  }

  /** Returns whether both limits are shared in slices, and in the same cells. */
  static boolean sameCells(LimitSpec one, LimitSpec other) {
    try {
      return of(one).fits(of(other));
    } catch (IllegalArgumentException unshared) {
      return false;
    }
  }

  /** Returns whether the cells of both have the same numbers. */
  public boolean fits(CellPartition other) {
    return sameKind(other) && Objects.equals(zone(), other.zone());
  }

  /** Returns whether both have cells of one kind and length; days may begin at other times. */
  public boolean sameKind(CellPartition other) {
    return kind == other.kind && cellMicros == other.cellMicros;
  }

  private @Nullable ZoneId zone() {
    return midnight == null ? null : midnight.zone();
  }

  /**
   * Returns four midnights in a row, with {@code nowMicros} between the second and the third; none
   * for all but {@link Kind#DAY}.
   */
  public List<Long> midnights(long nowMicros) {
    if (midnight == null) {
      return List.of();
    }
    long nowMillis = Math.floorDiv(nowMicros, 1_000);
    List<Long> found = new ArrayList<>();
    long last = nowMillis - 3 * midnight.apartNanos() / NANOS_PER_MILLI;
    for (int after = 0; after < 2; after += last > nowMillis ? 1 : 0) {
      long from = last;
      last =
          from
              + new ZoneMidnights(midnight.zone(), () -> from, midnight.each()).after(0, 0)
                  / NANOS_PER_MILLI;
      found.add(last * 1_000);
    }
    return List.copyOf(found.subList(found.size() - 4, found.size()));
  }
}
