package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.fake.FakeTicker;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.DenialStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LimitSourceContract;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.sharing.MemoryDenialStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what a region publishes and when, and how it applies reports of other regions. */
class RegionSyncTest extends LimitSourceContract {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  /** Start of a cell. */
  private static final long UNIX_MILLIS = 1_800_000_000_000L;

  private static final long CELL = UNIX_MILLIS / 60_000;

  private final FakeTicker ticker = new FakeTicker();
  private final MemoryDenialStore denials = new MemoryDenialStore(this::unixMillis);
  private final List<List<Count>> told = new ArrayList<>();
  private final Map<LimitId, Map<Long, Long>> mates = new HashMap<>();
  private List<Count> before = List.of();
  private List<Count> others = List.of();
  private boolean sick;
  private boolean full;
  private long set;

  private final CountStore countStore =
      new CountStore() {
        @Override
        public CompletionStage<List<Count>> exchange(String writer, List<Count> own) {
          if (sick || (full && !own.isEmpty())) {
            return CompletableFuture.failedFuture(new IllegalStateException("sick"));
          }
          told.add(own);
          return CompletableFuture.completedFuture(others);
        }
      };

  private final DenialStore reached =
      new DenialStore() {
        @Override
        public CompletionStage<Void> publish(String region, List<Denial> some) {
          return sick
              ? CompletableFuture.failedFuture(new IllegalStateException("sick"))
              : denials.publish(region, some);
        }

        @Override
        public CompletionStage<Page> since(String region, long cursor) {
          return sick
              ? CompletableFuture.failedFuture(new IllegalStateException("sick"))
              : denials.since(region, cursor);
        }
      };

  private final RegionSync regionSync = frontier(null);
  private final LimitSource source = source(regionSync);

  private long unixMillis() {
    return UNIX_MILLIS + ticker.nanos() / 1_000_000 + set;
  }

  private RegionSync frontier(DatabaseRegions.@Nullable LocalPeers others) {
    return new RegionSync(
        new RegionSync.Stores(
            "east", countStore, reached, () -> CompletableFuture.completedFuture(before)),
        others,
        ticker,
        this::unixMillis,
        RegionSync.Terms.of(0.05),
        () -> 0);
  }

  private static LimitSource source(RegionSync regionSync) {
    return new RegionLimitSource(new LocalLimitSource(), regionSync, id -> id.id().equals("local"));
  }

  @Override
  protected LimitSource source() {
    return source;
  }

  private static LimitId id(String name) {
    return new LimitId(LimitId.Kind.KEY, name, "", LimitMeasure.TOKENS, MINUTE);
  }

