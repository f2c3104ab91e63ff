package io.penstock.coordination;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.List;

/**
 * Coordination objects of this instance alone, which end with it. One lock guards them all: each
 * use of it takes microseconds, and answers are passed on after it is released.
 */
public final class MemoryCoordination implements CoordinationService {
  private final Ticker ticker;
  private final StepAlarm alarm;
  private final ObjectDirectory directory;
  private long setNanos = Ticker.NEVER;
  private boolean closed;

  /**
   * Creates a service without objects.
   *
   * @param wall gives times in statistics; it is used for nothing else
   * @param alarm is used by this object only, and closed with it
   */
  public MemoryCoordination(ObjectBounds bounds, Ticker ticker, WallClock wall, StepAlarm alarm) {
    this.ticker = ticker;
    this.alarm = alarm;
    this.directory = new ObjectDirectory(bounds, wall, this::left);
  }

  @Override
  public ClientTurn call(String tenant, String name, ObjectOperation operation, long maxWaitNanos) {
    ClientTurn turn;
    List<ClientTurn> answered;
    synchronized (this) {
      turn = directory.call(tenant, name, operation, maxWaitNanos, ticker.nanos());
      answered = answered();
    }
    answered.forEach(ClientTurn::deliverAnswer);
    return turn;
  }

  @Override
  public void dismiss(ObjectReply answer) {
    List<ClientTurn> answered;
    synchronized (this) {
      directory.dismiss(answer);
      answered = answered();
    }
    answered.forEach(ClientTurn::deliverAnswer);
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public synchronized long waiting() {
    return directory.waiting();
  }

  @Override
  public synchronized long objects() {
    return directory.objects();
  }

  @Override
  public synchronized long bytes() {
    return directory.bytes();
  }

  private void left(ClientTurn turn) {
    List<ClientTurn> answered;
    synchronized (this) {
      directory.left(turn, ticker.nanos());
      answered = answered();
    }
    answered.forEach(ClientTurn::deliverAnswer);
  }

  private void step() {
    List<ClientTurn> answered;
    synchronized (this) {
      setNanos = Ticker.NEVER;
      answered = answered();
    }
    answered.forEach(ClientTurn::deliverAnswer);
  }

  /**
   * Does what is due, sets the alarm and returns the answered turns; called last under the lock. An
   * alarm that is set too early is left as it is, because it does no harm.
   */
  private List<ClientTurn> answered() {
    long nextNanos = directory.step(ticker.nanos());
    if (nextNanos < setNanos && !closed) {
      setNanos = nextNanos;
      alarm.at(nextNanos, this::step);
    }
    return directory.answered();
  }

  @Override
  public synchronized void close() {
    closed = true;
    alarm.close();
  }
}
