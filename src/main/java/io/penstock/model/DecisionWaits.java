package io.penstock.model;

import io.penstock.quota.Quota;
import io.penstock.quota.WaitObserver;
import io.penstock.tenant.SharedState;
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
 * Clients that wait until a model admits their request. Nothing is taken for them, so all clients
 * whose tokens fit are informed at once. Fewer tokens never fit later than more, so only the client
 * with the fewest is checked, at the computed instant or when something was returned. Safe from any
 * thread.
 */
public final class DecisionWaits {
  /** Most clients that may wait at once. */
  public static final int MOST = 10_000;

  private record Waiting(
      long number, String model, long tokens, long deadline, Consumer<ModelDecision> receiver) {}

  private record DecidedWait(Waiting waiting, ModelDecision decision) {
    void tell() {
      waiting.receiver().accept(decision);
    }
  }

  private final ModelQuotas models;
  private final DecisionService decisionService;
  private final Ticker ticker;
  private final StepAlarm alarm;

  @SharedState("waits for a decision")
  private final AtomicBoolean woken = new AtomicBoolean();

  @SharedState("waits for a decision")
  private final Map<Quota, Crowd> crowds = new HashMap<>();

  private int size;
  private long entered;

  /** Creates an empty set with instants of {@code ticker}. */
  public DecisionWaits(
      ModelQuotas models, DecisionService decisionService, Ticker ticker, StepAlarm alarm) {
    this.models = models;
    this.decisionService = decisionService;
    this.ticker = ticker;
    this.alarm = alarm;
  }

  /**
   * Waits until a model admits a request of {@code tokens} tokens.
   *
   * @param deadline the instant at which the wait ends
   * @param receiver receives one decision, on any thread and perhaps during the call: that the
   *     request is allowed, that it never will be, or, at the deadline, why it is not allowed yet
   * @return an action that gives up the place, or null when {@link #MOST} clients wait already
   */
  public @Nullable Runnable enter(
      String model, long tokens, long deadline, Consumer<ModelDecision> receiver) {
    long now = ticker.nanos();
    ModelDecision modelDecision = decisionService.decide(model, tokens, now);
    ModelNames.Known known = models.known(model);
    if (known == null || modelDecision.allowed() || !modelDecision.possible() || deadline <= now) {
      receiver.accept(modelDecision);
      return () -> {};
    }
    Crowd crowd;
    Waiting waiting;
    synchronized (this) {
      if (size >= MOST) {
        return null;
      }
      size++;
      waiting = new Waiting(entered++, model, tokens, deadline, receiver);
      crowd = crowds.computeIfAbsent(models.quota(known, now), Crowd::new);
      crowd.add(waiting);
    }
    crowd.wake(); // something may have been returned before the crowd was in the wait list
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
                crowd.quota.waitList().leave(crowd);
              }
              return empty;
            });
  }

  private void step() {
    woken.set(false);
    List<DecidedWait> decided = new ArrayList<>();
    synchronized (this) {
      long now = ticker.nanos();
      long next = Ticker.NEVER;
      for (Crowd crowd : crowds.values()) {
        next = Math.min(next, crowd.takeDecided(now, decided));
      }
      size -= decided.size();
      closeEmpty();
      alarm.at(next, this::step);
    }
    decided.forEach(DecidedWait::tell);
  }

  /** Returns the number of waiting clients. */
  public synchronized int size() {
    return size;
  }

  /** Clients that wait for one quota. */
  private final class Crowd extends WaitObserver {
    private final Quota quota;
    private final TreeSet<Waiting> fewestFirst =
        new TreeSet<>(Comparator.comparingLong(Waiting::tokens).thenComparingLong(Waiting::number));
    private final TreeSet<Waiting> soonestFirst =
        new TreeSet<>(
            Comparator.comparingLong(Waiting::deadline).thenComparingLong(Waiting::number));

    Crowd(Quota quota) {
      this.quota = quota;
      quota.waitList().join(this);
    }

    void add(Waiting waiting) {
      fewestFirst.add(waiting);
      soonestFirst.add(waiting);
    }

    boolean remove(Waiting waiting) {
      fewestFirst.remove(waiting);
      return soonestFirst.remove(waiting);
    }

    /**
     * Moves the clients with a final decision to {@code decided}; returns the instant of the next
     * check.
     */
    long takeDecided(long now, List<DecidedWait> decided) {
      while (!fewestFirst.isEmpty()) {
        ModelDecision most = decide(fewestFirst.last(), now);
        if (most.possible() && !most.allowed()) {
          break;
        }
        tell(fewestFirst.last(), most, decided);
      }
      long next = Ticker.NEVER;
      while (!fewestFirst.isEmpty()) {
        ModelDecision fewest = decide(fewestFirst.first(), now);
        next = fewest.allowedAtNanos();
        if (!fewest.allowed()) {
          break;
        }
        tell(fewestFirst.first(), fewest, decided);
      }
      while (!soonestFirst.isEmpty() && soonestFirst.first().deadline() <= now) {
        tell(soonestFirst.first(), decide(soonestFirst.first(), now), decided);
      }
      return soonestFirst.isEmpty()
          ? Ticker.NEVER
          : Math.min(next, soonestFirst.first().deadline());
    }

    private ModelDecision decide(Waiting waiting, long now) {
      return decisionService.decide(waiting.model(), waiting.tokens(), now);
    }

    private void tell(Waiting waiting, ModelDecision modelDecision, List<DecidedWait> decided) {
      remove(waiting);
      decided.add(new DecidedWait(waiting, modelDecision));
    }

    @Override
    public void wake() {
      if (woken.compareAndSet(false, true)) {
        alarm.soon(DecisionWaits.this::step);
      }
    }
  }
}
