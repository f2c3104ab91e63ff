package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.shares.ShareStore.Told.Counted;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import org.junit.jupiter.api.Test;

/** Tests which limits are counted with other instances, and which of them leave room for those. */
class SharedLimitCountsTest {
  private static final long SECOND = 1_000_000_000L;

  private final LoneSharer here = new LoneSharer(id -> false);
  private long number;

  private static LimitId id(Kind kind, long seconds) {
    return new LimitId(kind, "a", "", LimitMeasure.REQUESTS, seconds * SECOND);
  }

  private static LimitSpec window(long seconds) {
    return new LimitSpec.FixedWindow(100, seconds * SECOND);
  }

  private LimitSource source(SharingMode sharingMode) {
    return here.source(id -> sharingMode, OutagePolicy.CONTINUE);
  }

  private void elsewhere(LimitId id, long amount) {
    here.slots.start();
    here.run(here.ticker.nanos() + SECOND);
    long cell = here.ticker.nanos() / id.durationNanos();
    here.elsewhere(++number, new Counted(id, "there", cell, amount, 60_000));
    here.run(here.ticker.nanos() + 2 * SECOND);
  }

  @Test
  void eventual_leavesRoomForOthers() {
    LimitId id = id(Kind.KEY, 60);
    Limit limit = source(SharingMode.EVENTUAL).limit(id, window(60), 0);
    elsewhere(id, 30);
    assertThat(limit.room(here.ticker.nanos())).isEqualTo(70);
    assertThat(here.slots.counted(id, here.ticker.nanos())).isEqualTo(30);
  }

  @Test
  void exact_isKnown_butWhatMayBeSpentIsTheShare() {
    LimitId id = id(Kind.KEY, 60);
    Limit limit = source(SharingMode.EXACT).limit(id, window(60), 0);
    elsewhere(id, 30);
    assertThat(limit.room(here.ticker.nanos())).as("nothing was asked for").isZero();
    assertThat(here.slots.counted(id, here.ticker.nanos())).isEqualTo(30);
    assertThat(limit.remainder(here.ticker.nanos()).amount()).isEqualTo(70);
  }

  @Test
  void local_isNobodysBusiness() {
    LimitId id = id(Kind.KEY, 60);
    Limit limit = source(SharingMode.LOCAL).limit(id, window(60), 0);
    elsewhere(id, 30);
    assertThat(here.slots.counted(id, here.ticker.nanos())).isZero();
    assertThat(limit.remainder(here.ticker.nanos()).amount()).isEqualTo(100);
  }

  @Test
  void askedForAgain_keepsWhatIsKnown() {
    LimitId id = id(Kind.KEY, 60);
    LimitSource source = source(SharingMode.EVENTUAL);
    Limit limit = source.limit(id, window(60), 0);
    elsewhere(id, 30);
    assertThat(source.limit(id, new LimitSpec.FixedWindow(50, 60 * SECOND), here.ticker.nanos()))
        .isSameAs(limit);
    assertThat(limit.room(here.ticker.nanos())).isEqualTo(20);
  }

  @Test
  void changedAndForgotten_isCountedUnderItsNewIdAndThenNotAtAll() {
    LimitId id = id(Kind.ENDPOINT, 60);
    LimitId longer = id(Kind.ENDPOINT, 120);
    LimitSource source = source(SharingMode.EVENTUAL);
    Limit limit = source.limit(id, window(60), 0);
    limit.take(Weight.exactly(10), 0);
    assertThat(source.change(id, longer, window(120), 1)).isSameAs(limit);
    elsewhere(id, 30);
    elsewhere(longer, 40);
    assertThat(here.slots.counted(id, here.ticker.nanos())).isZero();
    assertThat(limit.room(here.ticker.nanos())).isEqualTo(50);
    source.forget(longer);
    assertThat(here.slots.counted(longer, here.ticker.nanos())).isZero();
    assertThat(limit.room(here.ticker.nanos())).as("for requests that still wait").isEqualTo(50);
  }
}
