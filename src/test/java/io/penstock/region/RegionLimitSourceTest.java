package io.penstock.region;

import static io.penstock.region.Coast.CELL;
import static io.penstock.region.Coast.MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests which limits a region shares when they are configured, changed and forgotten. */
class RegionLimitSourceTest {
  private final Coast coast = Coast.settled();

  @Test
  void forgottenLimit_leavesRoomForNobody() {
    Limit limit = coast.limit("a");
    assertThat(limit.sharing().isBoundToRegions()).isTrue();
    coast.source.forget(Coast.id("a"));
    assertThat(limit.sharing().isBoundToRegions()).isFalse();
  }

  @Test
  void limitThatBecomesLocal_leavesRoomForNobody_untilItIsSharedAgain() {
    Set<String> local = new HashSet<>();
    RegionLimitSource source =
        new RegionLimitSource(
            new LocalLimitSource(), coast.frontier, id -> local.contains(id.id()));
    Limit limit = source.limit(Coast.id("a"), Coast.spec(), coast.ticker.nanos());
    assertThat(limit.sharing().isBoundToRegions()).isTrue();
    local.add("a");
    source.limit(Coast.id("a"), Coast.spec(), coast.ticker.nanos());
    assertThat(limit.sharing().isBoundToRegions()).isFalse();
    local.clear();
    source.limit(Coast.id("a"), Coast.spec(), coast.ticker.nanos());
    assertThat(limit.sharing().isBoundToRegions()).isTrue();
  }

  @Test
  void limitOfAnotherWindow_isKnownUnderItsNewNameAlone() {
    coast.spent("a", 100);
    LimitId longer = new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.TOKENS, 2 * MINUTE);
    LimitSpec spec =
        new LimitSpec.TrailingWindow(1_000, 2 * MINUTE, 0, LimitSpec.TrailingWindow.UNPACED);
    Limit changed = coast.source.change(Coast.id("a"), longer, spec, coast.ticker.nanos());
    Limit another = coast.spent("a", 50);
    assertThat(another).isNotSameAs(changed);
    assertThat(changed.sharing().isBoundToRegions())
        .as("the other one is none of its business")
        .isTrue();
    assertThat(changed.sharing().localCounts()).isEmpty();
    coast.stepAfter(0);
    assertThat(coast.exchanges.getLast().what()).containsExactly(Coast.count("a", CELL, 150));
  }

  @Test
  void limitChangedToItself_keepsWhatItCounts() {
    Limit limit = coast.spent("a", 100);
    Limit same =
        coast.source.change(Coast.id("a"), Coast.id("a"), Coast.spec(), coast.ticker.nanos());
    assertThat(same).isSameAs(limit);
    assertThat(same.sharing().localCounts()).containsValue(100L);
  }

  @Test
  void nothingIsTold_ofALimitThatIsNoKeysOrGroups() {
    LimitId model = new LimitId(LimitId.Kind.MODEL, "m", "", LimitMeasure.TOKENS, MINUTE);
    Limit limit = coast.source.limit(model, Coast.spec(), coast.ticker.nanos());
    assertThat(limit.sharing().isBoundToRegions()).isFalse();
    coast.stepAfter(0);
    assertThat(coast.exchanges.getLast().what()).isEqualTo(List.of());
  }
}
