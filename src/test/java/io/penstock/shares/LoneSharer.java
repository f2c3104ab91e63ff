package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;

import io.penstock.fake.FakeTicker;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.Told;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/** Limits of one instance alone that shares them through a store which answers at once. */
final class LoneSharer implements StepAlarm {
  final FakeTicker ticker = new FakeTicker();
  final MemoryShareStore store;

  /** All that it has told. */
  final List<Told> told = new ArrayList<>();

  boolean away;
  int beats;
  final ShareSlots slots;
  final SharedLimitSource source;
  private final ArrayDeque<Runnable> soon = new ArrayDeque<>();
  private Runnable later = () -> {};
  private long alarmNanos = Ticker.NEVER;

  LoneSharer(Predicate<LimitId> exact) {
    this(exact, OutagePolicy.CONTINUE);
  }

  LoneSharer(Predicate<LimitId> exact, OutagePolicy policy) {
    store = new MemoryShareStore("run", () -> "e", EnumSet.noneOf(MemoryShareStore.Rule.class));
    ShareTerms terms =
        new ShareTerms(4 * SECOND, SECOND, SECOND, 100 * MILLI, SECOND, /* continues= */ true);
    slots =
        new ShareSlots(
            List.of(
                new ShareSync(
                    "alone",
                    this::exchange,
                    ticker,
                    this,
                    terms,
                    new CountedLimits(
                        () -> ticker.nanos() / MILLI,
                        100 * MILLI,
                        id -> id.kind() == LimitId.Kind.UPSTREAM,
                        policy,
                        0),
                    () -> 0.5)));
    source = source(id -> exact.test(id) ? SharingMode.EXACT : SharingMode.LOCAL, policy);
  }

  SharedLimitSource source(Function<LimitId, SharingMode> sharing, OutagePolicy policy) {
    return new SharedLimitSource(
        slots,
        sharing,
        new SharedLimit.Terms(policy, false, false, SECOND),
        ticker,
        () -> ticker.nanos() / MILLI);
  }

  private CompletionStage<ShareStore.Reply> exchange(ShareStore.Message message) {
    told.addAll(message.beat().told());
    beats++;
    return away
        ? CompletableFuture.failedStage(new IllegalStateException("away"))
        : CompletableFuture.completedStage(store.carryOut(message));
  }

  /** Lets another instance tell something in its beat of that number. */
  void elsewhere(long number, Told... told) {
    Beat beat =
        new Beat(
            number,
            ShareEpoch.NONE,
            0,
            0,
            true,
            false,
            false,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            true,
            false,
            List.of(told),
            0);
    store.carryOut("there", beat);
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
