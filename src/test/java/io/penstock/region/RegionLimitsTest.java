package io.penstock.region;

import static io.penstock.region.Coast.CELL;
import static io.penstock.region.Coast.MINUTE;
import static io.penstock.region.Coast.UNIX_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which limits are known, with which counts of other regions, and for how long. */
class RegionLimitsTest {
  private static final LimitId A = Coast.id("a");
  private static final long MILLI = 1_000_000;

  private final Map<LimitId, Map<Long, Long>> mates = new HashMap<>();
  private final RegionStatistics regionStatistics = new RegionStatistics();
  private final RegionLimits regionLimits = atlas(null);
  private long now;
  private long set;

  private RegionLimits atlas(DatabaseRegions.@Nullable LocalPeers others) {
    return new RegionLimits(
        others,
        () -> UNIX_MILLIS + now / MILLI + set,
        (id, cell, limit) -> {
          throw new AssertionError("nobody is denied");
        },
        regionStatistics,
        0);
  }

  private RegionLimits ofMany() {
    return atlas(id -> mates.getOrDefault(id, Map.of()));
  }

  private Limit joined(RegionLimits which, LimitId id) {
    Limit limit = new Limit(Coast.spec(), now);
    which.join(id, limit, now);
    return limit;
  }

  private void spend(Limit limit, long amount) {
    limit.take(Weight.exactly(amount), now);
  }

  private void hear(RegionLimits which, String name, long cell, long amount) {
    which.applyCount(Coast.count(name, cell, amount), now);
  }

  /** Reports counts of limits that this instance does not have. */
  private void fill(String prefix, int limits) {
    for (int i = 0; i < limits; i++) {
      hear(regionLimits, prefix + i, Math.floorDiv(now, MINUTE) + CELL, 1);
    }
  }

  /** Returns whether a report about one more unknown limit is accepted. */
  private boolean hasPlaceFor(String name) {
    long ignored = regionStatistics.ignored();
    hear(regionLimits, name, Math.floorDiv(now, MINUTE) + CELL, 1);
    return regionStatistics.ignored() == ignored;
  }

  private static List<Count> told(RegionLimits which) {
    return which.collectDue(0);
  }

  @Test
  void moreLimitsThatNobodyHas_findNoPlace_untilOneComesHere() {
    joined(regionLimits, A);
    fill("k", RegionLimits.MOST_UNKNOWN);
    assertThat(regionStatistics.ignored()).isZero();
    assertThat(hasPlaceFor("more")).isFalse();
    assertThat(hasPlaceFor("k7")).as("it is known").isTrue();
    assertThat(hasPlaceFor("a")).as("it is here").isTrue();
    joined(regionLimits, Coast.id("k7"));
    assertThat(hasPlaceFor("more")).isTrue();
    assertThat(hasPlaceFor("even more")).isFalse();
  }

  @Test
  void limitThatLeft_takesAPlace_onceHoweverOftenItLeaves() {
    fill("k", RegionLimits.MOST_UNKNOWN - 2);
    joined(regionLimits, A);
    regionLimits.leave(A);
    regionLimits.leave(A);
    regionLimits.leave(Coast.id("k1"));
    regionLimits.leave(Coast.id("nobody"));
    assertThat(hasPlaceFor("more")).isTrue();
    assertThat(hasPlaceFor("even more")).isFalse();
  }

  @Test
  void limitThatIsMadeAnew_givesNoPlaceThatItDidNotTake() {
    joined(regionLimits, A);
    joined(regionLimits, A);
    fill("k", RegionLimits.MOST_UNKNOWN);
    assertThat(hasPlaceFor("more")).isFalse();
  }

  @Test
  void limitsThatAreForgotten_takeNoPlace() {
    fill("k", RegionLimits.MOST_UNKNOWN);
    now = 2 * MINUTE;
    regionLimits.forget(now);
    regionLimits.forget(now);
    fill("l", RegionLimits.MOST_UNKNOWN);
    assertThat(regionStatistics.ignored()).isZero();
    assertThat(hasPlaceFor("more")).isFalse();
  }

  @Test
  void limitThatNobodyHas_isForgottenNotBeforeItsCellsAre() {
    hear(regionLimits, "a", CELL, 700);
    now = 2 * MINUTE - 1;
    regionLimits.forget(now);
    Limit limit = joined(regionLimits, A);
    assertThat(limit.room(MINUTE)).isEqualTo(300);
    now = 2 * MINUTE;
    regionLimits.forget(now);
    assertThat(limit.sharing().isBoundToRegions()).isTrue();
    hear(regionLimits, "a", CELL + 2, 100);
    assertThat(limit.room(now)).as("it is here, and known as before").isEqualTo(900);
  }

