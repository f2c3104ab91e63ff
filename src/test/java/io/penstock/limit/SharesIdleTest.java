package io.penstock.limit;

import static io.penstock.limit.Sharing.DAY;
import static io.penstock.limit.Sharing.MINUTE;
import static io.penstock.limit.Sharing.NANOS;
import static io.penstock.limit.Sharing.SECOND;
import static io.penstock.limit.Sharing.START;
import static io.penstock.limit.Sharing.TTL;
import static io.penstock.limit.Sharing.out;
import static io.penstock.limit.Sharing.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Shares.Part;
import io.penstock.time.Midnight;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of when the ledger of a limit can be lost without harm. */
class SharesIdleTest {
  private static final long HOUR = 3_600 * SECOND;
  private static final long MIDNIGHT = START - START % DAY;

  private long number;

  /** Returns the grants to a member that makes this report in the first instant. */
  private List<Part> round(Shares shares, LimitSpec spec, long wanted, long barred, Part... uses) {
    number++;
    Shares.Report report =
        new Shares.Report("a", number, 0, List.of(uses), 0, wanted, barred, Shares.NONE);
    return shares.round(report, Partition.of(spec), START, TTL).parts();
  }

  private Shares after(LimitSpec spec, Part... uses) {
    Shares shares = new Shares(Partition.of(spec));
    assertThat(round(shares, spec, 0, Shares.NONE, uses)).isEmpty();
    return shares;
  }

  private static void idleFrom(Shares shares, long instant) {
    assertThat(shares.idle(instant - 1, TTL)).as("a moment before").isFalse();
    assertThat(shares.idle(instant, TTL)).isTrue();
  }

  private static LimitSpec day(boolean calendar) {
    Midnight midnight = calendar ? new Midnight(ZoneOffset.UTC, () -> 0) : null;
    return new LimitSpec.Day(10, midnight, 3_600 * NANOS);
  }

  @Test
  void nothingCounts_idleOnceEveryoneIsSilent() {
    LimitSpec fixed = new LimitSpec.FixedWindow(10, 60 * NANOS);
    idleFrom(after(fixed), START + TTL + 1);
    idleFrom(after(fixed, part(START / MINUTE, 0)), START + TTL + 1);
    idleFrom(after(day(true)), START + TTL + 1);
    idleFrom(after(day(false)), START + TTL + 1);
  }

  @Test
  void windowCounts_idleWhenItEnds() {
    long minute = START / MINUTE;
    LimitSpec fixed = new LimitSpec.FixedWindow(10, 60 * NANOS);
    idleFrom(after(fixed, part(minute, 1)), (minute + 1) * MINUTE);
    LimitSpec trailing = new LimitSpec.TrailingWindow(10, 60 * NANOS, 0, 1);
    idleFrom(after(trailing, part(START / SECOND, 1)), START + 61 * SECOND);
  }

  @Test
  void dayCounts_idleWhenTheLongestMonthHasEnded() {
    idleFrom(after(day(true), part(MIDNIGHT, 1)), MIDNIGHT + 31 * DAY + 3 * HOUR);
  }

  @Test
  void dayOfFirstUseCounts_idleWhenItEnds() {
    idleFrom(after(day(false), part(START - 7, 1)), START - 7 + DAY + HOUR);
  }

  @Test
  void cellIsBarred_idleWhenItEnds() {
    LimitSpec fixed = new LimitSpec.FixedWindow(10, 60 * NANOS);
    Shares shares = new Shares(Partition.of(fixed));
    round(shares, fixed, 0, START / MINUTE + 5);
    idleFrom(shares, (START / MINUTE + 6) * MINUTE);
  }

  @Test
  void permitsAreOut_idleOnceEveryoneIsSilent() {
    idleFrom(after(new LimitSpec.Concurrency(10), part(0, 3)), START + TTL + 1);
  }

  @Test
  void tokensAreOut_theyCountAsSpentWhenTheirSliceEnds() {
    LimitSpec bucket = new LimitSpec.TokenBucket(new Rate(1, 1), 50);
    Shares shares = new Shares(Partition.of(bucket));
    long edge = (START / MINUTE + 1) * MINUTE;
    Shares.Report wants = new Shares.Report("a", 1, 0, List.of(), 0, 5, Shares.NONE, Shares.NONE);
    assertThat(shares.round(wants, Partition.of(bucket), edge - TTL, TTL).parts())
        .containsExactly(out(5));
    idleFrom(shares, edge + 2 * MINUTE);
  }

  @Test
  void slotsAreHandedOut_idleWhenTheNextOneBegins() {
    LimitSpec slots = new LimitSpec.Strict(new Rate(1, 10));
    Shares shares = new Shares(Partition.of(slots));
    assertThat(round(shares, slots, 1, Shares.NONE)).hasSize(1);
    idleFrom(shares, START + 2_000 + 10 * SECOND);
  }
}
