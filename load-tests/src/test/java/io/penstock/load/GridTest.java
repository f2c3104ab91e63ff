package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class GridTest {
  /** Windows that begin 3 s before the first was seen. */
  private static final List<long[]> LATE =
      List.of(
          new long[] {0, 60},
          new long[] {1_000, 40},
          new long[] {7_000, 100},
          new long[] {17_500, 99});

  @Test
  void windowsFromTheFirstTake_mixTwoOfTheGateway() {
    assertThat(Grid.from(0, LATE, 10_000, 2).windows()).containsExactly(200, 99);
  }

  @Test
  void best_isWhereEachWindowIsOneOfTheGateway() {
    Grid best = Grid.bestOf(LATE, 10_000, 3);
    assertThat(best.windows()).containsExactly(100, 100, 99);
    assertThat(best.most()).isEqualTo(100);
    assertThat(best.least()).isEqualTo(99);
    assertThat(best.sum()).isEqualTo(299);
  }

  @Test
  void windowThatIsOverrun_isOverrunInEveryPlace() {
    List<long[]> taken = List.of(new long[] {0, 60}, new long[] {10, 60}, new long[] {12_000, 60});
    assertThat(Grid.bestOf(taken, 10_000, 2).most()).isEqualTo(120);
  }
}
