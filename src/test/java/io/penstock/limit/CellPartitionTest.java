package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.time.ZoneMidnights;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class CellPartitionTest {
  private static final long NANOS = 1_000_000_000L;
  private static final long HOUR = 3_600_000_000L;
  private static final long DAY = 24 * HOUR;
  private static final long MIDNIGHT =
      Instant.parse("2026-06-10T00:00:00Z").getEpochSecond() * 1_000_000;
  private static final CellPartition UTC = CellPartition.of(day(10, ZoneOffset.UTC, 0));

  private static LimitSpec day(long capacity, ZoneId zone, long guard) {
    return new LimitSpec.Day(capacity, new ZoneMidnights(zone, () -> 0), guard);
  }

  private static CellPartition bucket(ExactRate exactRate, long burst) {
    return CellPartition.of(new LimitSpec.TokenBucket(exactRate, burst));
  }

  @Test
  void bucket_isFullAfterTheTimeThatAllOfItTakes_roundedUp() {
    assertThat(bucket(new ExactRate(10, 1), 50).fillMicros()).isEqualTo(5_000_000);
    assertThat(bucket(new ExactRate(3, 1), 1).fillMicros()).isEqualTo(333_334);
    assertThat(bucket(new ExactRate(1, 1), 60).reach()).isEqualTo(1);
    assertThat(bucket(new ExactRate(1, 1), 61).reach()).isEqualTo(2);
  }

  @Test
  void bucketThatFillsInMoreThanACentury_isNotShared() {
    ExactRate exactRate = new ExactRate(1_000_000, 1);
    assertThat(bucket(exactRate, 1L << 52).fillMicros()).isEqualTo(1L << 52);
    assertThatThrownBy(() -> bucket(exactRate, (1L << 52) + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than a century");
  }

  @Test
  void slidingWindowOfTenSeconds_isTheShortestThatIsShared() {
    assertThat(CellPartition.of(new LimitSpec.SlidingWindow(1, 10 * NANOS)).kind())
        .isEqualTo(CellPartition.Kind.TRAILING);
  }

  @Test
  void trailingWindow_countsForItsGuardToo() {
    CellPartition at = CellPartition.of(new LimitSpec.TrailingWindow(1, 60 * NANOS, NANOS + 1, 1));
    assertThat(at.cellMicros()).isEqualTo(1_000_000);
    assertThat(at.reach()).isEqualTo(62);
  }

  @Test
  void midnights_areFourOfWhichTheSecondBeganLast() {
    List<Long> around = List.of(MIDNIGHT - DAY, MIDNIGHT, MIDNIGHT + DAY, MIDNIGHT + 2 * DAY);
    assertThat(UTC.midnights(MIDNIGHT)).isEqualTo(around);
    assertThat(UTC.midnights(MIDNIGHT + DAY - 1)).isEqualTo(around);
    assertThat(UTC.midnights(MIDNIGHT + DAY)).first().isEqualTo(MIDNIGHT);
    assertThat(CellPartition.of(new LimitSpec.Day(10, null, 0)).midnights(MIDNIGHT)).isEmpty();
  }

  @Test
  void cellsOfEqualKindAndLength_areTheSame_whateverTheCapacity() {
    LimitSpec fixed = new LimitSpec.FixedWindow(10, NANOS);
    assertThat(CellPartition.sameCells(fixed, new LimitSpec.FixedWindow(20, NANOS))).isTrue();
    assertThat(CellPartition.sameCells(fixed, new LimitSpec.FixedWindow(10, 2 * NANOS))).isFalse();
    LimitSpec permits = new LimitSpec.Concurrency(10);
    assertThat(CellPartition.sameCells(permits, new LimitSpec.Day(10, null, 0))).isFalse();
    assertThat(CellPartition.sameCells(permits, new LimitSpec.Unlimited())).isFalse();
  }

  @Test
  void daysOfOtherZones_areOtherCells() {
    LimitSpec utc = day(10, ZoneOffset.UTC, 0);
    assertThat(CellPartition.sameCells(utc, day(20, ZoneOffset.UTC, 5))).isTrue();
    assertThat(CellPartition.sameCells(utc, day(10, ZoneId.of("Asia/Tokyo"), 0))).isFalse();
    assertThat(UTC.sameKind(CellPartition.of(day(10, ZoneId.of("Asia/Tokyo"), 0)))).isTrue();
    assertThat(UTC.sameKind(CellPartition.of(new LimitSpec.Day(10, null, 0)))).isFalse();
  }
}
