package io.penstock.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** State that wraps another one, and adds what others spend or count of the limit. */
interface Around extends LimitState {
  /** Returns the state as it would be without others. */
  LimitState wrapped();

  /** Returns {@link #wrapped()} as it is at {@code now}. */
  default LimitState wrapped(long now) {
    return wrapped();
  }

  /** Returns this state around another one: itself when that is equal to the present one. */
  LimitState wrap(LimitState next);

  @Override
  default LimitSpec spec() {
    return wrapped().spec();
  }

  @Override
  default long capacity() {
    return wrapped().capacity();
  }

  @Override
  default long capacity(long now) {
    return wrapped().capacity(now);
  }

  @Override
  default long restoredAt(long now) {
    return wrapped().restoredAt(now);
  }

  @Override
  default LimitState withNotice(ProviderNotice notice, long now) {
    return wrap(wrapped().withNotice(notice, now));
  }

  @Override
  default LimitState widened(long nanos) {
    return wrap(wrapped().widened(nanos));
  }

  @Override
  default @Nullable LearnedLimit learned(long now) {
    return wrapped().learned(now);
  }

  @Override
  default long paceAllowsAt(long amount, long now) {
    return wrapped(now).paceAllowsAt(amount, now);
  }

  @Override
  default LimitState giveBack(long cell, long taken, long held, long now) {
    return wrap(wrapped().giveBack(cell, taken, held, now));
  }

  @Override
  default LimitState giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    return wrap(wrapped().giveBack(receipt, taken, held, now));
  }

  @Override
  default LimitBalance balance(long now) {
    return wrapped(now).balance(now);
  }

  @Override
  default List<ChargedCell> cells(long now) {
    return wrapped(now).cells(now);
  }
}
