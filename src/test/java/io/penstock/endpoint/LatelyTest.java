package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import org.junit.jupiter.api.Test;

/** Tests of the number of records that are kept. */
class LatelyTest {
  private static final Refusal WHY = Refusal.of(Reason.BAD_REQUEST, "why");

  private final Roll roll = new Roll();

  private static Past past(long number) {
    return Past.turnedAway(number, Ask.Origin.UNKNOWN, "/", Cost.NO_TOKENS, WHY, 0);
  }

  private static void add(Lately lately, int many) {
    for (int each = 0; each < many; each++) {
      lately.add(past(each));
    }
  }

  private static boolean knows(Lately lately, long number) {
    return lately.last(each -> each.number() == number) != null;
  }

  private static int remembered(Lately lately) {
    int[] count = new int[1];
    lately.last(
        each -> {
          count[0]++;
          return false;
        });
    return count[0];
  }

  @Test
  void oneMoreThanAnEndpointRemembers_theFirstIsForgotten() {
    Lately lately = new Lately(roll);
    add(lately, Lately.MOST);
    assertThat(knows(lately, 0)).isTrue();
    lately.add(past(Lately.MOST));
    assertThat(knows(lately, 0)).isFalse();
    assertThat(knows(lately, 1)).isTrue();
    assertThat(remembered(lately)).isEqualTo(Lately.MOST);
  }

  @Test
  void allEndpointsTogether_rememberSoMany_andEachAFewOfItsOwn() {
    int full = Roll.MOST_RECORDS / (Lately.MOST - Lately.LEAST);
    for (int each = 0; each <= full; each++) {
      add(new Lately(roll), Lately.MOST);
    }
    assertThat(roll.room()).isFalse();
    Lately late = new Lately(roll);
    add(late, Lately.MOST);
    assertThat(remembered(late)).isEqualTo(Lately.LEAST);
  }

  @Test
  void closedEndpoint_leavesItsRoomToOthers() {
    Lately lately = new Lately(roll);
    add(lately, Lately.MOST);
    lately.close();
    assertThat(remembered(lately)).isZero();
    add(lately, Lately.MOST);
    assertThat(remembered(lately)).isEqualTo(Lately.LEAST);
    for (int each = 0; each < Roll.MOST_RECORDS; each++) {
      assertThat(roll.room()).as("record %d", each).isTrue();
    }
    assertThat(roll.room()).isFalse();
  }
}
