package io.penstock.endpoint;

import io.penstock.time.Ticker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Has one thread at a time do an endpoint's work, without a lock and without a thread of its own: a
 * counter says how much is asked for, and whoever raises it from zero works until it is zero again.
 * Safe from any thread.
 */
final class Inbox {
  /** What somebody wants of the endpoint. */
  @FunctionalInterface
  interface Message {
    void act(long now);
  }

  /** Does the work. */
  interface Owner {
    /** Does what can be done at {@code now}; returns the next instant at which there is more. */
    long step(long now);

    /** Tells what was decided, after each step. */
    void deliver();
  }

  private static final long AFTER_FAULT_NANOS = 1_000_000_000;

  private final Ticker ticker;
  private final Owner owner;
  private final Queue<Message> messages = new ConcurrentLinkedQueue<>();
  private final AtomicInteger work = new AtomicInteger();
  private long alarm = Ticker.NEVER;
  private volatile boolean rang;
  private volatile Driver driver;

  Inbox(Ticker ticker, Driver driver, Owner owner) {
    this.ticker = ticker;
    this.driver = driver;
    this.owner = owner;
  }

  /** Leaves a message, and works here and now if nobody else does. */
  void offer(Message message) {
    messages.add(message);
    if (work.getAndIncrement() == 0) {
      turn();
    }
  }

  /** Leaves a message for the driver to work on. */
  void send(Message message) {
    messages.add(message);
    signal();
  }

  /** Asks for another step. */
  void signal() {
    if (work.getAndIncrement() == 0) {
      driver.execute(this::turn);
    }
  }

  /** Has another driver run the steps; for the owner only. */
  void drivenBy(Driver next) {
    driver.at(Ticker.NEVER, this::ring);
    alarm = Ticker.NEVER;
    driver = next;
  }

  private void ring() {
    rang = true;
    if (work.getAndIncrement() == 0) {
      turn();
    }
  }

  /** Works until there is nothing to do; only one thread at a time gets here. */
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
        driver.at(next, this::ring);
      }
    } finally {
      owner.deliver();
    }
  }

  /**
   * Nobody may stay parked because of a fault, so there will be another turn: at once for messages
   * that are left, each turn takes one at least, else in a while. It is thrown where steps run, not
   * at whoever happened to come by. For the owner only.
   */
  void fault(Runnable thrown) {
    if (!messages.isEmpty()) {
      work.incrementAndGet();
    }
    long again = ticker.nanos() + AFTER_FAULT_NANOS;
    alarm = rang ? again : Math.min(alarm, again);
    rang = false;
    driver.at(alarm, this::ring);
    driver.execute(thrown);
  }
}
