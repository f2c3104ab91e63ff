package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator says that an instance is gone. A lease takes four seconds. */
class ShareReleaseTest {
  private static final LimitId ID = ShareWorld.limit("l0");
  private static final boolean PARKS = false;

  private static ShareWorld world(boolean continues, int nodes, Terms limit) {
    ShareTerms terms =
        new ShareTerms(4 * SECOND, 500 * MILLI, SECOND, 100 * MILLI, 17 * SECOND, continues);
    ShareWorld world =
        new ShareWorld(
            1,
            new ShareWorld.Setting(
                terms,
                ShareWorld.limits(limit),
                5 * MILLI,
                0,
                0,
                0,
                50 * MILLI,
                15,
                20 * MILLI,
                Set.of()));
    for (int i = 0; i < nodes; i++) {
      world.join(i, 0);
    }
    return world;
  }

  private static Terms minute() {
    return new Terms(Kind.TRAILING, 600, 60 * SECOND);
  }

  private static void burst(ShareWorld world, int node, double second, int count, long amount) {
    world.atSecond(
        second,
        () -> {
          for (int i = 0; i < count; i++) {
            world.nodes.get(node).arrive(ID, amount, false);
          }
        });
  }

  private static AtomicReference<ShareRelease> release(
      ShareWorld world, int asked, int gone, double second) {
    AtomicReference<ShareRelease> answer = new AtomicReference<>();
    String name = world.nodes.get(gone).name;
    world.atSecond(second, () -> release(world, asked, name, answer));
    return answer;
  }

  private static void release(
      ShareWorld world, int asked, String name, AtomicReference<ShareRelease> answer) {
    var _ =
        new ShareSlots(List.of(world.nodes.get(asked).sync)).release(name).thenAccept(answer::set);
  }

  private static long sum(ShareWorld world, int node, double from, double to) {
    return world.oracle.sum(ID, node, (long) (from * SECOND), (long) (to * SECOND));
  }

  private static long overFrom(ShareWorld world, double second) {
    return world.oracle.worst(world.setting.limits(), (long) (second * SECOND)).over();
  }

  private static Life life(ShareWorld world, int node, int of) {
    String name = world.nodes.get(of).name;
    return world.nodes.get(node).sync.figures().members().stream()
        .filter(each -> each.name().equals(name))
        .map(ShareFigures.Member::life)
        .findFirst()
        .orElseThrow();
  }

  /** Member 0 dies once the store has given it most of the limit, before it hears of that. */
  private static ShareWorld diedBeforeItSpent() {
    ShareWorld world = world(PARKS, 3, minute());
    burst(world, 0, 80, 10, 50);
    long now = 80 * SECOND;
    while (world.store.stated(ID, world.nodes.get(0).name) < 500) {
      now += MILLI / 5;
      world.run((double) now / SECOND);
    }
    world.nodes.get(0).crash();
    return world;
  }

  @Test
  void gone_othersGetAtOnceWhatItDidNotSpend() {
    ShareWorld world = diedBeforeItSpent();
    burst(world, 1, 86, 6, 50);
    burst(world, 2, 86, 6, 50);
    AtomicReference<ShareRelease> answer = release(world, 1, 0, 95);
    world.run(95);
    assertThat(sum(world, 1, 86, 95) + sum(world, 2, 86, 95)).isLessThanOrEqualTo(100);
    world.run(98);
    assertThat(answer).hasValue(new ShareRelease(false, 1, 0, 1));
    assertThat(sum(world, 1, 86, 98)).isEqualTo(300);
    assertThat(sum(world, 2, 86, 98)).isEqualTo(300);
    assertThat(life(world, 1, 0)).isEqualTo(Life.RELEASED);
    assertThat(life(world, 2, 0)).isEqualTo(Life.RELEASED);
    assertThat(overFrom(world, 0)).isNotPositive();
  }

  @Test
  void deadButNotReleased_othersWaitUntilItsShareHasDecayed() {
    ShareWorld world = diedBeforeItSpent();
    burst(world, 1, 86, 12, 50);
    world.run(140);
    assertThat(sum(world, 1, 86, 140)).isLessThanOrEqualTo(100);
    world.run(160);
    assertThat(sum(world, 1, 86, 160)).isEqualTo(600);
  }

  @Test
  void gone_whatItStatedAsSpentCountsUntilItDecayed() {
    ShareWorld world = world(PARKS, 3, minute());
    burst(world, 0, 80, 10, 50);
    burst(world, 0, 145, 2, 50);
    burst(world, 1, 145.1, 1, 200);
    world.atSecond(146, () -> world.nodes.get(0).crash());
    burst(world, 1, 152, 40, 10);
    release(world, 2, 0, 160);
    world.run(163);
    assertThat(sum(world, 0, 140, 160)).isEqualTo(100);
    assertThat(sum(world, 1, 140, 163)).isEqualTo(500);
    burst(world, 2, 165, 10, 10);
    world.run(203);
    assertThat(sum(world, 2, 160, 203)).isZero();
    world.run(240);
    assertThat(sum(world, 2, 160, 240)).isEqualTo(100);
    assertThat(overFrom(world, 0)).isNotPositive();
  }

  @Test
  void goneAfterItSpentWhatItDidNotTell_overByNoMoreThanThat() {
    ShareWorld world = world(PARKS, 3, minute());
    burst(world, 0, 80, 10, 50);
    world.atSecond(80.06, () -> world.nodes.get(0).crash());
    burst(world, 1, 86, 60, 10);
    release(world, 1, 0, 95);
    world.run(98);
    assertThat(sum(world, 0, 80, 81)).isEqualTo(500);
    assertThat(sum(world, 1, 86, 98)).isEqualTo(600);
    assertThat(overFrom(world, 0)).isEqualTo(500);
    world.run(200);
    assertThat(overFrom(world, 95)).isNotPositive();
  }

