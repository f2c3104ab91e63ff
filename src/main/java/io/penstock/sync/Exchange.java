package io.penstock.sync;

import io.penstock.event.Events;
import io.penstock.limit.Limit;
import io.penstock.quota.Counts;
import io.penstock.quota.Counts.Count;
import io.penstock.quota.LimitId;
import io.penstock.quota.Others;
import io.penstock.quota.Sharing;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells others what was counted here, and limits here what others counted, every interval: one
 * exchange at a time. Without answers each goes on with its own counts, and with what it knows of
 * the others until that counts no more. Safe from any thread; nothing here waits.
 *
 * <p>Absolute counts are sent until they are answered, and all of them again at times, so that
 * whatever was lost, on the way or in the store, is there two intervals after it works again.
 */
public final class Exchange implements Others {
  /** All counts are sent, not only what is new, with every so-manieth exchange. */
  private static final int WHOLE_EVERY = 20;

  /** A wall clock that was set, or went another way by so much, is believed. */
  private static final long SET_NANOS = 20_000_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Counts counts;
  private final String member;
  private final Ticker ticker;
  private final WallClock wall;
  private final long intervalNanos;
  private final long timeoutNanos;
  private final Contact contact;
  private final Standing standing;
  private final Map<LimitId, Counted> all = new ConcurrentHashMap<>();

  private long shift;
  private long number;
  private boolean awaiting;
  private long sentAt;
  private long nextAt;
  private volatile Figures figures = new Figures(0, 0, 0, Long.MIN_VALUE);

  /**
   * When something is done.
   *
   * @param intervalNanos between two exchanges
   * @param timeoutNanos after which an exchange without an answer is given up
   * @param cutOffNanos after which without any answer limits let pass what {@code onOutage} says
   * @param onOutage that; where it is a matter of slices, they go on with own counts
   */
  public record Terms(long intervalNanos, long timeoutNanos, long cutOffNanos, OnOutage onOutage) {
    /** Whatever happens, limits go on with what was counted here. */
    public Terms(long intervalNanos, long timeoutNanos) {
      this(intervalNanos, timeoutNanos, timeoutNanos, OnOutage.PARK);
    }
  }

  /** Makes one of which all limits go on with what was counted here, whatever happens. */
  public Exchange(
      Counts counts,
      String member,
      Ticker ticker,
      WallClock wall,
      long intervalNanos,
      long timeoutNanos) {
    this(counts, member, ticker, wall, new Terms(intervalNanos, timeoutNanos));
  }

  /**
   * Makes one that counts nothing yet.
   *
   * @param counts where counts are exchanged
   * @param member the name of this instance, another one each time it starts
   * @param wall tells the cells: those of all instances are to agree but for moments
   */
  public Exchange(Counts counts, String member, Ticker ticker, WallClock wall, Terms terms) {
    this.counts = counts;
    this.member = member;
    this.ticker = ticker;
    this.wall = wall;
    this.intervalNanos = terms.intervalNanos();
    this.timeoutNanos = terms.timeoutNanos();
    this.shift = told(ticker.nanos());
    this.nextAt = ticker.nanos();
    this.contact = new Contact(terms.onOutage(), false, terms.cutOffNanos(), nextAt);
    this.standing = new Standing(Sharing.EVENTUAL, terms.onOutage(), terms.cutOffNanos());
  }

  /** Has it be told when nothing is heard any more, and when it is again. */
  public void tell(Events events) {
    standing.tell(events);
  }

  private long told(long now) {
    return wall.unixMillis() * NANOS_PER_MILLI - now;
  }

  /**
   * Counts a limit from now on.
   *
   * @param binds whether it leaves room for what others count; otherwise that is only known
   */
  public synchronized void join(LimitId id, Limit limit, boolean binds) {
    if (id.durationNanos() < NANOS_PER_MILLI) {
      return; // no window, no cells
    }
    Counted known = all.get(id);
    if (known == null || !known.counts(limit, binds)) {
      Counted counted = new Counted(id, limit, binds, shift);
      all.put(id, counted);
      counted.bind(ticker.nanos());
      counted.follow(contact);
    }
  }

  /** Counts a limit no more: it leaves no room for others. */
  public synchronized void leave(LimitId id) {
    Counted counted = all.remove(id);
    if (counted != null) {
      counted.unbind();
    }
  }

