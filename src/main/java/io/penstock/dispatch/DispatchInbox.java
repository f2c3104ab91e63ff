package io.penstock.dispatch;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs an endpoint's work on one thread at a time, without a lock and without a thread of its own.
 * A counter holds the number of pending requests for work; the thread that raises it from zero does
 * the work until it is zero again. Safe from any thread.
 */
public final class DispatchInbox {
  /** A task for the owner of the queue. */
  @FunctionalInterface
  public interface Message {
    void act(long now);
  }

  /** The code that does the work, called by one thread at a time. */
  public interface Owner {
    /**
     * Does everything that is due at {@code now}; returns the next instant at which more may be.
     */
    long step(long now);

    /** Delivers the decisions made, after each step. */
    void deliver();
  }

  private static final long AFTER_FAULT_NANOS = 1_000_000_000;

  private final Ticker ticker;
  private final Owner owner;
  private final Queue<Message> messages = new ConcurrentLinkedQueue<>();
  private final AtomicInteger work = new AtomicInteger();
  private long alarm = Ticker.NEVER;
  private volatile boolean rang;
  private volatile StepAlarm stepAlarm;

  public DispatchInbox(Ticker ticker, StepAlarm stepAlarm, Owner owner) {
    this.ticker = ticker;
    this.stepAlarm = stepAlarm;
    this.owner = owner;
  }

  /** Adds a message, and works on it here and now unless another thread is working. */
  public void offer(Message message) {
    messages.add(message);
    if (work.getAndIncrement() == 0) {
      turn();
    }
  }

  /** Adds a message for the alarm's thread to work on. */
  public void send(Message message) {
    messages.add(message);
    signal();
  }

  /** Asks for another step. */
  public void signal() {
    if (work.getAndIncrement() == 0) {
      stepAlarm.soon(this::turn);
    }
  }

  /** Replaces the alarm that runs the steps; for the owner only. */
  public void replaceAlarm(StepAlarm next) {
    stepAlarm.at(Ticker.NEVER, this::ring);
    alarm = Ticker.NEVER;
    stepAlarm = next;
  }

  private void ring() {
    rang = true;
    if (work.getAndIncrement() == 0) {
      turn();
    }
  }

  /** Works until there is nothing left to do; only one thread at a time gets here. */
  private void turn() {
    int seen = work.get();
    do {
      try {
        once(ticker.nanos());
      } catch (RuntimeException | Error fault) {
        fault(
            () -> {
              throw fault;
            });
      }
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void once(long now) {
    try {
      for (Message message = messages.poll(); message != null; message = messages.poll()) {
        message.act(now);
      }
      long next = owner.step(now);
      if (rang) {
        rang = false;
        alarm = Ticker.NEVER;
      }
      if (next != alarm) {
        alarm = next;
        stepAlarm.at(next, this::ring);
      }
    } finally {
      owner.deliver();
    }
  }

  /**
   * Handles a fault of a step. No ticket may stay parked because of it, so there is another turn:
   * at once if messages are left (each turn takes at least one), else after a while. The fault is
   * rethrown where steps run, not in the thread that happened to work. For the owner only.
   */
  public void fault(Runnable thrown) {
    if (!messages.isEmpty()) {
      work.incrementAndGet();
    }
    long again = ticker.nanos() + AFTER_FAULT_NANOS;
    alarm = rang ? again : Math.min(alarm, again);
    rang = false;
    stepAlarm.at(alarm, this::ring);
    stepAlarm.soon(thrown);
  }
}
