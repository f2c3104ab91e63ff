package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.shares.ShareStore.Told.Counted;
import io.penstock.sharing.LimitId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FreshCountsTest {
  private static final long MINUTE = 60 * SECOND;
  private static final LimitId ID = id("k", MINUTE);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(100, MINUTE, 0, LimitSpec.TrailingWindow.UNPACED);
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, MINUTE);

  private final LoneSharer here = new LoneSharer(id -> false);
  private final Limit limit = new Limit(TRAILING, 0);
  private final FreshCounts fresh = new FreshCounts(here.slots, id -> true, () -> 50_000);

  private static LimitId id(String name, long nanos) {
    return new LimitId(LimitId.Kind.KEY, name, "", LimitMeasure.REQUESTS, nanos);
  }

  private @Nullable CompletableFuture<Boolean> before(boolean afterDenial, long now) {
    CompletionStage<Boolean> stage = fresh.before(ID, afterDenial, now);
    return stage == null ? null : stage.toCompletableFuture();
  }

  /** Lets it hear nothing for so long. */
  private long later(long nanos) {
    here.ticker.advance(nanos);
    return here.ticker.nanos();
  }

  @BeforeEach
  void start() {
    here.slots.start();
    here.run(2 * SECOND);
    here.slots.count(ID, limit, true);
    here.run(2 * SECOND + 50 * MILLI);
  }

  @Test
  void coldKey_waitsForOneBeat_whichBringsWhatOthersCounted() {
    long now = later(150 * MILLI);
    here.elsewhere(1, new Counted(ID, "there", 0, 100, 60_000));
    int beats = here.beats;
    CompletableFuture<Boolean> first = before(false, now);
    CompletableFuture<Boolean> second = before(false, now);
    assertThat(first).isNotNull().isNotDone();
    here.run(now);
    assertThat(first).isCompletedWithValue(true);
    assertThat(second).isCompletedWithValue(true);
    assertThat(here.beats).isEqualTo(beats + 1);
    assertThat(limit.room(now)).isZero();
    assertThat(before(false, now)).isNull();
  }

  @Test
  void limitThatWasUsedHere_isDecidedAtOnce() {
    limit.take(Weight.exactly(1), here.ticker.nanos());
    assertThat(before(false, later(150 * MILLI))).isNull();
    here.slots.count(ID, limit, false);
    assertThat(before(false, later(MINUTE))).isNull();
  }

  @Test
  void limitThatIsNewHere_waits_ifOthersCountItAfterTheFact() {
    LimitId other = id("other", MINUTE);
    assertThat(fresh.mayWait()).isTrue();
    assertThat(fresh.before(other, false, here.ticker.nanos())).isNotNull();
    FreshCounts exact = new FreshCounts(here.slots, id -> false, () -> 50_000);
    assertThat(exact.before(other, false, here.ticker.nanos())).isNull();
    ShareSlots none = new ShareSlots(List.of());
    assertThat(new FreshCounts(none, id -> true, () -> 0).mayWait()).isFalse();
  }

  @Test
  void storeAway_nothingWaits() {
    here.away = true;
    here.run(10 * SECOND);
    assertThat(before(false, here.ticker.nanos())).isCompletedWithValue(false);
  }

  @Test
  void beatThatFails_endsTheWait() {
    long now = later(150 * MILLI);
    here.away = true;
    CompletableFuture<Boolean> waits = before(false, now);
    here.run(now);
    assertThat(waits).isCompletedWithValue(false);
  }

  @Test
  void leaving_endsTheWait() {
    CompletableFuture<Boolean> waits = before(false, later(150 * MILLI));
    var _ = here.slots.leave();
    assertThat(waits).isCompletedWithValue(false);
  }

  @Test
  void denied_waitsForOneWindowFromTheRequest_unlessHeardJustBefore() {
    limit.take(Weight.exactly(1), here.ticker.nanos());
    long now = later(50 * MILLI);
    assertThat(before(true, now)).as("never denied").isNull();
    fresh.denied(ID, TRAILING, now);
    assertThat(before(false, now)).isNull();
    CompletableFuture<Boolean> waits = before(true, now);
    here.run(now);
    assertThat(waits).isCompletedWithValue(true);
    assertThat(before(true, later(FreshCounts.FRESH_NANOS))).isNull();
    assertThat(before(true, later(1))).isNotNull();
    assertThat(before(true, now + MINUTE - 1)).isNotNull();
    assertThat(before(true, now + MINUTE)).isNull();
  }

  @Test
  void deniedByAFixedWindow_waitsUntilItsCellEnds() {
    limit.take(Weight.exactly(1), here.ticker.nanos());
    long now = later(50 * MILLI);
    fresh.denied(ID, FIXED, now);
    assertThat(before(true, now + 10 * SECOND - 1)).isNotNull();
    assertThat(before(true, now + 10 * SECOND)).isNull();
  }

  @Test
  void limitWithoutAWindow_isNeverWaitedFor() {
    LimitId bare = id("bare", 0);
    here.slots.count(bare, limit, true);
    fresh.denied(bare, FIXED, 5);
    assertThat(fresh.before(bare, true, 6)).isNull();
  }

  @Test
  void oneMoreThanIsRemembered_isDecidedAsOthersUntilThereIsRoom() {
    limit.take(Weight.exactly(1), here.ticker.nanos());
    long now = later(50 * MILLI);
    for (int each = 0; each < FreshCounts.MOST; each++) {
      fresh.denied(id("k" + each, MINUTE), TRAILING, now);
    }
    fresh.denied(ID, TRAILING, now + 1);
    assertThat(before(true, now + 1)).isNull();
    fresh.denied(ID, TRAILING, now + MINUTE);
    assertThat(before(true, now + MINUTE)).isNotNull();
  }
}