  @Override
  public long counted(LimitId id, long now) {
    Counted counted = all.get(id);
    return counted == null ? 0 : counted.others(now);
  }

  /** Returns what all others counted of a limit, by cell: nothing when it is not counted. */
  public Map<Long, Long> cells(LimitId id) {
    Counted counted = all.get(id);
    return counted == null ? Map.of() : counted.cells();
  }

  /** Returns how many exchanges failed, or were given up. */
  public long failures() {
    return figures.failures();
  }

  /**
   * What became of exchanges until now.
   *
   * @param answered how many were, in time
   * @param failures how many failed, or had no answer in time
   * @param answeredNanos how long those took together that were answered
   * @param answeredAt when was sent what was answered last; {@link Long#MIN_VALUE} for never
   */
  public record Figures(long answered, long failures, long answeredNanos, long answeredAt) {}

  /** Returns what became of exchanges so far; nobody waits for it. */
  public Figures figures() {
    return figures;
  }

  private void failed() {
    figures =
        new Figures(
            figures.answered(),
            figures.failures() + 1,
            figures.answeredNanos(),
            figures.answeredAt());
  }

  private void succeeded(long now) {
    figures =
        new Figures(
            figures.answered() + 1,
            figures.failures(),
            figures.answeredNanos() + now - sentAt,
            sentAt);
  }

  /** Begins an exchange if it is time to; returns the instant of the next step. */
  public long step() {
    follow();
    List<Count> own;
    long mine;
    synchronized (this) {
      long now = ticker.nanos();
      if (awaiting && now - sentAt >= timeoutNanos) {
        awaiting = false;
        failed();
      }
      if (awaiting) {
        return Math.max(nextAt, sentAt + timeoutNanos);
      }
      if (now < nextAt) {
        return nextAt;
      }
      own = begin(now);
      mine = number;
    }
    exchange(own).whenComplete((others, failure) -> answered(mine, others));
    synchronized (this) {
      return nextAt;
    }
  }

  /** Has limits do what they are to do now; who waits for them is woken with nothing locked. */
  private void follow() {
    List<Runnable> eased = new ArrayList<>();
    synchronized (this) {
      long now = ticker.nanos();
      if (contact.changes(false, now)) {
        bound()
            .forEach(
                each -> {
                  each.follow(contact);
                  eased.add(each::wake);
                });
      }
      eased.addAll(standing.look(null, contact, () -> bound().findAny().isPresent(), now));
    }
    eased.forEach(Runnable::run);
  }

  private Stream<Counted> bound() {
    return all.values().stream().filter(Counted::binds);
  }

  private CompletionStage<List<Count>> exchange(List<Count> own) {
    try {
      return counts.exchange(member, own);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private List<Count> begin(long now) {
    long told = told(now);
    shift = Math.abs(told - shift) > SET_NANOS ? told : shift;
    boolean whole = number % WHOLE_EVERY == 0;
    number++;
    awaiting = true;
    sentAt = now;
    nextAt = now + intervalNanos;
    List<Count> own = new ArrayList<>();
    all.values().forEach(counted -> counted.tell(whole, shift, now, own));
    return own;
  }

  private void answered(long exchange, @Nullable List<Count> others) {
    take(exchange, others);
    follow();
  }

  /** What comes late is merged all the same: counts are absolute. */
  private synchronized void take(long exchange, @Nullable List<Count> others) {
    boolean inTime = exchange == number && awaiting;
    if (inTime) {
      awaiting = false;
    }
    if (others == null) {
      if (inTime) {
        failed();
      }
      return;
    }
    long now = ticker.nanos();
    hear(others, now);
    if (inTime) {
      succeeded(now);
      contact.heard(sentAt, 1);
      all.values().forEach(counted -> counted.agreed(sentAt));
    }
    all.values().forEach(counted -> counted.bind(now));
  }

  private void hear(List<Count> others, long now) {
    for (Count count : others) {
      Counted counted = all.get(count.id());
      if (counted != null) {
        counted.hear(count, shift, now);
      }
    }
  }

  /** Takes in what was fetched of some limits between two exchanges. */
  public synchronized void heard(List<Count> others) {
    long now = ticker.nanos();
    hear(others, now);
    for (Count count : others) {
      Counted counted = all.get(count.id());
      if (counted != null) {
        counted.bind(now);
      }
    }
  }
}
