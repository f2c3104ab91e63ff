package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.time.Ticker;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DimensionSizesTest {
  private static DimensionSizes sizes(
      long input,
      long output,
      long total,
      long stated,
      long most,
      long ceiling,
      long uncached,
      long uncachedTotal,
      long needed,
      long unseen) {
    DimensionSizes dimensionSizes = new DimensionSizes();
    dimensionSizes.set(
        input, output, total, stated, most, ceiling, uncached, uncachedTotal, needed, unseen);
    return dimensionSizes;
  }

  private static List<Long> numbers(DimensionSizes dimensionSizes) {
    return Arrays.stream(CostDimension.values()).map(dimensionSizes::get).toList();
  }

  @Test
  void ofATicket_areThoseOfItsCost() {
    Cost cost = new Cost(5, 27, 20, 3, 8, 2);
    DimensionSizes dimensionSizes = new DimensionSizes();
    new Ticket(1, cost, 0, 0, Ticker.NEVER).sizesInto(dimensionSizes);
    assertThat(numbers(dimensionSizes))
        .containsExactly(5L, 27L, 32L, 20L, 32L, 25L, 2L, 29L, 32L, 40L);
  }

  @Test
  void raised_isTheLargerOfEach_loweredTheSmaller() {
    DimensionSizes raised = sizes(1, 20, 3, 40, 5, 60, 7, 80, 9, 100);
    raised.raise(sizes(10, 2, 30, 4, 50, 6, 70, 8, 90, 10));
    assertThat(numbers(raised)).containsExactly(10L, 20L, 30L, 40L, 50L, 60L, 70L, 80L, 90L, 100L);
    DimensionSizes lowered = sizes(1, 20, 3, 40, 5, 60, 7, 80, 9, 100);
    lowered.lower(sizes(10, 2, 30, 4, 50, 6, 70, 8, 90, 10));
    assertThat(numbers(lowered)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
  }

  @Test
  void added_andTakenAwayAgain_areAsBefore() {
    DimensionSizes sum = sizes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    DimensionSizes other = sizes(10, 20, 30, 40, 50, 60, 70, 80, 90, 100);
    sum.add(other, 1);
    assertThat(numbers(sum)).containsExactly(11L, 22L, 33L, 44L, 55L, 66L, 77L, 88L, 99L, 110L);
    sum.add(other, -1);
    assertThat(numbers(sum)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    sum.add(other, 2);
    assertThat(numbers(sum))
        .containsExactly(21L, 42L, 63L, 84L, 105L, 126L, 147L, 168L, 189L, 210L);
  }

  @ParameterizedTest
  @EnumSource
  void room_admitsWhatFillsIt_andNotOneMore(CostDimension dimension) {
    DimensionSizes room = new DimensionSizes();
    room.setAll(10);
    DimensionSizes filling = new DimensionSizes();
    filling.setAll(10);
    assertThat(room.admits(filling)).isTrue();
    room.lower(dimension, 9);
    assertThat(room.admits(filling)).isFalse();
    filling.lower(dimension, 9);
    assertThat(room.admits(filling)).isTrue();
  }
}
