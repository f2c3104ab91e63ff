package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.ShareFigures.Limits;
import io.penstock.shares.ShareFigures.Member;
import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Figures of two instances that share 300 in any ten seconds. A lease takes four seconds. */
class ShareFiguresTest {
  private static final LimitId ID = ShareWorld.limit("l0");

  private final ShareWorld world =
      new ShareWorld(
          1,
          new ShareWorld.Setting(
              new ShareTerms(4 * SECOND, 500 * MILLI, SECOND, 100 * MILLI, 17 * SECOND, false),
              ShareWorld.limits(new Terms(Kind.TRAILING, 300, 10 * SECOND)),
              5 * MILLI,
              0,
              0,
              0,
              50 * MILLI,
              15,
              20 * MILLI,
              Set.of()));

  private ShareFigures figures(int node) {
    return world.nodes.get(node).sync.figures();
  }

  private ShareFigures.OfLimit limit(int node) {
    return Objects.requireNonNull(world.nodes.get(node).sync.figures(ID));
  }

  private void burst(int node, int count) {
    for (int i = 0; i < count; i++) {
      world.nodes.get(node).arrive(ID, 10, false);
    }
  }

  @Test
  void withoutStore_isCutOffFromTheBeginning() {
    world.storeGoes();
    world.join(0, 1);
    world.run(3);
    ShareFigures figures = figures(0);
    assertThat(figures.epoch()).isEqualTo("0:");
    assertThat(figures.contact().settled()).isFalse();
    assertThat(figures.contact().listed()).isFalse();
    assertThat(figures.contact().cutOff()).isTrue();
    assertThat(figures.contact().silentNanos()).isBetween(2_990 * MILLI, 3_010 * MILLI);
    assertThat(figures.members()).extracting(Member::name).containsExactly(figures.member());
    assertThat(figures.limits()).isEqualTo(new Limits(1, 0, 1));
    assertThat(world.nodes.get(0).sync.figures(ID)).isNull();
  }

  @Test
  void oneDies_itsShareIsHeldUntilItDecayed() {
    world.join(0, 0);
    world.join(1, 0);
    world.run(30);
    burst(0, 20);
    world.run(31);
    assertThat(figures(0).limits()).isEqualTo(new Limits(1, 1, 0));
    assertThat(figures(0).epoch()).isEqualTo("1:e0");
    assertThat(figures(0).contact().settled()).isTrue();
    assertThat(figures(0).members()).extracting(Member::life).containsOnly(Life.LIVING);
    world.nodes.get(0).crash();
    world.run(33);
    burst(1, 30);
    world.run(37);
    String dead = world.nodes.get(0).name;
    ShareFigures figures = figures(1);
    ShareFigures.OfLimit limit = limit(1);
    Member other = figures.members().getLast();
    assertThat(figures.members()).hasSize(2);
    assertThat(other.name()).isEqualTo(dead);
    assertThat(other.life()).isEqualTo(Life.DEAD);
    assertThat(other.number()).isPositive();
    assertThat(other.countsNanos()).isBetween(7 * SECOND, 10 * SECOND);
    assertThat(figures.limits()).isEqualTo(new Limits(1, 0, 1));
    assertThat(figures.contact().cutOff()).isFalse();
    assertThat(figures.contact().silentNanos()).isBetween(0L, SECOND);
    assertThat(limit.ofDead()).containsOnlyKeys(dead);
    assertThat(limit.share() + limit.ofDead().get(dead) + limit.free()).isEqualTo(300);
    assertThat(limit.capacity()).isEqualTo(300);
    assertThat(limit.ageNanos()).isBetween(0L, SECOND);
    world.run(60);
    assertThat(limit(1).ofDead()).isEmpty();
    assertThat(figures(1).members().getLast().countsNanos()).isZero();
  }

  @Test
  void oneLeaves_isShownAsLeft() {
    world.join(0, 0);
    world.join(1, 0);
    world.run(30);
    world.nodes.get(0).leave();
    world.run(32);
    assertThat(figures(0).members().getFirst().life()).isEqualTo(Life.LEFT);
    assertThat(figures(1).members())
        .extracting(Member::life)
        .isEqualTo(List.of(Life.LIVING, Life.LEFT));
  }
}
