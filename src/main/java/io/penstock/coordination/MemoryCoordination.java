package io.penstock.coordination;

import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.List;

/**
 * Objects of this instance alone, which end with it. One lock keeps them all: what is done under it
 * takes microseconds, and who has an answer is told afterwards.
 */
public final class MemoryCoordination implements Coordination {
  private final Ticker ticker;
  private final Alarm alarm;
  private final Directory directory;
  private long setNanos = Ticker.NEVER;
  private boolean closed;

  /**
   * Makes one without objects.
   *
   * @param wall for what is shown only
   * @param alarm runs this and nothing else, and is closed with it
   */
  public MemoryCoordination(Bounds bounds, Ticker ticker, WallClock wall, Alarm alarm) {
    this.ticker = ticker;
    this.alarm = alarm;
    this.directory = new Directory(bounds, wall, this::left);
  }

  @Override
  public Turn call(String name, Operation operation, long maxWaitNanos) {
    Turn turn;
    List<Turn> answered;
    synchronized (this) {
      turn = directory.call(name, operation, maxWaitNanos, ticker.nanos());
      answered = answered();
    }
    answered.forEach(Turn::tell);
    return turn;
  }

  @Override
  public void dismiss(Reply answer) {
    List<Turn> answered;
    synchronized (this) {
      directory.dismiss(answer);
      answered = answered();
    }
    answered.forEach(Turn::tell);
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

  private void left(Turn turn) {
    List<Turn> answered;
    synchronized (this) {
      directory.left(turn, ticker.nanos());
      answered = answered();
    }
    answered.forEach(Turn::tell);
  }

  private void step() {
    List<Turn> answered;
    synchronized (this) {
      setNanos = Ticker.NEVER;
      answered = answered();
    }
    answered.forEach(Turn::tell);
  }

  /** Under the lock, last of all. An alarm that rings too early does no harm; it is left to. */
  private List<Turn> answered() {
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
