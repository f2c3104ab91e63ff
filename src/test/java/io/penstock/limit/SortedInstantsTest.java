package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SortedInstantsTest {
  private static List<Long> all(SortedInstants instants) {
    List<Long> all = new ArrayList<>();
    for (int place = 0; place < instants.size(); place++) {
      all.add(instants.get(place));
    }
    return all;
  }

  @Test
  void moreTakenAwayThanThereAreOfAnInstant_othersStay() {
    SortedInstants instants = SortedInstants.NONE.plus(10, 2, 0).plus(11, 1, 0).plus(12, 3, 0);
    assertThat(all(instants.minus(11, 5))).containsExactly(10L, 10L, 12L, 12L, 12L);
    assertThat(all(instants.minus(12, 2))).containsExactly(10L, 10L, 11L, 12L);
    assertThat(all(instants.minus(9, 1))).isEqualTo(all(instants));
  }

  @Test
  void randomUse_isWhatAListHolds() {
    for (long seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      List<Long> list = new ArrayList<>();
      SortedInstants instants = SortedInstants.NONE;
      long now = 0;
      for (int step = 0; step < 200; step++) {
        now += random.nextLong(3);
        if (random.nextInt(4) == 0) {
          long instant = random.nextLong(now + 1);
          int count = random.nextInt(4);
          instants = instants.minus(instant, count);
          for (int gone = 0; gone < count; gone++) {
            list.remove((Object) instant);
          }
        } else {
          int forgotten = random.nextInt(list.size() / 4 + 1);
          int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 200 : 3);
          instants = instants.plus(now, count, forgotten);
          list.subList(0, forgotten).clear();
          for (int more = 0; more < count; more++) {
            list.add(now);
          }
        }
        assertThat(all(instants)).as("seed %d step %d", seed, step).isEqualTo(list);
      }
    }
  }
}