  @Test
  void goneInADay_itsStepIsFree_whatItSpentCountsUntilTheDayEnds() {
    ShareWorld world = world(PARKS, 2, new Terms(Kind.DAY, 1_000, 50 * SECOND));
    burst(world, 0, 61, 40, 10);
    burst(world, 1, 64, 1, 1);
    world.atSecond(66, () -> world.nodes.get(0).crash());
    burst(world, 1, 72, 60, 10);
    release(world, 1, 0, 75);
    world.run(75);
    assertThat(sum(world, 1, 60, 75)).isLessThan(600);
    world.run(80);
    assertThat(sum(world, 1, 60, 80)).isBetween(590L, 600L);
    burst(world, 1, 103, 100, 10);
    world.run(149);
    assertThat(sum(world, 1, 100, 149)).isGreaterThanOrEqualTo(990);
    assertThat(overFrom(world, 0)).isNotPositive();
  }

  @Test
  void living_isRefused_andKeepsItsShare() {
    ShareWorld world = world(PARKS, 2, minute());
    burst(world, 0, 80, 10, 50);
    world.atSecond(145, () -> world.nodes.get(0).cut(true));
    AtomicReference<ShareRelease> itself = release(world, 0, 0, 144);
    AtomicReference<ShareRelease> silentForLessThanALease = release(world, 1, 0, 147);
    world.atSecond(147.5, () -> world.nodes.get(0).cut(false));
    AtomicReference<ShareRelease> beating = release(world, 1, 0, 155);
    world.run(156);
    assertThat(itself).hasValue(ShareRelease.LIVES);
    assertThat(silentForLessThanALease).hasValue(ShareRelease.LIVES);
    assertThat(beating).hasValue(ShareRelease.LIVES);
    assertThat(world.nodes.get(0).share(ID)).isGreaterThanOrEqualTo(500);
    assertThat(life(world, 1, 0)).isEqualTo(Life.LIVING);
  }

  @Test
  void beatsAgainWhileTheAskedInstanceIsSilent_isRefusedByTheStore() {
    ShareWorld world = world(PARKS, 2, minute());
    burst(world, 0, 80, 10, 50);
    world.atSecond(100, () -> world.nodes.get(0).cut(true));
    world.atSecond(103.9, () -> world.nodes.get(1).cut(true));
    world.atSecond(104, () -> world.nodes.get(0).cut(false));
    AtomicReference<ShareRelease> answer = release(world, 1, 0, 105.5);
    world.atSecond(105.6, () -> world.nodes.get(1).cut(false));
    world.run(108);
    assertThat(answer.get()).isIn(ShareRelease.AWAY, ShareRelease.LIVES);
    assertThat(life(world, 1, 0)).isEqualTo(Life.LIVING);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void goneAndComesBack_holdsOnlyWhatItSpent(boolean continues) {
    ShareWorld world = world(continues, 2, minute());
    burst(world, 0, 80, 10, 50);
    for (int second = 142; second < 180; second += 3) {
      burst(world, 0, second, 1, 1);
    }
    world.atSecond(80.06, () -> world.nodes.get(0).cut(true));
    AtomicReference<ShareRelease> answer = release(world, 1, 0, 90);
    burst(world, 1, 91, 12, 50);
    world.atSecond(180, () -> world.nodes.get(0).cut(false));
    world.run(182);
    assertThat(answer.get().slots()).isEqualTo(1);
    assertThat(sum(world, 1, 90, 95)).isEqualTo(600);
    assertThat(life(world, 1, 0)).isEqualTo(Life.LIVING);
    assertThat(world.nodes.get(0).share(ID)).isLessThan(100);
    assertThat(overFrom(world, 180)).isNotPositive();
    burst(world, 0, 183, 6, 50);
    burst(world, 1, 183, 6, 50);
    world.run(300);
    assertThat(sum(world, 0, 183, 300)).isEqualTo(300);
    assertThat(sum(world, 1, 183, 300)).isEqualTo(300);
    assertThat(overFrom(world, 180)).isNotPositive();
  }

  @Test
  void goneAndTheStoreIsFlushed_staysGone() {
    ShareWorld world = world(PARKS, 3, minute());
    burst(world, 0, 80, 10, 50);
    world.atSecond(100, () -> world.nodes.get(0).crash());
    release(world, 1, 0, 110);
    world.atSecond(115, () -> world.store.flush());
    world.run(125);
    assertThat(life(world, 1, 0)).isEqualTo(Life.RELEASED);
    assertThat(life(world, 2, 0)).isEqualTo(Life.RELEASED);
  }

  @Test
  void unknown_isNotFound() {
    ShareWorld world = world(PARKS, 2, minute());
    AtomicReference<ShareRelease> answer = new AtomicReference<>();
    world.atSecond(30, () -> release(world, 1, "nobody", answer));
    world.run(31);
    assertThat(answer).hasValue(ShareRelease.UNKNOWN);
  }

  @Test
  void storeIsAway_isSaidSo_alsoOfOneWithoutAnyStore() {
    ShareWorld world = world(PARKS, 2, minute());
    world.atSecond(30, () -> world.nodes.get(0).crash());
    world.atSecond(37, world::storeGoes);
    AtomicReference<ShareRelease> soon = release(world, 1, 0, 37.5);
    AtomicReference<ShareRelease> late = release(world, 1, 0, 60);
    world.run(61);
    assertThat(soon).hasValue(ShareRelease.AWAY);
    assertThat(late).hasValue(ShareRelease.AWAY);
    assertThat(new ShareSlots(List.of()).release("m").toCompletableFuture())
        .isCompletedWithValue(ShareRelease.UNKNOWN);
  }
}
