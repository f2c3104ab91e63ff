package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WindowCheckTest {
  private static final WindowCheck CHECK = new WindowCheck(10, 1_000);

  private static TimedPermit permit(long amount, long earliestMillis, long latestMillis) {
    return new TimedPermit("first", "/a", amount, earliestMillis, latestMillis);
  }

  @Test
  void cellThatIsFull_isNotOver_andOneMoreIs() {
    List<TimedPermit> permits =
        new ArrayList<>(List.of(permit(6, 5_000, 5_004), permit(4, 5_995, 5_999)));
    assertThat(CHECK.overCells(permits)).isEmpty();
    permits.add(permit(1, 5_500, 5_500));
    assertThat(CHECK.overCells(permits))
        .containsExactly("the window of 1000 ms from 5000 on let go 11, at most 10 are allowed");
  }

  @Test
  void permitThatMayBeOfTheNextCell_countsInNone() {
    List<TimedPermit> permits = List.of(permit(10, 5_000, 5_004), permit(10, 5_995, 6_001));
    assertThat(CHECK.overCells(permits)).isEmpty();
  }

  @Test
  void trailingWindowThatIsFull_isNotOver_andOneMoreIs() {
    List<TimedPermit> permits =
        new ArrayList<>(
            List.of(permit(9, 5_500, 5_501), permit(1, 6_400, 6_499), permit(9, 6_400, 6_500)));
    assertThat(CHECK.overTrailing(permits)).isEmpty();
    permits.add(permit(1, 6_498, 6_499));
    assertThat(CHECK.overTrailing(permits))
        .containsExactly(
            "the window of 1000 ms from 5500 on let go 11, at most 10 are allowed",
            "the window of 1000 ms from 6400 on let go 11, at most 10 are allowed");
  }

  @Test
  void usedShare_isOfAllWindowsThatThereWasTimeFor() {
    assertThat(CHECK.usedShare(List.of(permit(10, 0, 0), permit(5, 1_000, 1_000)))).isEqualTo(0.75);
  }
}
