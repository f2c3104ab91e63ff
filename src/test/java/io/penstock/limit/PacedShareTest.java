package io.penstock.limit;

import static io.penstock.limit.HeldLimit.MINUTE;
import static io.penstock.limit.HeldLimit.SECOND;
import static io.penstock.limit.HeldLimit.START;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pace of a limit that is held to a share: 600 a minute and 50 at once, for all. */
class PacedShareTest {
  private static final long CAPACITY = 600;

  private final HeldLimit held =
      new HeldLimit(new LimitSpec.TrailingWindow(CAPACITY, MINUTE, 0, 50));

  /** Takes one as soon as each goes, and returns how many went until then. */
  private long takeUntil(long from, long until) {
    long went = 0;
    long now = from;
    while (now < until) {
      LimitAnswer answer = held.take(1, now);
      if (answer instanceof LimitAnswer.Wait wait) {
        now = wait.untilNanos();
      } else {
        went++;
      }
    }
    return went;
  }

  private void provider(long limit, long now) {
    held.limit
        .feedback()
        .applyNotice(
            new ProviderNotice(0, now, limit, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED),
            now);
  }

  @ParameterizedTest
  @ValueSource(longs = {12, 60, 150, 300, 600})
  void share_hasItsPartOfTheBurstAndThenItsPartOfTheRate(long share) {
    held.hold(share, START);
    long burst = share / 12;
    assertThat(held.takeAll(START)).isEqualTo(burst);
    long apart = MINUTE / share;
    for (long each = 1; each <= share - burst && each < 100; each++) {
      long now = START + each * apart;
      assertThat(held.waits(1, now - 1)).isEqualTo(now);
      held.taken(1, now);
    }
  }

  @Test
  void smallShare_hasABurstOfOne() {
    held.hold(3, START);
    assertThat(held.takeAll(START)).isEqualTo(1);
    assertThat(held.waits(1, START)).isEqualTo(START + 20 * SECOND);
  }

  @Test
  void shareChangesManyTimes_paceOwesTheSame() {
    held.hold(CAPACITY, START);
    held.taken(40, START);
    Random random = new Random(1);
    for (int each = 0; each < 10_000; each++) {
      held.hold(1 + random.nextLong(CAPACITY), START);
      held.shrink(random.nextLong(CAPACITY), START);
    }
    held.hold(CAPACITY, START);
    long now = START + SECOND / 1_000;
    assertThat(held.takeAll(now)).isEqualTo(10);
    assertThat(held.waits(1, now)).isBetween(now + SECOND / 11, START + SECOND / 10 + 1_000);
  }

  @Test
  void debtBeyondTheBurst_isPaidAtTheRateOfALargerShare() {
    held.hold(60, START);
    held.taken(35, START);
    assertThat(held.waits(1, START)).isEqualTo(START + 31 * SECOND);
    held.hold(CAPACITY, START);
    assertThat(held.waits(1, START)).isEqualTo(START + 31 * SECOND / 10);
  }

  @Test
  void shareShrinksWhileItIsSpent_goesOnAtItsRateWithoutAPause() {
    held.hold(CAPACITY, START);
    assertThat(takeUntil(START, START + SECOND)).isEqualTo(59);
    long now = START + SECOND;
    for (long share = 500; share >= 200; share -= 100) {
      held.hold(share, now);
      assertThat(takeUntil(now, now + SECOND)).isBetween(share / 60 - 1, share / 60 + 1);
      now += SECOND;
    }
  }

  @Test
  void shareGrowsWhileItIsSpent_goesOnAtItsRateWithoutABurst() {
    held.hold(60, START);
    long now = START + SECOND;
    assertThat(takeUntil(START, now + 1)).isEqualTo(6);
    held.hold(CAPACITY, now);
    assertThat(takeUntil(now, now + SECOND)).isBetween(9L, 11L);
  }

  @Test
  void noShareForAMoment_burstStaysUsedUp() {
    held.hold(CAPACITY, START);
    held.taken(50, START);
    held.shrink(0, START);
    held.hold(CAPACITY, START);
    assertThat(held.takeAll(START + SECOND)).isEqualTo(10);
  }

  @Test
  void givenBackAfterTheShareHasGrown_banksNoMoreThanTheBurst() {
    held.hold(60, START);
    LimitAnswer.Receipt receipt = held.taken(5, START);
    held.hold(CAPACITY, START);
    held.giveBack(receipt, START);
    assertThat(held.takeAll(START)).isBetween(5L, 50L);
    assertThat(held.waits(1, START)).isBetween(START + 1, START + SECOND / 10);
  }

  @Test
  void costAboveTheBurst_isPaidAtTheRateOfTheShare() {
    held.hold(120, START);
    held.taken(30, START);
    assertThat(held.waits(1, START)).isEqualTo(START + 10 * SECOND + SECOND / 2);
  }

  @Test
  void providerLowersTheLimitBelowTheShare_paceIsThatOfTheProvider() {
    held.hold(400, START);
    provider(300, START);
    assertThat(held.limit.capacity(START)).isEqualTo(300);
    assertThat(held.standing(START).capacity()).isEqualTo(300);
    assertThat(held.takeAll(START)).isEqualTo(25);
    assertThat(held.waits(1, START)).isEqualTo(START + SECOND / 5);
    long later = START + 121 * SECOND;
    assertThat(held.limit.capacity(later)).isEqualTo(CAPACITY);
    assertThat(held.takeAll(later)).isEqualTo(33);
    assertThat(held.waits(1, later)).isEqualTo(later + 3 * SECOND / 20);
  }

  @Test
  void providerLowersTheLimitAboveTheShare_paceIsThatOfTheShare() {
    held.hold(120, START);
    provider(300, START);
    assertThat(held.takeAll(START)).isEqualTo(10);
    assertThat(held.waits(1, START)).isEqualTo(START + SECOND / 2);
    held.hold(60, START);
    assertThat(held.limit.capacity(START)).isEqualTo(300);
    assertThat(held.standing(START).share()).isEqualTo(60);
  }

  @Test
  void providerLowersTheLimitBelowWhatWasSpent_nothingGoesUntilItHasLeft() {
    held.hold(100, START);
    held.limit.charge(80, 0, START);
    provider(50, START);
    assertThat(held.limit.room(START)).isZero();
    assertThat(held.take(601, START)).isEqualTo(new LimitAnswer.Refuse(CAPACITY));
    assertThat(held.limit.roomFreeAt(20, START)).isGreaterThan(START + MINUTE);
    assertThat(held.standing(START).least()).isEqualTo(80);
  }

  @Test
  void unshared_paceIsThatOfTheWholeLimitAndOwesTheSame() {
    held.hold(60, START);
    held.taken(5, START);
    held.limit.sharing().unshare(START);
    assertThat(held.takeAll(START)).isBetween(0L, 45L);
    long now = START + 10 * SECOND;
    assertThat(held.takeAll(now)).isEqualTo(50);
    assertThat(held.waits(1, now)).isEqualTo(now + SECOND / 10);
  }
}
