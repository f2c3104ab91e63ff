package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;

import io.penstock.fake.FakeTicker;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Limits of one instance alone that shares them through a store which answers at once. */
final class LoneSharer implements StepAlarm {
  final FakeTicker ticker = new FakeTicker();
  final ShareSlots slots;
  final SharedLimitSource source;
  private final ArrayDeque<Runnable> soon = new ArrayDeque<>();
  private Runnable later = () -> {};
  private long alarmNanos = Ticker.NEVER;

  /** Whether the store answers nothing. */
  boolean isAway;

  LoneSharer(Predicate<LimitId> exact) {
    this(exact, OutagePolicy.CONTINUE);
  }

  LoneSharer(Predicate<LimitId> exact, OutagePolicy policy) {
    MemoryShareStore store =
        new MemoryShareStore("run", () -> "e", EnumSet.noneOf(MemoryShareStore.Rule.class));
    ShareTerms terms =
        new ShareTerms(4 * SECOND, SECOND, SECOND, 100 * MILLI, SECOND, /* continues= */ true);
    slots =
        new ShareSlots(
            List.of(
                new ShareSync(
                    "alone",
                    message ->
                        isAway
                            ? new CompletableFuture<>()
                            : CompletableFuture.completedStage(store.carryOut(message)),
                    ticker,
                    this,
                    terms,
                    () -> 0.5)));
    source =
        new SharedLimitSource(
            slots,
            exact,
            new SharedLimit.Terms(policy, false, false, SECOND),
            ticker,
            () -> ticker.nanos() / MILLI);
  }

  @Override
  public void soon(Runnable step) {
    soon.add(step);
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    alarmNanos = instantNanos;
    later = step;
  }

  /** Lets time pass, and runs each step when it is due. */
  void run(long until) {
    while (!soon.isEmpty() || alarmNanos <= until) {
      Runnable next = soon.poll();
      if (next == null) {
        ticker.set(Math.max(ticker.nanos(), alarmNanos));
        alarmNanos = Ticker.NEVER;
        next = later;
      }
      next.run();
    }
    ticker.set(until);
  }
}
