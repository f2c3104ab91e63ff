package io.penstock.usage;

import io.penstock.cost.TokenUsage;
import io.penstock.tenant.SharedState;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Usage by UTC day, key, group and model. The number of days, of rows per day, and of models per
 * key and day is bounded; usage beyond these bounds is counted as {@link #OTHER}. Safe from any
 * thread; counting takes no lock once the row exists.
 */
public final class UsageLedger implements UsageSink, UsedTokens {
  /** Number of days that are kept, including the running one. */
  public static final int DAYS = 400;

  /** Name of the row that counts everything without a row of its own. */
  public static final String OTHER = "other";

  /** Name under which requests without a key are counted. */
  public static final String ANONYMOUS = "anonymous";

  /** Most models per key, group and day; all further names that a client makes up share one row. */
  private static final int MODELS = 100;

  private static final int LONGEST_NAME = 256;

  /**
   * Usage of one key for one model on one day.
   *
   * @param day the day in UTC
   * @param key the name of the caller
   * @param group the group of the key, empty when it has none
   * @param model the name that clients use for the model, empty when the request named none
   * @param requests number of requests that reached an upstream or got a permit, ≥ 0
   * @param input input tokens, those read from and written to a cache included, ≥ 0
   * @param output output tokens, ≥ 0
   * @param cached the parts of the input that a cache was used for, together no more than it
   */
  public record Row(
      LocalDate day,
      String key,
      String group,
      String model,
      long requests,
      long input,
      long output,
      CachedInput cached)
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
      cached = cached.within(input);
    }

    /** Returns the input that was neither read from a cache nor written to it. */
    public long uncachedInput() {
      return input - cached.read() - cached.written();
    }

    @Override
    public int compareTo(Row other) {
      return ORDER.compare(this, other);
    }
  }

  private record Payer(String key, String group) {}

  private record Account(Payer payer, String model) {}

  private static final Account REST = new Account(new Payer(OTHER, ""), OTHER);

  /** Counters of one row; sums stop at {@link Long#MAX_VALUE}. */
  private static final class Tally {
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong input = new AtomicLong();
    private final AtomicLong output = new AtomicLong();
    private final AtomicLong read = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong writtenForHour = new AtomicLong();

    void add(Row row) {
      requests.accumulateAndGet(row.requests(), Tally::sum);
      // input before its parts, so that a reader in between sees no more parts than input
      input.accumulateAndGet(row.input(), Tally::sum);
      output.accumulateAndGet(row.output(), Tally::sum);
      if (!row.cached().isNone()) {
        read.accumulateAndGet(row.cached().read(), Tally::sum);
        written.accumulateAndGet(row.cached().written(), Tally::sum);
        writtenForHour.accumulateAndGet(row.cached().writtenForHour(), Tally::sum);
      }
    }

    /** Replaces one usage by another; the sums do not fall below zero. */
    void correct(TokenUsage from, TokenUsage to) {
      CachedInput before = CachedInput.of(from);
      CachedInput after = CachedInput.of(to);
      change(input, to.inputTokens() - from.inputTokens());
      change(output, to.outputTokens() - from.outputTokens());
      change(read, after.read() - before.read());
      change(written, after.written() - before.written());
      change(writtenForHour, after.writtenForHour() - before.writtenForHour());
    }

    private static void change(AtomicLong sum, long by) {
      sum.accumulateAndGet(by, (a, b) -> b > 0 ? sum(a, b) : Math.max(0, a + b));
    }

    CachedInput cached() {
      long hour = writtenForHour.get();
      return new CachedInput(read.get(), Math.max(hour, written.get()), hour);
    }

    private static long sum(long a, long b) {
      return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
  }

  /** Rows of one day. */
  private static final class Day {
    private final ConcurrentHashMap<Account, Tally> tallies = new ConcurrentHashMap<>();

    /** Number of rows by payer; guarded by this object. */
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

  @SharedState("usage")
  private final ConcurrentSkipListMap<LocalDate, Day> days = new ConcurrentSkipListMap<>();

  /**
   * Creates an empty ledger.
   *
   * @param mostRows most rows per day, ≥ 1, not counting the row for everything beyond
   */
  public UsageLedger(WallClock clock, int mostRows) {
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

  @Override
  public void add(
      @Nullable String key, @Nullable String group, @Nullable String model, TokenUsage used) {
    String payer = key == null ? ANONYMOUS : key;
    add(
        new Row(
            today(),
            payer,
            text(group),
            text(model),
            1,
            used.inputTokens(),
            used.outputTokens(),
            CachedInput.of(used)));
  }

  /**
   * Replaces the usage that a request was counted with by what it really was; a row does not fall
   * below zero.
   *
   * @param day the day on which the request was counted
   * @param counted what it was counted with; other parameters as in {@link #add}
   */
  public void correct(
      LocalDate day,
      @Nullable String key,
      @Nullable String group,
      @Nullable String model,
      TokenUsage counted,
      TokenUsage used) {
    Payer payer = new Payer(name(key == null ? ANONYMOUS : key), name(text(group)));
    Account account = new Account(payer, name(text(model)));
    days.computeIfAbsent(day, absent -> new Day()).tally(account, mostRows).correct(counted, used);
  }

  /** Adds rows of an earlier process to the present rows; rows that are too old are dropped. */
  public void restore(Collection<Row> rows) {
    rows.forEach(this::add);
    prune();
  }

  private void add(Row row) {
    Account account = new Account(new Payer(name(row.key()), name(row.group())), name(row.model()));
    days.computeIfAbsent(row.day(), absent -> new Day()).tally(account, mostRows).add(row);
  }

  private void prune() {
    days.headMap(today().minusDays(DAYS - 1L)).clear();
  }

  /**
   * Returns the rows of the days {@code from} to {@code to}, both included, in order of day, key,
   * group and model.
   */
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

  /** Returns the tokens of the rows from a day until now, input plus output. */
  private long tokens(LocalDate from, Predicate<Row> counts) {
    return rows(from, today()).stream()
        .filter(counts)
        .mapToLong(row -> Tally.sum(row.input(), row.output()))
        .reduce(0, Tally::sum);
  }

  @Override
  public long ofKey(String name) {
    return tokens(today(), row -> row.key().equals(name));
  }

  @Override
  public long ofGroup(String name, boolean month) {
    LocalDate today = today();
    return tokens(month ? today.withDayOfMonth(1) : today, row -> row.group().equals(name));
  }

  private static Row row(LocalDate date, Account account, Tally tally) {
    CachedInput cached = tally.cached();
    return new Row(
        date,
        account.payer().key(),
        account.payer().group(),
        account.model(),
        tally.requests.get(),
        tally.input.get(),
        tally.output.get(),
        cached);
  }

  private static String text(@Nullable String name) {
    return name == null ? "" : name;
  }

  /**
   * Returns a name that is safe to write anywhere: of bounded length and without control
   * characters.
   */
  private static String name(String name) {
    String cut = name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
    return isPlain(cut) || cut.codePoints().allMatch(UsageLedger::printable)
        ? cut
        : cut.codePoints()
            .map(code -> printable(code) ? code : '?')
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
  }

  /** Shortcut for speed: most names are plain ASCII, and each request has three of them. */
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
