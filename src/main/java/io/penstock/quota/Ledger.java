package io.penstock.quota;

import io.penstock.time.WallClock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Who used how much of what, by UTC day. Bounded: a key has so many models a day, a day so many
 * rows, and there are so many days; what comes beyond is counted as {@link #OTHER}. Safe from any
 * thread; counting takes no lock once a row is there.
 */
public final class Ledger {
  /** Days that are kept, the running one included. */
  public static final int DAYS = 400;

  /** The name of all that have no row of their own. */
  public static final String OTHER = "other";

  /** Models of one key and group a day: what a client makes up beyond shares one row. */
  private static final int MODELS = 100;

  private static final int LONGEST_NAME = 256;

  /**
   * What was used.
   *
   * @param day in UTC
   * @param key the name of the caller
   * @param group the group of the key, empty when it has none
   * @param model under the name clients have for it, empty when none was asked for
   * @param requests that were answered, ≥ 0
   * @param input tokens, ≥ 0
   * @param output tokens, ≥ 0
   */
  public record Row(
      LocalDate day, String key, String group, String model, long requests, long input, long output)
      implements Comparable<Row> {
    private static final Comparator<Row> ORDER =
        Comparator.comparing(Row::day)
            .thenComparing(Row::key)
            .thenComparing(Row::group)
            .thenComparing(Row::model);

    public Row {
      if (requests < 0 || input < 0 || output < 0) {
        throw new IllegalArgumentException(
            "usage is %d requests, %d and %d tokens, expected none below 0"
                .formatted(requests, input, output));
      }
    }

    @Override
    public int compareTo(Row other) {
      return ORDER.compare(this, other);
    }
  }

  private record Payer(String key, String group) {}

  private record Account(Payer payer, String model) {}

  private static final Account REST = new Account(new Payer(OTHER, ""), OTHER);

  /** What one row counts; sums stop at {@link Long#MAX_VALUE}. */
  private static final class Tally {
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong input = new AtomicLong();
    private final AtomicLong output = new AtomicLong();

    void add(long moreRequests, long moreInput, long moreOutput) {
      requests.accumulateAndGet(moreRequests, Tally::sum);
      input.accumulateAndGet(moreInput, Tally::sum);
      output.accumulateAndGet(moreOutput, Tally::sum);
    }

    private static long sum(long a, long b) {
      return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
  }

  /** The rows of a day. */
  private static final class Day {
    private final ConcurrentHashMap<Account, Tally> tallies = new ConcurrentHashMap<>();

    /** How many rows each has; under the lock. */
    private final Map<Payer, Integer> rows = new HashMap<>();

    Tally tally(Account account, int mostRows) {
      Tally known = tallies.get(account);
      return known == null ? made(account, mostRows) : known;
    }

    private synchronized Tally made(Account account, int mostRows) {
      Account counted = folded(account, mostRows);
      Tally known = tallies.get(counted);
      if (known != null) {
        return known;
      }
      Tally made = new Tally();
      rows.merge(counted.payer(), 1, Integer::sum);
      tallies.put(counted, made);
      return made;
    }

    private Account folded(Account account, int mostRows) {
      boolean tooMany = rows.getOrDefault(account.payer(), 0) >= MODELS;
      Account own = tooMany ? new Account(account.payer(), OTHER) : account;
      return tallies.size() < mostRows || tallies.containsKey(own) ? own : REST;
    }
  }

  private final WallClock clock;
  private final int mostRows;
  private final ConcurrentSkipListMap<LocalDate, Day> days = new ConcurrentSkipListMap<>();

  /**
   * Makes one that is empty.
   *
   * @param mostRows a day, ≥ 1; one more is for what is beyond
   */
  public Ledger(WallClock clock, int mostRows) {
    if (mostRows < 1) {
      throw new IllegalArgumentException("mostRows is " + mostRows + ", expected at least 1");
    }
    this.clock = clock;
    this.mostRows = mostRows;
  }

  /** Returns the running day. */
  public LocalDate today() {
    return Instant.ofEpochMilli(clock.unixMillis()).atOffset(ZoneOffset.UTC).toLocalDate();
  }

  /**
   * Counts a request that was answered.
   *
   * @param group of the key, or null
   * @param model that was asked for, or null
   */
  public void add(
      String key, @Nullable String group, @Nullable String model, long input, long output) {
    add(new Row(today(), key, text(group), text(model), 1, input, output));
  }

  /** Adds rows of an earlier process to what is here; those that are too old are left out. */
  public void restore(Collection<Row> rows) {
    rows.forEach(this::add);
    prune();
  }

  private void add(Row row) {
    Account account = new Account(new Payer(name(row.key()), name(row.group())), name(row.model()));
    days.computeIfAbsent(row.day(), absent -> new Day())
        .tally(account, mostRows)
        .add(row.requests(), row.input(), row.output());
  }

  private void prune() {
    days.headMap(today().minusDays(DAYS - 1L)).clear();
  }

  /** Returns the rows of some days, in order of day, key, group and model. */
  public List<Row> rows(LocalDate from, LocalDate to) {
    prune();
    List<Row> rows = new ArrayList<>();
    if (!from.isAfter(to)) {
      days.subMap(from, true, to, true)
          .forEach(
              (date, day) ->
                  day.tallies.forEach((account, tally) -> rows.add(row(date, account, tally))));
    }
    rows.sort(null);
    return rows;
  }

  /** Returns all rows, in order of day, key, group and model. */
  public List<Row> rows() {
    return rows(LocalDate.MIN, LocalDate.MAX);
  }

  private static Row row(LocalDate date, Account account, Tally tally) {
    return new Row(
        date,
        account.payer().key(),
        account.payer().group(),
        account.model(),
        tally.requests.get(),
        tally.input.get(),
        tally.output.get());
  }

  private static String text(@Nullable String name) {
    return name == null ? "" : name;
  }

  /** A name as it can be written anywhere: of bounded length, and without control characters. */
  private static String name(String name) {
    String cut = name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
    return isPlain(cut) || cut.codePoints().allMatch(Ledger::printable)
        ? cut
        : cut.codePoints()
            .map(code -> printable(code) ? code : '?')
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
  }

  /** Most names are, and each request has three. */
  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) < ' ' || name.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }

  private static boolean printable(int code) {
    int type = Character.getType(code);
    return type != Character.CONTROL
        && type != Character.SURROGATE
        && type != Character.LINE_SEPARATOR
        && type != Character.PARAGRAPH_SEPARATOR;
  }
}
