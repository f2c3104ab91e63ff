package io.penstock.limit.slice;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import io.penstock.limit.LimitSpec;
import java.util.Arrays;
import java.util.List;

/** Members that share one limit, with the reports and the grants of each. */
final class LedgerFixture {
  static final long NANOS = 1_000_000_000L;
  static final long SECOND = 1_000_000;
  static final long MINUTE = 60 * SECOND;
  static final long DAY = 86_400 * SECOND;

  /** How long a slice may be spent, and how long a silent member counts as living. */
  static final long TTL = 2 * SECOND;

  /** 22:13:20 UTC: a minute began 20 s ago, and a day in UTC ends 6,400 s later. */
  static final long START = 1_700_000_000L * SECOND;

  private final KindChangeover shares;
  private long number;

  /** The shared clock, in microseconds. */
  long now = START;

  /** How long slices last in this test. */
  long ttl = TTL;

  LedgerFixture() {
    this(0);
  }

  LedgerFixture(long durationMicros) {
    shares = new KindChangeover(durationMicros);
  }

  static CellAmount part(long cell, long amount) {
    return new CellAmount(cell, amount);
  }

  static CellAmount out(long amount) {
    return new CellAmount(CellPartition.OUT, amount);
  }

  /** Returns the number of the running minute. */
  long minute() {
    return now / MINUTE;
  }

  /** Moves the clock on. Returns this object. */
  LedgerFixture after(long micros) {
    now += micros;
    return this;
  }

  /** Returns a report for a member that lacks and wants nothing, and has spent nothing. */
  Says member(String name, LimitSpec spec) {
    return new Says(name, spec);
  }

  /** The report of one member in one round. */
  final class Says {
    private final String name;
    private final LimitSpec spec;
    private long from;
    private List<CellAmount> uses = List.of();
    private long head;
    private long wanted;
    private long barred = SliceLedger.NONE;
    private long born = SliceLedger.NONE;

    private Says(String name, LimitSpec spec) {
      this.name = name;
      this.spec = spec;
    }

    /** Sets the amount the member needs in one cell, all or nothing. */
    Says lacks(long amount) {
      head = amount;
      return this;
    }

    /** Sets the amount the member would like to have besides. */
    Says wants(long amount) {
      wanted = amount;
      return this;
    }

    /** Sets the first cell that is reported. */
    Says from(long cell) {
      from = cell;
      return this;
    }

    Says spent(long cell, long amount) {
      return spent(part(cell, amount));
    }

    Says spent(CellAmount... parts) {
      uses = Arrays.asList(parts);
      return this;
    }

    /** Sets the last cell in which nothing is to be granted. */
    Says bars(long cell) {
      barred = cell;
      return this;
    }

    /** Sets which birth of the ledger the member knows. */
    Says knows(long birth) {
      born = birth;
      return this;
    }

    /** Reports in the member's next round. */
    SliceLedger.Granted round() {
      number++;
      return round(number);
    }

    /** Reports in a round with that number. */
    SliceLedger.Granted round(long number) {
      SliceLedger.Report report =
          new SliceLedger.Report(name, number, from, uses, head, wanted, barred, born);
      return shares.round(report, CellPartition.of(spec), now, ttl);
    }

    /** Reports in the member's next round. Returns the grants. */
    List<CellAmount> gets() {
      return round().parts();
    }
  }

  /** Returns the number of the last round. */
  long number() {
    return number;
  }

  /** Returns whether the ledger can be dropped without any effect. */
  boolean ends() {
    return shares.ends(now, ttl);
  }
}
