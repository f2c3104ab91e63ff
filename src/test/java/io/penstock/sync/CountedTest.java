package io.penstock.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Abroad;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Regional;
import io.penstock.quota.Counts.Count;
import io.penstock.quota.LimitId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountedTest {
  private static final long DAY = LimitSpec.Day.NANOS;
  private static final long NOON = 20_000 * DAY + DAY / 2;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "a", "", Measure.REQUESTS, LimitSpec.Day.NANOS);

  private static List<Count> told(Counted counted, long now) {
    List<Count> own = new ArrayList<>();
    counted.tell(true, 0, now, own);
    return own;
  }

  @Test
  void dayThatBeganAtNoon_isToldToRegionsByTheirDays() {
    LimitSpec day = new LimitSpec.Day(100, null, 0);
    Limit limit = new Limit(day, NOON);
    Abroad abroad = Abroad.of(day, DAY, 0, List.of(), Abroad.Denials.NOBODY);
    Regional.bind(limit, abroad, NOON);
    Counted counted = new Counted(ID, limit, false, 0);
    limit.take(Weight.exactly(3), NOON);
    assertThat(told(counted, NOON)).containsExactly(new Count(ID, 20_000, 3));
    long later = NOON + DAY * 3 / 4;
    limit.take(Weight.exactly(2), later);
    assertThat(told(counted, later))
        .containsExactlyInAnyOrder(new Count(ID, 20_000, 3), new Count(ID, 20_001, 2));
  }
}
