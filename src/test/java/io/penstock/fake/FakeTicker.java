package io.penstock.fake;

import io.penstock.time.Ticker;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is moved. */
public final class FakeTicker implements Ticker {
  private final AtomicLong nanos = new AtomicLong();

  @Override
  public long nanos() {
    return nanos.get();
  }

  /** Moves the clock to an instant. */
  public void set(long instantNanos) {
    nanos.set(instantNanos);
  }

  /** Moves the clock on. */
  public void advance(long byNanos) {
    nanos.addAndGet(byNanos);
  }
}
