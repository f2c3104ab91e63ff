package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.fake.FakeTicker;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.StepAlarm;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests one instance alone with a store that answers at once, which must behave like a local limit.
 */
class SharedLimitSourceTest {
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, 1_000 * SECOND);

  private final FakeTicker ticker = new FakeTicker();
  private final ArrayDeque<Runnable> soon = new ArrayDeque<>();
  private Runnable later = () -> {};
  private long alarm;

  private final StepAlarm alarms =
      new StepAlarm() {
        @Override
        public void soon(Runnable step) {
          soon.add(step);
        }

        @Override
        public void at(long instantNanos, Runnable step) {
          alarm = instantNanos;
          later = step;
        }
      };

  private final SliceSync sliceSync =
      new SliceSync(
          "alone",
          new MemorySliceStore(ticker, SliceWorld.TTL, "life"),
          ticker,
          alarms,
          SliceWorld.PACE,
          OutagePolicy.PARK,
          () -> 0.5);
  private final SharedLimitSource source =
      new SharedLimitSource(sliceSync, id -> id.kind() == LimitId.Kind.KEY);

  private static LimitId id(LimitId.Kind kind, long seconds) {
    return new LimitId(kind, "a", "", LimitMeasure.TOKENS, seconds * SECOND);
  }

  private static final LimitId ID = id(LimitId.Kind.KEY, 1_000);

  private void run(long until) {
    while (!soon.isEmpty() || alarm <= until) {
      Runnable next = soon.poll();
      if (next == null) {
        ticker.set(Math.max(ticker.nanos(), alarm));
        next = later;
      }
      next.run();
    }
    ticker.set(until);
  }

  private boolean takes(Limit limit, long amount) {
    return limit.take(Weight.exactly(amount), ticker.nanos()) instanceof LimitAnswer.Receipt;
  }

  @Test
  void sharedLimit_givesAllItHasOnceTheStoreIsKnown() {
    ticker.set(5 * SECOND);
    Limit limit = source.limit(ID, SPEC, ticker.nanos());
    assertThat(source.limit(ID, SPEC, ticker.nanos())).isSameAs(limit);
    sliceSync.start();
    assertThat(takes(limit, 60)).isFalse();
    run(8 * SECOND);
    assertThat(takes(limit, 60)).isTrue();
    run(9 * SECOND);
    assertThat(takes(limit, 40)).isTrue();
    assertThat(takes(limit, 1)).isFalse();
    run(990 * SECOND);
    assertThat(takes(limit, 1)).isFalse();
    run(1_000 * SECOND + SECOND / 10);
    assertThat(takes(limit, 1)).as("idle for so long, it has no stock").isFalse();
    run(1_000 * SECOND + SECOND / 5);
    assertThat(takes(limit, 1)).isTrue();
  }

  @Test
  void otherLimits_areLocal() {
    Limit limit = source.limit(id(LimitId.Kind.ENDPOINT, 1_000), SPEC, 0);
    assertThat(takes(limit, 100)).isTrue();
    Limit strict = source.limit(ID, new LimitSpec.Unlimited(), 0);
    assertThat(takes(strict, 100)).isTrue();
  }

  /** Models have limits that are not configured. */
  @Test
  void limitThatNeverSaysNo_isLocal_andWhatItCountedIsSharedOnceItMay() {
    ticker.set(5 * SECOND);
    Limit limit = source.limit(ID, new LimitSpec.Day(1L << 50, null, 0), ticker.nanos());
    assertThat(takes(limit, 300)).as("before anything is known of the store").isTrue();
    sliceSync.start();
    run(8 * SECOND);
    source.limit(ID, new LimitSpec.Day(1_000, null, 0), ticker.nanos());
    run(12 * SECOND);
    assertThat(takes(limit, 701)).isFalse();
    run(13 * SECOND);
    assertThat(takes(limit, 701)).isFalse();
    takes(limit, 700);
    run(14 * SECOND);
    assertThat(takes(limit, 700)).isTrue();
    source.limit(ID, new LimitSpec.Day(1L << 50, null, 0), ticker.nanos());
    assertThat(takes(limit, 10_000)).isTrue();
  }

  @Test
  void changedId_keepsWhatIsOwedAndIsSharedUnderTheNewOne() {
    Limit limit = source.limit(ID, SPEC, 0);
    limit.charge(60, 0, 0);
    LimitSpec longer = new LimitSpec.FixedWindow(100, 2_000 * SECOND);
    assertThat(source.change(ID, id(LimitId.Kind.KEY, 2_000), longer, 1)).isSameAs(limit);
    assertThat(limit.balance(1)).isEqualTo(new LimitBalance(60, 0, 0));
    assertThat(sliceSync.has(ID)).isFalse();
    assertThat(sliceSync.has(id(LimitId.Kind.KEY, 2_000))).isTrue();
    assertThat(takes(limit, 1)).isFalse();
  }

  @Test
  void forgotten_startsAnewAndIsSharedAgain() {
    Limit limit = source.limit(ID, SPEC, 0);
    source.forget(ID);
    assertThat(sliceSync.has(ID)).isFalse();
    assertThat(source.limit(ID, SPEC, 0)).isNotSameAs(limit);
    assertThat(sliceSync.has(ID)).isTrue();
  }

  @Test
  void sharedNoMore_wakesWhoWaitedForSlices() {
    boolean[] exact = {true};
    SharedLimitSource changing = new SharedLimitSource(sliceSync, id -> exact[0]);
    Limit limit = changing.limit(ID, SPEC, 0);
    AtomicInteger woken = new AtomicInteger();
    Objects.requireNonNull(limit.sharing().demand()).join(woken::incrementAndGet);
    exact[0] = false;
    assertThat(changing.limit(ID, SPEC, 0)).isSameAs(limit);
    assertThat(limit.sharing().demand()).isNull();
    assertThat(woken).hasValue(1);
  }
}
