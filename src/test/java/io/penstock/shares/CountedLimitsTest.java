package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.shares.ShareStore.Told;
import io.penstock.shares.ShareStore.Told.Counted;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Limits of one instance that others count, too, as it tells and hears of them in its beats. */
class CountedLimitsTest {
  private static final long WINDOW = 60 * SECOND;
  private static final long CAPACITY = 100;
  private static final LimitId ID = id("k", WINDOW);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(CAPACITY, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);

  private final LoneSharer here = new LoneSharer(id -> false);
  private final Limit limit = new Limit(TRAILING, 0);

  private static LimitId id(String name, long windowNanos) {
    return new LimitId(LimitId.Kind.KEY, name, "", LimitMeasure.REQUESTS, windowNanos);
  }

  private static Counted counted(LimitId id, long cell, long amount) {
    return new Counted(id, "there", cell, amount, 60_000);
  }

  private void start(LoneSharer sharer, boolean binds) {
    sharer.slots.start();
    sharer.run(2 * SECOND);
    sharer.slots.count(ID, limit, binds);
  }

  private static void pass(LoneSharer sharer, long nanos) {
    sharer.run(sharer.ticker.nanos() + nanos);
  }

  private boolean takes(LoneSharer sharer, long amount) {
    return limit.take(Weight.exactly(amount), sharer.ticker.nanos()) instanceof LimitAnswer.Receipt;
  }

  private List<Long> told() {
    return here.told.stream().map(each -> ((Counted) each).amount()).toList();
  }

  @Test
  void countedHere_isToldOnceItIsMoreThanBefore() {
    start(here, true);
    assertThat(takes(here, 10)).isTrue();
    pass(here, 2 * SECOND);
    assertThat(takes(here, 1)).isTrue();
    pass(here, 2 * SECOND);
    assertThat(told()).containsExactly(10L, 11L);
    Told.Counted last = (Told.Counted) here.told.getLast();
    assertThat(last.cell()).isZero();
    assertThat(last.leftMillis()).isBetween(110_000L, 120_000L);
  }

  @Test
  void countedByOthers_leavesLessRoomAndIsNeverToldOn() {
    start(here, true);
    here.elsewhere(1, counted(ID, 0, 50), counted(id("stranger", WINDOW), 0, 9));
    pass(here, 2 * SECOND);
    assertThat(limit.room(here.ticker.nanos())).isEqualTo(CAPACITY - 50);
    assertThat(here.slots.counted(ID, here.ticker.nanos())).isEqualTo(50);
    assertThat(here.slots.cells(ID)).containsEntry(0L, 50L);
    here.elsewhere(2, counted(ID, 0, 40));
    pass(here, 2 * SECOND);
    assertThat(limit.room(here.ticker.nanos())).as("counts only grow").isEqualTo(CAPACITY - 50);
    assertThat(told()).isEmpty();
  }

  @Test
  void countedByOthersBeforeTheLimitWasThere_isKnownAtOnce() {
    here.slots.start();
    here.elsewhere(1, counted(ID, 0, 50));
    here.run(2 * SECOND);
    here.slots.count(ID, limit, true);
    assertThat(limit.room(here.ticker.nanos())).isEqualTo(CAPACITY - 50);
    here.slots.uncount(ID, true);
    assertThat(limit.room(here.ticker.nanos())).isEqualTo(Long.MAX_VALUE);
    assertThat(here.slots.counted(ID, here.ticker.nanos())).isZero();
  }

  @Test
  void countsOfAnEarlierCell_heardInSeveralAnswers_areNotTakenToBeOfNow() {
    here.store.bound(100, 1);
    here.ticker.set(61 * SECOND);
    here.elsewhere(
        1,
        counted(id("a", WINDOW), 0, 9),
        counted(id("b", WINDOW), 0, 9),
        counted(ID, 0, 60),
        counted(id("c", WINDOW), 0, 9));
    here.slots.start();
    here.slots.count(ID, limit, true);
    here.run(64 * SECOND);
    assertThat(here.beats).as("what is left is asked for at once").isGreaterThan(4);
    assertThat(here.slots.counted(ID, here.ticker.nanos())).isBetween(50L, 58L);
    here.run(90 * SECOND);
    assertThat(here.slots.counted(ID, here.ticker.nanos())).isBetween(25L, 35L);
  }

