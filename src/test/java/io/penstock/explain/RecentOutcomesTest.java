package io.penstock.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.TicketRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.junit.jupiter.api.Test;

/** Tests of the number of records that are kept. */
class RecentOutcomesTest {
  private static final Refusal WHY = Refusal.of(RefusalReason.BAD_REQUEST, "why");

  private final RecordBudget budget = new RecordBudget();

  private static PastTicket past(long number) {
    return PastTicket.turnedAway(
        number, new TicketRequest.Origin(null, null, null), "/", Cost.NO_TOKENS, WHY, 0);
  }

  private static void add(RecentOutcomes recentOutcomes, int many) {
    for (int each = 0; each < many; each++) {
      recentOutcomes.add(past(each));
    }
  }

  private static boolean knows(RecentOutcomes recentOutcomes, long number) {
    return recentOutcomes.last(each -> each.number() == number) != null;
  }

  private static int remembered(RecentOutcomes recentOutcomes) {
    int[] count = new int[1];
    recentOutcomes.last(
        each -> {
          count[0]++;
          return false;
        });
    return count[0];
  }

  @Test
  void oneMoreThanAnEndpointRemembers_theFirstIsForgotten() {
    RecentOutcomes recentOutcomes = new RecentOutcomes(budget);
    add(recentOutcomes, RecentOutcomes.MOST);
    assertThat(knows(recentOutcomes, 0)).isTrue();
    recentOutcomes.add(past(RecentOutcomes.MOST));
    assertThat(knows(recentOutcomes, 0)).isFalse();
    assertThat(knows(recentOutcomes, 1)).isTrue();
    assertThat(remembered(recentOutcomes)).isEqualTo(RecentOutcomes.MOST);
  }

  @Test
  void allEndpointsTogether_rememberSoMany_andEachAFewOfItsOwn() {
    int full = RecordBudget.MOST / (RecentOutcomes.MOST - RecentOutcomes.LEAST);
    for (int each = 0; each <= full; each++) {
      add(new RecentOutcomes(budget), RecentOutcomes.MOST);
    }
    assertThat(budget.tryReserve()).isFalse();
    RecentOutcomes late = new RecentOutcomes(budget);
    add(late, RecentOutcomes.MOST);
    assertThat(remembered(late)).isEqualTo(RecentOutcomes.LEAST);
  }

  @Test
  void closedEndpoint_leavesItsRoomToOthers() {
    RecentOutcomes recentOutcomes = new RecentOutcomes(budget);
    add(recentOutcomes, RecentOutcomes.MOST);
    recentOutcomes.close();
    assertThat(remembered(recentOutcomes)).isZero();
    add(recentOutcomes, RecentOutcomes.MOST);
    assertThat(remembered(recentOutcomes)).isEqualTo(RecentOutcomes.LEAST);
    for (int each = 0; each < RecordBudget.MOST; each++) {
      assertThat(budget.tryReserve()).as("record %d", each).isTrue();
    }
    assertThat(budget.tryReserve()).isFalse();
  }
}
