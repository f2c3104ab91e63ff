package io.penstock.quota;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait until a model may be asked. Nothing is taken for them, so all whose tokens fit are
 * told at once; and since fewer tokens never fit later than more, only the fewest are looked at, at
 * the computed instant or when something was given back. Safe from any thread.
 */
public final class Waits {
  /** How many may wait at once. */
  public static final int MOST = 10_000;

  private record Waiting(
      long number, String model, long tokens, long deadline, Consumer<Decision> told) {}

  private record Told(Waiting waiting, Decision decision) {
    void tell() {
      waiting.told().accept(decision);
    }
  }

  private final ModelQuotas models;
  private final Decisions decisions;
  private final Ticker ticker;
  private final StepAlarm alarm;
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Map<Quota, Crowd> crowds = new HashMap<>();
  private int size;
  private long entered;

  /** Makes an empty set, whose instants are of {@code ticker}. */
  public Waits(ModelQuotas models, Decisions decisions, Ticker ticker, StepAlarm alarm) {
    this.models = models;
    this.decisions = decisions;
    this.ticker = ticker;
    this.alarm = alarm;
  }

  /**
   * Waits until a model may be asked for so many tokens.
   *
   * @param deadline the instant from which it waits no more
   * @param told what it is told, once, on any thread and perhaps at once: that it is allowed, that
   *     it never will be, or else, at the deadline, why it is not yet
   * @return what gives up the place, or null when {@link #MOST} wait already
   */
  public @Nullable Runnable enter(
      String model, long tokens, long deadline, Consumer<Decision> told) {
    long now = ticker.nanos();
    Decision decision = decisions.decide(model, tokens, now);
    ModelNames.Known known = models.known(model);
    if (known == null || decision.allowed() || !decision.possible() || deadline <= now) {
      told.accept(decision);
      return () -> {};
    }
    Crowd crowd;
    Waiting waiting;
    synchronized (this) {
      if (size >= MOST) {
        return null;
      }
      size++;
      waiting = new Waiting(entered++, model, tokens, deadline, told);
      crowd = crowds.computeIfAbsent(models.quota(known, now), Crowd::new);
      crowd.add(waiting);
    }
    crowd.wake(); // something may have been given back before it was in line
    return () -> leave(crowd, waiting);
  }

  private synchronized void leave(Crowd crowd, Waiting waiting) {
    if (crowd.remove(waiting)) {
      size--;
      closeEmpty();
    }
  }

  private void closeEmpty() {
    crowds
        .values()
        .removeIf(
            crowd -> {
              boolean empty = crowd.soonestFirst.isEmpty();
              if (empty) {
                crowd.quota.line().leave(crowd);
              }
              return empty;
            });
  }

  private void step() {
    woken.set(false);
    List<Told> told = new ArrayList<>();
    synchronized (this) {
      long now = ticker.nanos();
      long next = Ticker.NEVER;
      for (Crowd crowd : crowds.values()) {
        next = Math.min(next, crowd.look(now, told));
      }
      size -= told.size();
      closeEmpty();
      alarm.at(next, this::step);
    }
    told.forEach(Told::tell);
  }

  /** Returns how many wait. */
  public synchronized int size() {
    return size;
  }

  /** Those who wait for one quota. */
  private final class Crowd extends Onlooker {
    private final Quota quota;
    private final TreeSet<Waiting> fewestFirst =
        new TreeSet<>(Comparator.comparingLong(Waiting::tokens).thenComparingLong(Waiting::number));
    private final TreeSet<Waiting> soonestFirst =
        new TreeSet<>(
            Comparator.comparingLong(Waiting::deadline).thenComparingLong(Waiting::number));

    Crowd(Quota quota) {
      this.quota = quota;
      quota.line().join(this);
    }

    void add(Waiting waiting) {
      fewestFirst.add(waiting);
      soonestFirst.add(waiting);
    }

    boolean remove(Waiting waiting) {
      fewestFirst.remove(waiting);
      return soonestFirst.remove(waiting);
    }

    /** Takes out those who are to be told; returns the instant of the next look. */
    long look(long now, List<Told> told) {
      while (!fewestFirst.isEmpty()) {
        Decision most = look(fewestFirst.last(), now);
        if (most.possible() && !most.allowed()) {
          break;
        }
        tell(fewestFirst.last(), most, told);
      }
      long next = Ticker.NEVER;
      while (!fewestFirst.isEmpty()) {
        Decision fewest = look(fewestFirst.first(), now);
        next = fewest.opensNanos();
        if (!fewest.allowed()) {
          break;
        }
        tell(fewestFirst.first(), fewest, told);
      }
      while (!soonestFirst.isEmpty() && soonestFirst.first().deadline() <= now) {
        tell(soonestFirst.first(), look(soonestFirst.first(), now), told);
      }
      return soonestFirst.isEmpty()
          ? Ticker.NEVER
          : Math.min(next, soonestFirst.first().deadline());
    }

    private Decision look(Waiting waiting, long now) {
      return decisions.decide(waiting.model(), waiting.tokens(), now);
    }

    private void tell(Waiting waiting, Decision decision, List<Told> told) {
      remove(waiting);
      told.add(new Told(waiting, decision));
    }

    @Override
    public void wake() {
      if (woken.compareAndSet(false, true)) {
        alarm.soon(Waits.this::step);
      }
    }
  }
}