  @Test
  void limitThatLeft_leavesRoomForNobody_andCountsAsBeforeWhenItComesBack() {
    Limit limit = joined(regionLimits, A);
    hear(regionLimits, "a", CELL, 700);
    spend(limit, 100);
    assertThat(limit.room(now)).isEqualTo(200);
    regionLimits.leave(A);
    assertThat(limit.sharing().isBoundToRegions()).isFalse();
    assertThat(limit.room(now)).isEqualTo(900);
    assertThat(joined(regionLimits, A).room(now)).isEqualTo(200);
    assertThat(told(regionLimits)).containsExactly(Coast.count("a", CELL, 100));
  }

  @Test
  void limitInPlaceOfAnother_goesOnWithWhatThatCounted() {
    Limit first = joined(regionLimits, A);
    spend(first, 100);
    Limit second = joined(regionLimits, A);
    assertThat(first.sharing().isBoundToRegions()).as("it counts no more").isFalse();
    spend(second, 50);
    Limit third = joined(regionLimits, A);
    hear(regionLimits, "a", CELL, 1);
    assertThat(third.room(now)).isEqualTo(1_000 - 151);
    assertThat(told(regionLimits)).containsExactly(Coast.count("a", CELL, 150));
  }

  @Test
  void limitThatJoinsAgain_keepsWhatItCounts() {
    Limit limit = joined(regionLimits, A);
    spend(limit, 100);
    regionLimits.join(A, limit, now);
    assertThat(limit.sharing().localCounts()).containsOnly(Map.entry(CELL, 100L));
  }

  @Test
  void countsOfOtherInstances_areLeftRoomFor_withoutAnyNewsOfOtherRegions() {
    RegionLimits many = ofMany();
    Limit limit = joined(many, A);
    hear(many, "a", CELL, 300);
    assertThat(limit.room(now)).isEqualTo(700);
    mates.put(A, Map.of(CELL, 150L));
    many.follow(now);
    assertThat(limit.room(now)).isEqualTo(550);
  }

  @Test
  void countsOfOtherInstances_areOfTheCellThatRunsAndTheOneBefore() {
    RegionLimits many = ofMany();
    joined(many, A);
    mates.put(A, Map.of(CELL - 2, 30L, CELL - 1, 20L, CELL, 10L));
    many.follow(now);
    assertThat(told(many))
        .containsExactly(Coast.count("a", CELL - 1, 20), Coast.count("a", CELL, 10));
  }

  @Test
  void limitThatOthersSaidSomethingOfFirst_countsWithTheOtherInstancesToo() {
    RegionLimits many = ofMany();
    hear(many, "a", CELL, 300);
    Limit limit = joined(many, A);
    mates.put(A, Map.of(CELL, 150L));
    many.follow(now);
    spend(limit, 50);
    assertThat(limit.room(now)).isEqualTo(500);
    assertThat(told(many)).containsExactly(Coast.count("a", CELL, 200));
  }

  @Test
  void limitOfManyInstances_thatIsMadeAnew_goesOnWithTheLargerOfWhatIsKnown() {
    RegionLimits many = ofMany();
    many.restore(Coast.count("a", CELL, 400), now);
    Limit limit = joined(many, A);
    spend(limit, 100);
    hear(many, "a", CELL, 1);
    assertThat(limit.room(now)).as("the 100 may be among the 400").isEqualTo(1_000 - 401);
    many.leave(A);
    assertThat(joined(many, A).room(now)).isEqualTo(1_000 - 401);
  }

  @Test
  void clockThatIsOffBy20Milliseconds_isNotBelieved_oneThatIsSetIs() {
    Limit limit = joined(regionLimits, A);
    // 60,000 were used in the previous cell, and one of them fades away each millisecond.
    hear(regionLimits, "a", CELL - 1, 60_000);
    now = MINUTE - 1_000 * MILLI;
    assertThat(limit.room(now)).isZero();
    set = 20;
    regionLimits.follow(now);
    assertThat(limit.room(now)).isZero();
    set = 21;
    regionLimits.follow(now);
    assertThat(limit.room(now)).isEqualTo(21);
    set = -20;
    regionLimits.follow(now);
    assertThat(limit.room(now)).as("a step back").isZero();
  }

  @Test
  void clockThatIsOffALittle_isNotFollowed_whateverComesThen() {
    Limit limit = joined(regionLimits, A);
    now = MINUTE - 500 * MILLI;
    hear(regionLimits, "a", CELL - 1, 60_000);
    set = 20;
    regionLimits.follow(now);
    hear(regionLimits, "a", CELL, 1);
    assertThat(limit.room(now)).isEqualTo(1_000 - 500 - 1);
  }
}
