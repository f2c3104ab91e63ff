package io.penstock.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The running window of a {@link FixedWindowState} without debt and reserved output, as one word
 * that threads change in place. It is the only state that is not immutable, so that a take
 * allocates nothing.
 *
 * <p>A change that the word cannot express (another window, debt, reserved output, another spec)
 * needs a successor. The thread that makes one freezes the word first: from then on nothing changes
 * here, and whatever is computed from the word holds until the successor takes its place.
 */
final class OpenWindow implements LocalState {
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(OpenWindow.class, "word", long.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  /** The bit of a frozen word; the other bits are what is charged, 0 to capacity. */
  private static final long FROZEN = Long.MIN_VALUE;

  private final LimitSpec.FixedWindow spec;
  private final long start;
  private volatile long word;

  /** The last receipt that was made; any thread may use it again for the same amount. */
  private LimitAnswer.Receipt receipt;

  OpenWindow(LimitSpec.FixedWindow spec, long start, long charged) {
    this.spec = spec;
    this.start = start;
    this.word = charged;
    this.receipt = new LimitAnswer.Receipt(start, charged, 0);
  }

  private static long charged(long word) {
    return word & ~FROZEN;
  }

  private boolean over(long now) {
    return now - start >= spec.windowNanos();
  }

  /**
   * Takes {@code amount} in place. Returns false if it does not fit or the word cannot express it.
   */
  boolean tryTake(long amount, long now) {
    return tryAdd(amount, now <= start, now);
  }

  private boolean tryAdd(long amount, boolean mayBegin, long now) {
    if (over(now)) {
      return false;
    }
    while (true) {
      long seen = word;
      if (seen < 0 || (seen == 0 && !mayBegin) || amount > spec.capacity() - seen) {
        return false;
      }
      if (WORD.compareAndSet(this, seen, seen + amount)) {
        return true;
      }
    }
  }

  /** Gives back in place. Returns false if the word cannot express it. */
  boolean tryGive(long cell, long taken, long now) {
    if (over(now)) {
      return false;
    }
    while (true) {
      long seen = word;
      if (seen < 0) {
        return false;
      }
      long back = cell == start ? Math.min(taken, seen) : 0;
      if (WORD.compareAndSet(this, seen, seen - back)) {
        return true;
      }
    }
  }

  /** Charges in place. Returns false if the word cannot express it. */
  boolean tryCharge(long amount, long now) {
    return tryAdd(amount, true, now);
  }

  /** Returns the receipt for an amount that was taken or charged here. */
  LimitAnswer.Receipt receipt(long amount) {
    LimitAnswer.Receipt known = receipt;
    if (known.taken() != amount) {
      known = new LimitAnswer.Receipt(start, amount, 0);
      receipt = known;
    }
    return known;
  }

  /** Returns the window as it is at this moment. */
  FixedWindowState seen() {
    return new FixedWindowState(spec, start, charged(word), 0, 0);
  }

  /**
   * Freezes the word. Returns the window, which stays like this until a successor takes its place.
   */
  @Override
  public FixedWindowState frozen() {
    WORD.getAndBitwiseOr(this, FROZEN);
    return seen();
  }

  @Override
  public LimitSpec.FixedWindow spec() {
    return spec;
  }

  @Override
  public long room(long now) {
    return over(now) ? spec.capacity() : spec.capacity() - charged(word);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    return seen().roomFreeAt(amount, now);
  }

  @Override
  public Taken take(long taken, long reserved, long now) {
    return frozen().take(taken, reserved, now);
  }

  @Override
  public LocalState giveBack(long cell, long taken, long reserved, long now) {
    return frozen().giveBack(cell, taken, reserved, now);
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    return frozen().charge(amount, released, now);
  }

  @Override
  public LimitBalance balance(long now) {
    return seen().balance(now);
  }

  @Override
  public List<ChargedCell> cells(long now) {
    return seen().cells(now);
  }

  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    return frozen().withSpec(next, now);
  }
}