  @Test
  void limitThatIsOnlyKnown_keepsItsRoom() {
    start(here, false);
    here.elsewhere(1, counted(ID, 0, 50));
    pass(here, 2 * SECOND);
    assertThat(limit.room(here.ticker.nanos())).isEqualTo(Long.MAX_VALUE);
    assertThat(here.slots.counted(ID, here.ticker.nanos())).isEqualTo(50);
  }

  @Test
  void unansweredCounts_areToldAgain_andAllAreAfterALoss() {
    start(here, true);
    here.away = true;
    assertThat(takes(here, 10)).isTrue();
    pass(here, 150 * MILLI);
    here.away = false;
    pass(here, 2 * SECOND);
    assertThat(told()).hasSizeGreaterThan(1).containsOnly(10L);
    here.told.clear();
    pass(here, 5 * SECOND);
    assertThat(told()).isEmpty();
    here.store.flush();
    pass(here, 2 * SECOND);
    assertThat(told()).contains(10L);
  }

  @Test
  void givenBack_isNotTakenBackFromWhatWasTold() {
    start(here, true);
    LimitAnswer.Receipt receipt =
        (LimitAnswer.Receipt) limit.take(Weight.exactly(10), here.ticker.nanos());
    pass(here, SECOND);
    limit.giveBack(receipt, 4, 0, here.ticker.nanos());
    assertThat(takes(here, 3)).isTrue();
    pass(here, SECOND);
    assertThat(told()).containsExactly(10L);
  }

  @Test
  void idle_beatsOnceASecond_andTenTimesWhileOthersCount() {
    start(here, true);
    here.beats = 0;
    pass(here, 10 * SECOND);
    assertThat(here.beats).isBetween(9, 12);
    for (int i = 1; i <= 20; i++) {
      here.beats = i > 10 ? here.beats : 0;
      here.elsewhere(i, counted(ID, 0, i));
      pass(here, 100 * MILLI);
    }
    assertThat(here.beats).isBetween(9, 12);
  }

  @ParameterizedTest
  @EnumSource(OutagePolicy.class)
  void storeAway_policyDecides_untilThereIsAnAnswer(OutagePolicy policy) {
    LoneSharer sharer = new LoneSharer(id -> false, policy);
    start(sharer, true);
    AtomicInteger woken = new AtomicInteger();
    Objects.requireNonNull(limit.sharing().demand()).join(woken::incrementAndGet);
    assertThat(takes(sharer, CAPACITY)).isTrue();
    sharer.away = true;
    pass(sharer, 6 * SECOND);
    assertThat(limit.sharing().refusal() != null).isEqualTo(policy == OutagePolicy.REFUSE);
    assertThat(takes(sharer, 70)).isEqualTo(policy == OutagePolicy.ALLOW);
    sharer.away = false;
    pass(sharer, 2 * SECOND);
    assertThat(limit.sharing().refusal()).isNull();
    assertThat(takes(sharer, 1)).isFalse();
    assertThat(woken.get() > 0).isTrue();
    long all = policy == OutagePolicy.ALLOW ? CAPACITY + 70 : CAPACITY;
    assertThat(((Counted) sharer.told.getLast()).amount()).isEqualTo(all);
  }

  @Test
  void joinedWhileAway_doesAsAllOthers() {
    LoneSharer sharer = new LoneSharer(id -> false, OutagePolicy.REFUSE);
    start(sharer, true);
    sharer.away = true;
    pass(sharer, 6 * SECOND);
    Limit later = new Limit(TRAILING, 0);
    sharer.slots.count(id("b", WINDOW), later, true);
    assertThat(later.sharing().refusal()).isNotNull();
    Limit known = new Limit(TRAILING, 0);
    sharer.slots.count(id("c", WINDOW), known, false);
    assertThat(known.sharing().refusal()).isNull();
  }
}
