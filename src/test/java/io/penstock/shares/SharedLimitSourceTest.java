package io.penstock.shares;

import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareDemand;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests one instance alone, which must behave like one with local limits once it has shares. */
class SharedLimitSourceTest {
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 1_000 * SECOND);
  private static final LimitSpec LONGER = new LimitSpec.FixedWindow(100, 2_000 * SECOND);
  private static final LimitId ID = id(LimitId.Kind.KEY, 1_000);
  private static final LimitId OTHER = id(LimitId.Kind.KEY, 2_000);

  private boolean isExact = true;
  private final LoneSharer sharer = new LoneSharer(id -> isExact && id.kind() == LimitId.Kind.KEY);

  private static LimitId id(LimitId.Kind kind, long seconds) {
    return new LimitId(kind, "a", "", LimitMeasure.TOKENS, seconds * SECOND);
  }

  private Limit limit(LimitId id, LimitSpec spec) {
    return sharer.source.limit(id, spec, sharer.ticker.nanos());
  }

  private boolean takes(Limit limit, long amount) {
    return limit.take(Weight.exactly(amount), sharer.ticker.nanos()) instanceof LimitAnswer.Receipt;
  }

  /** Returns whether it takes an amount, if need be after it has waited for a larger share. */
  private boolean takesSoon(Limit limit, long amount) {
    AtomicBoolean taken = new AtomicBoolean();
    ShareDemand.Waiter waiter =
        () -> {
          if (!taken.get()) {
            limit.recordDemand(amount, sharer.ticker.nanos());
            taken.set(takes(limit, amount));
          }
        };
    ShareDemand demand = Objects.requireNonNull(limit.sharing().demand());
    demand.join(waiter);
    waiter.wake();
    sharer.run(sharer.ticker.nanos() + SECOND);
    demand.leave(waiter);
    demand.wake();
    return taken.get();
  }

  private void start() {
    sharer.slots.start();
    sharer.run(20 * SECOND);
    assertThat(sharer.slots.isReady()).isTrue();
  }

  private static boolean isShared(Limit limit) {
    return limit.sharing().contact() != null;
  }

  @Test
  void exactLimit_hasNothingBeforeTheStoreIsHeard_andThenAllThatItNeeds() {
    Limit limit = limit(ID, SPEC);
    assertThat(limit(ID, SPEC)).isSameAs(limit);
    assertThat(takes(limit, 1)).isFalse();
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    assertThat(takesSoon(limit, 40)).isTrue();
    assertThat(takesSoon(limit, 1)).isFalse();
    sharer.run(1_001 * SECOND); // the window begins a little late
    assertThat(takesSoon(limit, 100)).isTrue();
  }

  @Test
  void otherLimits_areLocal() {
    assertThat(takes(limit(id(LimitId.Kind.ENDPOINT, 1_000), SPEC), 100)).isTrue();
    assertThat(takes(limit(ID, new LimitSpec.Unlimited()), 100)).isTrue();
  }

  @Test
  void limitTooHighToBeReached_isLocal_andWhatItCountedIsSharedOnceItIsLower() {
    Limit limit = limit(ID, new LimitSpec.Day(1L << 50, null, 0));
    assertThat(takes(limit, 300)).as("before the store is heard").isTrue();
    start();
    assertThat(limit(ID, new LimitSpec.Day(1_000, null, 0))).isSameAs(limit);
    assertThat(takesSoon(limit, 701)).isFalse();
    assertThat(takesSoon(limit, 700)).isTrue();
    limit(ID, new LimitSpec.Day(1L << 50, null, 0));
    assertThat(takes(limit, 10_000)).isTrue();
  }

  @Test
  void changedId_keepsWhatIsOwedAndIsSharedUnderTheNewOne() {
    Limit limit = limit(ID, SPEC);
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    long now = sharer.ticker.nanos();
    assertThat(sharer.source.change(ID, OTHER, LONGER, now)).isSameAs(limit);
    assertThat(limit.balance(now)).isEqualTo(new LimitBalance(60, 0, 0));
    sharer.run(now + SECOND);
    assertThat(takesSoon(limit, 40)).isTrue();
    assertThat(takesSoon(limit, 1)).isFalse();
    assertThat(Objects.requireNonNull(sharer.slots.figures(OTHER)).share()).isEqualTo(100);
    assertThat(Objects.requireNonNull(sharer.slots.figures(ID)).share())
        .as("it counts until its window ends")
        .isEqualTo(60);
  }

  @Test
  void forgotten_beginsWithNothingOwed_butItsSpendingCounts() {
    Limit limit = limit(ID, SPEC);
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    sharer.source.forget(ID);
    sharer.run(sharer.ticker.nanos() + SECOND);
    Limit next = limit(ID, SPEC);
    assertThat(next).isNotSameAs(limit);
    assertThat(next.balance(sharer.ticker.nanos())).isEqualTo(LimitBalance.ZERO);
    assertThat(isShared(next)).isTrue();
  }

  @Test
  void forgotten_letsThoseWhoWaitSpendNothingMore_andIsGoneOnceItsSpendingCountsNoMore() {
    Limit limit = limit(ID, SPEC);
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    sharer.source.forget(ID);
    assertThat(takesSoon(limit, 1)).isFalse();
    assertThat(sharer.slots.named(ID.toString())).as("its share is what was spent").isEqualTo(ID);
    sharer.run(10_000 * SECOND);
    assertThat(takesSoon(limit, 1)).as("in a later window").isFalse();
    assertThat(sharer.slots.named(ID.toString())).isNull();
  }

  @Test
  void forgottenWhileTheStoreIsAway_letsNothingMorePass() {
    LoneSharer open = new LoneSharer(id -> true, OutagePolicy.ALLOW);
    Limit limit = open.source.limit(ID, SPEC, open.ticker.nanos());
    open.away = true;
    open.slots.start();
    open.run(20 * SECOND);
    assertThat(limit.room(open.ticker.nanos())).isEqualTo(Long.MAX_VALUE);
    open.source.forget(ID);
    assertThat(limit.room(open.ticker.nanos())).isZero();
  }

  @Test
  void changedId_letsNothingPassMeanwhileThatNoShareIsHeldFor() {
    Limit limit = limit(ID, SPEC);
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    List<Boolean> passed = new ArrayList<>();
    Objects.requireNonNull(limit.sharing().demand()).join(() -> passed.add(takes(limit, 1)));
    sharer.source.change(ID, OTHER, LONGER, sharer.ticker.nanos());
    assertThat(passed).as("who waited looks again").containsExactly(false);
  }

  @Test
  void sharedNoMore_isLocalAtOnce_andWakesWhoWaited() {
    Limit limit = limit(ID, SPEC);
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    AtomicInteger woken = new AtomicInteger();
    Objects.requireNonNull(limit.sharing().demand()).join(woken::incrementAndGet);
    isExact = false;
    assertThat(limit(ID, SPEC)).isSameAs(limit);
    assertThat(limit.sharing().demand()).isNull();
    assertThat(woken).hasValue(1);
    assertThat(takes(limit, 40)).isTrue();
    assertThat(takes(limit, 1)).as("what was spent of the share counts still").isFalse();
    sharer.run(10_000 * SECOND);
    assertThat(sharer.slots.named(ID.toString())).as("the store keeps it no longer").isNull();
  }

  @Test
  void sharedNoMoreInASecondWindow_isGoneOnceWhatWasSpentBeforeCountsNoMore() {
    Limit limit = limit(ID, SPEC);
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    sharer.run(1_001 * SECOND);
    assertThat(takesSoon(limit, 10)).isTrue();
    isExact = false;
    limit(ID, SPEC);
    sharer.run(10_000 * SECOND);
    assertThat(sharer.slots.named(ID.toString())).isNull();
  }

  @Test
  void sharedAgain_goesOnWithAllThatItSpent() {
    Limit limit = limit(ID, SPEC);
    start();
    assertThat(takesSoon(limit, 60)).isTrue();
    isExact = false;
    limit(ID, SPEC);
    assertThat(takes(limit, 10)).isTrue();
    sharer.run(sharer.ticker.nanos() + SECOND);
    isExact = true;
    assertThat(limit(ID, SPEC)).isSameAs(limit);
    assertThat(isShared(limit)).isTrue();
    assertThat(takesSoon(limit, 31)).isFalse();
    assertThat(takesSoon(limit, 30)).isTrue();
  }
}
