package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore.Count;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriterCountsTest {
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.REQUESTS, LimitSpec.Day.NANOS);

  private final WriterCounts counts = new WriterCounts(ID);

  private List<Count> all() {
    List<Count> due = new ArrayList<>();
    counts.addAll(due);
    return due;
  }

  private List<Count> added(long cell) {
    List<Count> due = new ArrayList<>();
    counts.addNew(cell, due);
    return due;
  }

  @Test
  void count_neverShrinks() {
    assertThat(counts.count(7, 3)).isEqualTo(3);
    assertThat(counts.count(7, 2)).isEqualTo(3);
    assertThat(added(7)).containsExactly(new Count(ID, 7, 3));
  }

  @Test
  void acknowledgedCount_isPublishedAgainOnlyWhenItGrows() {
    counts.count(7, 3);
    counts.acknowledge(7, 3);
    counts.acknowledge(7, 1);
    assertThat(added(7)).isEmpty();
    assertThat(all()).isEmpty();
    counts.count(7, 4);
    assertThat(added(7)).containsExactly(new Count(ID, 7, 4));
    assertThat(all()).containsExactly(new Count(ID, 7, 4));
  }

  @Test
  void forgottenCell_isPublishedNoMore() {
    counts.count(6, 1);
    counts.count(7, 3);
    counts.forget(7);
    assertThat(all()).containsExactly(new Count(ID, 7, 3));
  }

  @Test
  void sum_isCutToTheLargestNumber() {
    assertThat(WriterCounts.sum(3, 4)).isEqualTo(7);
    assertThat(WriterCounts.sum(Long.MAX_VALUE - 1, 2)).isEqualTo(Long.MAX_VALUE);
  }
}
