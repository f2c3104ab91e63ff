package io.penstock.limit;

import io.penstock.limit.Shares.Part;
import java.util.Arrays;
import java.util.List;

/** Members that share one limit, and what each of them says and is granted. */
final class Sharing {
  static final long NANOS = 1_000_000_000L;
  static final long SECOND = 1_000_000;
  static final long MINUTE = 60 * SECOND;
  static final long DAY = 86_400 * SECOND;

  /** For how long a slice may be spent, and a member lives that is silent. */
  static final long TTL = 2 * SECOND;

  /** 22:13:20 UTC: a minute began 20 s ago, and a day in UTC ends 6,400 s later. */
  static final long START = 1_700_000_000L * SECOND;

  private final Changeover shares;
  private long number;

  /** The shared clock, in microseconds. */
  long now = START;

  /** Another time for which slices last. */
  long ttl = TTL;

  Sharing() {
    this(0);
  }

  Sharing(long durationMicros) {
    shares = new Changeover(durationMicros);
  }

  static Part part(long cell, long amount) {
    return new Part(cell, amount);
  }

  static Part out(long amount) {
    return new Part(Partition.OUT, amount);
  }

  /** Returns the number of the minute that runs. */
  long minute() {
    return now / MINUTE;
  }

  /** Has time pass; returns these members. */
  Sharing after(long micros) {
    now += micros;
    return this;
  }

  /** Returns what a member will say that lacks and wants nothing, and spent nothing. */
  Says member(String name, LimitSpec spec) {
    return new Says(name, spec);
  }

  /** What one member says in one round. */
  final class Says {
    private final String name;
    private final LimitSpec spec;
    private long from;
    private List<Part> uses = List.of();
    private long head;
    private long wanted;
    private long barred = Shares.NONE;
    private long born = Shares.NONE;

    private Says(String name, LimitSpec spec) {
      this.name = name;
      this.spec = spec;
    }

    /** What it needs in one cell, all or nothing. */
    Says lacks(long amount) {
      head = amount;
      return this;
    }

    /** What it would like to have besides. */
    Says wants(long amount) {
      wanted = amount;
      return this;
    }

    /** The first cell of which it says anything. */
    Says from(long cell) {
      from = cell;
      return this;
    }

    Says spent(long cell, long amount) {
      return spent(part(cell, amount));
    }

    Says spent(Part... parts) {
      uses = Arrays.asList(parts);
      return this;
    }

    /** The last cell in which nothing is to be granted. */
    Says bars(long cell) {
      barred = cell;
      return this;
    }

    /** Which birth of the shares it knows. */
    Says knows(long birth) {
      born = birth;
      return this;
    }

    /** Says it in its next round. */
    Shares.Granted round() {
      number++;
      return round(number);
    }

    /** Says it in a round of that number. */
    Shares.Granted round(long number) {
      Shares.Report report =
          new Shares.Report(name, number, from, uses, head, wanted, barred, born);
      return shares.round(report, Partition.of(spec), now, ttl);
    }

    /** Says it in its next round; returns what it is granted. */
    List<Part> gets() {
      return round().parts();
    }
  }

  /** Returns the number of the last round. */
  long number() {
    return number;
  }

  /** Returns whether nobody would notice that the shares are no more. */
  boolean ends() {
    return shares.ends(now, ttl);
  }
}
