package io.penstock.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** State that wraps another one, and adds what others spend or count of the limit. */
interface Around extends LimitState {
  /** Returns the state as it would be without others. */
  LimitState own();

  /** Returns {@link #own()} as it is at {@code now}. */
  default LimitState own(long now) {
    return own();
  }

  /** Returns this state around another one: itself when that is equal to the present one. */
  LimitState around(LimitState next);

  @Override
  default LimitSpec spec() {
    return own().spec();
  }

  @Override
  default long capacity() {
    return own().capacity();
  }

  @Override
  default long capacity(long now) {
    return own().capacity(now);
  }

  @Override
  default long restores(long now) {
    return own().restores(now);
  }

  @Override
  default LimitState told(ProviderNotice notice, long now) {
    return around(own().told(notice, now));
  }

  @Override
  default LimitState widened(long nanos) {
    return around(own().widened(nanos));
  }

  @Override
  default @Nullable LearnedLimit learned(long now) {
    return own().learned(now);
  }

  @Override
  default long paced(long amount, long now) {
    return own(now).paced(amount, now);
  }

  @Override
  default LimitState give(long cell, long taken, long held, long now) {
    return around(own().give(cell, taken, held, now));
  }

  @Override
  default LimitState give(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    return around(own().give(receipt, taken, held, now));
  }

  @Override
  default LimitBalance balance(long now) {
    return own(now).balance(now);
  }

  @Override
  default List<ChargedCell> cells(long now) {
    return own(now).cells(now);
  }
}
