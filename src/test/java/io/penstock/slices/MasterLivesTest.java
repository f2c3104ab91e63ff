package io.penstock.slices;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore.Run;
import io.penstock.slices.MasterLives.Life;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MasterLivesTest {
  private static final long MILLI = 1_000_000L;
  private static final long QUIET = 1_000 * MILLI;

  private static final Run RUN = new Run("run", 3, 4, Long.MAX_VALUE);

  private final MasterLives masterLives = new MasterLives(QUIET);
  private long now = 5_000 * MILLI;

  private static Optional<Life> life(String name, long count, String... members) {
    Map<String, MasterLives.MemberTimes> heard = new TreeMap<>();
    for (String member : members) {
      heard.put(member, new MasterLives.MemberTimes(1_000, 1_000, 1_000, false));
    }
    return Optional.of(new Life(name, RUN, count, 7_000, heard, Map.of(), Life.NEVER));
  }

  private MasterLives.Together round(Optional<Life> a, Optional<Life> b) {
    return masterLives.together(Map.of("life:0", a, "life:1", b), now);
  }

  @Test
  void oneMaster_isItself() {
    MasterLives.Together alone = masterLives.together(Map.of("life:0", life("a", 3, "me")), now);
    assertThat(alone.name()).isEqualTo("a");
    assertThat(alone.count()).isEqualTo(3);
    assertThat(alone.clockNanos()).isEqualTo(7_000_000);
    assertThat(alone.members()).containsExactly(SliceFixture.member("me", 1_000_000));
  }

  @Test
  void manyMasters_areOneLife_thatCountsUp() {
    MasterLives.Together first = round(life("a", 3), life("b", 9));
    MasterLives.Together second = round(life("a", 4), life("b", 10));
    assertThat(second.name()).isEqualTo(first.name());
    assertThat(second.count()).isGreaterThan(first.count());
  }

  @Test
  void masterThatFellBack_isALoss_thoughTheSumRises() {
    MasterLives.Together first = round(life("a", 3), life("b", 9));
    MasterLives.Together second = round(life("a", 103), life("b", 8));
    assertThat(second.name()).isNotEqualTo(first.name());
  }

  @Test
  void anotherLifeOfOne_isALoss() {
    MasterLives.Together first = round(life("a", 3), life("b", 9));
    assertThat(round(life("a", 4), life("c", 10)).name()).isNotEqualTo(first.name());
  }

  @Test
  void silentMaster_isNoLoss_whenItIsSoonBack() {
    MasterLives.Together first = round(life("a", 3), life("b", 9));
    now += QUIET;
    MasterLives.Together without = round(life("a", 4), Optional.empty());
    MasterLives.Together back = round(life("a", 5), life("b", 10));
    assertThat(without.name()).isEqualTo(first.name());
    assertThat(without.count()).isGreaterThan(first.count());
    assertThat(back.name()).isEqualTo(first.name());
    assertThat(back.count()).isGreaterThan(without.count());
  }

  @Test
  void silentMaster_isAnotherRun_whenOthersWentOnForLong() {
    round(life("a", 3), life("b", 9));
    now += QUIET + 1;
    MasterLives.Together without = round(life("a", 4), Optional.empty());
    MasterLives.Together back = round(life("a", 5), life("b", 10));
    assertThat(back.name()).isEqualTo(without.name());
    assertThat(back.run().name()).isNotEqualTo(without.run().name());
    assertThat(round(life("a", 6), life("b", 11)).run()).isEqualTo(back.run());
  }

  private static Optional<Life> life(Run run) {
    return Optional.of(new Life("b", run, 9, 7_000, Map.of(), Map.of(), Life.NEVER));
  }

  @Test
  void anotherRunOfOne_isAnotherRunOfAll_asYoungAsThatAndAsSure() {
    MasterLives.Together first = round(life("a", 3), life("b", 9));
    assertThat(first.run().kept()).isEqualTo(Long.MAX_VALUE);
    MasterLives.Together after = round(life("a", 4), life(new Run("other", 1, 2, 5)));
    assertThat(after.run().name()).isNotEqualTo(first.run().name());
    assertThat(after.run().ageNanos()).isEqualTo(1);
    assertThat(after.run().gapNanos()).isEqualTo(2);
    assertThat(after.run().kept()).as("counts of several are not one row").isZero();
  }

  @Test
  void silentMaster_thatFellBackMeanwhile_isALoss() {
    round(life("a", 3), life("b", 9));
    MasterLives.Together without = round(life("a", 4), Optional.empty());
    assertThat(round(life("a", 5), life("b", 9)).name()).isNotEqualTo(without.name());
  }

  @Test
  void otherMasters_areALoss() {
    MasterLives.Together first = round(life("a", 3), life("b", 9));
    MasterLives.Together more =
        masterLives.together(
            Map.of("life:0", life("a", 4), "life:1", life("b", 10), "life:2", Optional.empty()),
            now);
    assertThat(more.name()).isNotEqualTo(first.name());
  }

  @Test
  void member_isKnown_whereAllMastersHeardOfIt() {
    MasterLives.Together both = round(life("a", 3, "me", "x"), life("b", 9, "me"));
    assertThat(both.members()).containsExactly(SliceFixture.member("me", 1_000_000));
  }

  @Test
  void member_isAsSilentAsWhereItWasHeardLast_alsoWhereThatIsSilentNow() {
    round(life("a", 3, "me", "x"), life("b", 9, "me", "x"));
    now += QUIET;
    assertThat(round(life("a", 4, "me", "x"), Optional.empty()).members())
        .containsExactlyInAnyOrder(
            SliceFixture.member("me", 1_000_000 + QUIET),
            SliceFixture.member("x", 1_000_000 + QUIET));
    now += 1;
    assertThat(round(life("a", 5, "me", "x"), Optional.empty()).members())
        .as("the others go on")
        .containsExactlyInAnyOrder(
            SliceFixture.member("me", 1_000_000), SliceFixture.member("x", 1_000_000));
  }

  @Test
  void lossOfOne_isOneOfAll() {
    Optional<Life> lost = Optional.of(new Life("b", RUN, 9, 7_000, Map.of(), Map.of(), 5));
    assertThat(round(life("a", 3), lost).lostNanos()).isEqualTo(5_000);
    assertThat(round(life("a", 4), Optional.empty()).lostNanos()).isEqualTo(Long.MAX_VALUE);
  }
}
