package io.penstock.limit;

import static io.penstock.limit.HeldLimit.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A strict rate, of which one instance at a time has the only unit. */
class HeldStrictTest {
  private static final long MILLI = 1_000_000;

  private static HeldLimit held(long aSecond, long earlyNanos) {
    return new HeldLimit(new LimitSpec.Strict(new ExactRate(aSecond, 1), earlyNanos));
  }

  @Test
  void noShare_waitsForIt() {
    HeldLimit held = held(100, 0);
    assertThat(held.waits(1, START)).isEqualTo(Ticker.NEVER);
    assertThat(held.standing(START)).isEqualTo(new ShareStanding(1, 0, 0, 0, 1, 1, 0, 0));
    assertThat(held.take(2, START)).isEqualTo(new LimitAnswer.Refuse(1));
  }

  @Test
  void share_releasesInItsSlots() {
    HeldLimit held = held(100, 3 * MILLI).hold(1, START);
    held.taken(1, START);
    assertThat(held.waits(1, START)).isEqualTo(START + 7 * MILLI);
    assertThat(held.standing(START).waiting()).as("only time is lacking").isZero();
    held.taken(1, START + 7 * MILLI);
    assertThat(held.waits(1, START + 7 * MILLI)).isEqualTo(START + 17 * MILLI);
  }

  @Test
  void released_holdsItselfToTheUnitUntilItsNextSlot() {
    HeldLimit held = held(100, 3 * MILLI).hold(1, START);
    held.taken(1, START);
    assertThat(held.shrink(0, START + 7 * MILLI).least()).isEqualTo(1);
    assertThat(held.standing(START + 10 * MILLI - 1).least()).isEqualTo(1);
    assertThat(held.standing(START + 10 * MILLI).least()).isZero();
    assertThat(held.waits(1, START + 20 * MILLI)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void givenBack_slotIsFreeAgain() {
    HeldLimit held = held(100, 0).hold(1, START);
    LimitAnswer.Receipt receipt = held.taken(1, START);
    held.giveBack(receipt, START);
    assertThat(held.standing(START).least()).isZero();
    held.taken(1, START);
  }

  @Test
  void shareComesBackBeforeItsNextSlot_slotsStayWhereTheyAre() {
    HeldLimit held = held(100, 0).hold(1, START);
    held.taken(1, START);
    held.shrink(0, START + MILLI);
    held.hold(1, START + 2 * MILLI);
    assertThat(held.waits(1, START + 2 * MILLI)).isEqualTo(START + 10 * MILLI);
  }

  @Test
  void shareComesBackLater_slotsOfOthersAreNotUsed() {
    HeldLimit held = held(1_000, 0).hold(1, START);
    held.taken(1, START);
    held.shrink(0, START + MILLI);
    long now = START + 4 * MILLI;
    held.hold(1, now);
    held.taken(1, now);
    assertThat(held.waits(1, now)).isEqualTo(now + MILLI);
  }

  /** Releases of three instances, among which the unit goes round. */
  @ParameterizedTest
  @CsvSource({"10, 0", "100, 0", "100, 3", "1000, 0", "1000, 3", "999, 2", "30, 20"})
  void unitGoesRound_atMostTheRateWithTheEarlyTime(long aSecond, long earlyMillis) {
    long early = earlyMillis * MILLI;
    List<HeldLimit> members = new ArrayList<>();
    for (int each = 0; each < 3; each++) {
      members.add(held(aSecond, early));
    }
    Random random = new Random(aSecond + earlyMillis);
    List<Long> releases = new ArrayList<>();
    HeldLimit holder = members.getFirst().hold(1, START);
    for (long now = START; releases.size() < 2_000; now += random.nextLong(MILLI)) {
      if (random.nextInt(20) == 0 && holder.shrink(0, now).least() == 0) {
        holder = members.get(random.nextInt(3)).hold(1, now);
      }
      if (holder.take(1, now) instanceof LimitAnswer.Receipt) {
        releases.add(now);
      }
    }
    long interval = new ExactRate(aSecond, 1).intervalNanos();
    // a release that was a little late leaves the slots where they are
    long late = Math.max(interval, 5 * MILLI);
    for (int first = 0; first < releases.size(); first++) {
      for (int last = first + 1; last < Math.min(releases.size(), first + 50); last++) {
        long passed = releases.get(last) - releases.get(first);
        assertThat(passed).isGreaterThanOrEqualTo((last - first) * interval - early - late);
      }
    }
    double rate = (releases.size() - 1) * 1e9 / (releases.getLast() - releases.getFirst());
    assertThat(rate).isLessThanOrEqualTo(aSecond * 1.01);
  }
}