  private static LimitSpec spec(long capacity) {
    return new LimitSpec.TrailingWindow(capacity, MINUTE, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  private Limit limit(String name) {
    return source.limit(id(name), spec(1_000), ticker.nanos());
  }

  private void spend(Limit limit, long amount) {
    limit.take(Weight.exactly(amount), ticker.nanos());
  }

  /** Runs all steps of the given time. */
  private void run(RegionSync which, long nanos) {
    long until = ticker.nanos() + nanos;
    long next = which.step();
    while (next <= until) {
      ticker.set(Math.max(next, ticker.nanos()));
      next = which.step();
    }
    ticker.set(until);
  }

  private void run(long nanos) {
    run(regionSync, nanos);
  }

  private Count count(String name, long cell, long amount) {
    return new Count(id(name), cell, amount);
  }

  @Test
  void counts_areToldEvery5Seconds_whenTheyChangedAndAreEnough() {
    Limit limit = limit("a");
    spend(limit, 49);
    run(5 * SECOND);
    assertThat(told.getFirst()).isEmpty();
    spend(limit, 1);
    run(5 * SECOND);
    assertThat(told.getLast()).containsExactly(count("a", CELL, 50));
    run(5 * SECOND);
    assertThat(told.getLast()).isEmpty();
    spend(limit, 10);
    run(5 * SECOND);
    assertThat(told.getLast()).containsExactly(count("a", CELL, 60));
  }

  @Test
  void smallShareOfACell_isTold_whereMuchWasUsedOfTheOneBefore() {
    Limit limit = limit("a");
    spend(limit, 50);
    run(MINUTE);
    spend(limit, 1);
    run(5 * SECOND);
    assertThat(told.getLast()).containsExactly(count("a", CELL + 1, 1));
    run(MINUTE);
    spend(limit, 1);
    run(5 * SECOND);
    assertThat(told.getLast()).isEmpty();
  }

  @Test
  void smallShareOfACellThatOthersUse_isTold() {
    Limit limit = limit("a");
    spend(limit, 3);
    others = List.of(count("a", CELL, 47));
    run(10 * SECOND);
    assertThat(told.getLast()).containsExactly(count("a", CELL, 3));
  }

  @Test
  void givenBack_isNeverTold_becauseCountsOnlyGrow() {
    Limit limit = limit("a");
    if (limit.take(Weight.exactly(100), ticker.nanos()) instanceof LimitAnswer.Receipt receipt) {
      run(5 * SECOND);
      limit.giveBack(receipt, 60, 0, ticker.nanos());
    }
    others = List.of(count("a", CELL, 1));
    run(5 * SECOND);
    assertThat(told.getLast()).isEmpty();
    assertThat(limit.room(ticker.nanos())).isEqualTo(959);
  }

  @Test
  void otherRegions_areLeftRoomFor_andNeverToldOn() {
    Limit limit = limit("a");
    spend(limit, 100);
    others = List.of(count("a", CELL, 300));
    run(10 * SECOND);
    assertThat(limit.room(ticker.nanos())).isEqualTo(600);
    assertThat(told.stream().flatMap(List::stream)).containsExactly(count("a", CELL, 100));
  }

  @Test
  void cellsFarAway_areIgnored_thoseOfClocksThatAreAheadWaitForTheirTime() {
    Limit limit = limit("a");
    others =
        List.of(
            count("a", CELL - 2, 900),
            count("a", CELL + 2, 900),
            count("a", CELL + 1, 400),
            count("unknown", CELL, 5));
    run(5 * SECOND);
    assertThat(limit.room(ticker.nanos())).isEqualTo(Long.MAX_VALUE);
    assertThat(regionSync.ledger().ignored()).isPositive();
    run(55 * SECOND);
    assertThat(limit.room(MINUTE)).isEqualTo(600);
  }

  @Test
  void whatWasSaidOfALimitThatIsNotHereYet_isKnownWhenItComes() {
    others = List.of(count("later", CELL, 700));
    run(5 * SECOND);
    assertThat(limit("later").room(ticker.nanos())).isEqualTo(300);
  }

  @Test
  void countsOfBeforeTheStart_areThisRegionsOwn() {
    before = List.of(count("a", CELL, 200));
    RegionSync again = frontier(null);
    Limit limit = source(again).limit(id("a"), spec(1_000), 0);
    spend(limit, 100);
    others = List.of(count("a", CELL, 300));
    run(again, 10 * SECOND);
    assertThat(limit.room(ticker.nanos())).isEqualTo(400);
    assertThat(told.stream().flatMap(List::stream)).contains(count("a", CELL, 300));
  }

  @Test
  void forgottenAndMadeAnew_goesOnWithItsCells() {
    spend(limit("a"), 100);
    source.forget(id("a"));
    Limit anew = limit("a");
    spend(anew, 50);
    others = List.of(count("a", CELL, 1));
    run(10 * SECOND);
    assertThat(told.stream().flatMap(List::stream)).contains(count("a", CELL, 150));
    assertThat(anew.room(ticker.nanos())).isEqualTo(1_000 - 151);
  }

  @Test
  void otherInstancesOfTheRegion_countWithIt() {
    RegionSync many = frontier(which -> mates.getOrDefault(which, Map.of()));
    Limit limit = source(many).limit(id("a"), spec(1_000), 0);
    spend(limit, 100);
    mates.put(id("a"), Map.of(CELL, 150L));
    others = List.of(count("a", CELL, 300));
    run(many, 10 * SECOND);
    assertThat(told.stream().flatMap(List::stream)).contains(count("a", CELL, 250));
    assertThat(limit.room(ticker.nanos())).isEqualTo(450);
  }

  @Test
  void denial_isToldWithinASecond_andReadWithin10() {
    Limit limit = limit("a");
    spend(limit, 900);
    run(5 * SECOND);
    limit.sharing().recordDenial(Weight.exactly(200), ticker.nanos());
    run(SECOND);
    assertThat(page("west").denials())
        .containsExactly(new DenialStore.Denial("key-tpm", "a", 60_000, CELL, 1_000));
    CompletableFuture<Void> published =
        denials
            .publish("west", List.of(new DenialStore.Denial("key-tpm", "b", 60_000, CELL, 1_000)))
            .toCompletableFuture();
    assertThat(published).isCompleted();
    Limit other = limit("b");
    run(10 * SECOND);
    assertThat(other.room(ticker.nanos())).isZero();
    other.sharing().recordDenial(Weight.exactly(1), ticker.nanos());
    run(10 * SECOND);
    assertThat(page("west").denials()).extracting(DenialStore.Denial::identifier).containsOnly("a");
  }

  @Test
  void denialOfALimitThatWasAnother_saysHowMuchWasUsed_andNoMore() {
    CompletableFuture<Void> published =
        denials
            .publish(
                "west",
                List.of(
                    new DenialStore.Denial("key-tpm", "lower", 60_000, CELL, 400),
                    new DenialStore.Denial("key-tpm", "higher", 60_000, CELL, 5_000)))
            .toCompletableFuture();
    assertThat(published).isCompleted();
    Limit lower = limit("lower");
    Limit higher = limit("higher");
    run(10 * SECOND);
    assertThat(lower.room(ticker.nanos())).isEqualTo(600);
    assertThat(higher.room(ticker.nanos())).isZero();
    run(2 * MINUTE);
    assertThat(higher.room(ticker.nanos())).as("two cells later").isEqualTo(Long.MAX_VALUE);
  }

  private DenialStore.Page page(String region) {
    return denials.since(region, DenialStore.Page.START).toCompletableFuture().join();
  }

  @Test
  void sickDatabase_isLeftAlone_dropsAreCounted_andCountsAreToldWhenItIsWell() {
    Limit limit = limit("a");
    run(5 * SECOND);
    sick = true;
    spend(limit, 200);
    run(60 * SECOND);
    long failed = regionSync.ledger().failed();
    assertThat(failed).isPositive();
    assertThat(regionSync.ledger().droppedCounts()).isPositive();
    sick = false;
    run(10 * SECOND);
    assertThat(told.stream().flatMap(List::stream)).contains(count("a", CELL, 200));
  }

  @Test
  void sickDatabase_ofWhichManyWereDenied_isAskedAgain() {
    run(5 * SECOND);
    sick = true;
    run(60 * SECOND);
    deny(350);
    assertThat(regionSync.step()).isBetween(0L, ticker.nanos() + 10 * SECOND);
    run(10 * SECOND);
    assertThat(regionSync.ledger().droppedDenials()).isEqualTo(350);
    sick = false;
    run(10 * SECOND);
    spend(limit("a"), 900);
    limit("a").sharing().recordDenial(Weight.exactly(200), ticker.nanos());
    run(10 * SECOND);
    assertThat(told.stream().flatMap(List::stream)).contains(count("a", CELL + 1, 900));
    assertThat(page("west").denials()).extracting(DenialStore.Denial::identifier).contains("a");
  }

  private void deny(int keys) {
    for (int i = 0; i < keys; i++) {
      Limit limit = limit("k" + i);
      spend(limit, 900);
      limit.sharing().recordDenial(Weight.exactly(200), ticker.nanos());
    }
  }

  @Test
  void manyDenialsAtOnce_areToldOneBatchAfterTheOther() {
    run(5 * SECOND);
    AtomicBoolean woken = new AtomicBoolean();
    regionSync.onDenial(() -> woken.set(true));
    deny(1_050);
    ticker.advance(SECOND);
    while (woken.getAndSet(false)) {
      regionSync.step();
    }
    assertThat(page("west").denials()).hasSize(1_050);
  }

  @Test
  void databaseThatTakesNothingMore_isStillRead() {
    Limit limit = limit("a");
    spend(limit, 100);
    full = true;
    others = List.of(count("a", CELL, 300));
    run(20 * SECOND);
    assertThat(regionSync.ledger().failed()).isPositive();
    assertThat(limit.room(ticker.nanos())).isEqualTo(600);
  }

  @Test
  void limitsOfOthersAndLocalOnes_areNobodysBusiness() {
    Limit local = limit("local");
    others = List.of(count("local", CELL, 1_000));
    run(10 * SECOND);
    assertThat(local.room(ticker.nanos())).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void clockThatIsSet_isFollowed() {
    Limit limit = limit("a");
    others = List.of(count("a", CELL + 30, 400));
    run(5 * SECOND);
    assertThat(limit.room(ticker.nanos())).isEqualTo(Long.MAX_VALUE);
    set = 30 * 60_000;
    run(10 * SECOND);
    assertThat(limit.room(ticker.nanos())).isEqualTo(600);
  }
}
