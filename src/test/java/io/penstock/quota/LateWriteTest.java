package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.fake.TrailingChecker;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A trailing minute of a provider whose requests are written up to a second after their release, as
 * in a process that has just started.
 */
class LateWriteTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long GUARD = 50_000_000;
  private static final LimitSpec SPEC = new LimitSpec.TrailingWindow(60, WINDOW, GUARD, 5);

  private final Limit limit = new Limit(SPEC, 0);
  private final Quota quota =
      new Quota(
          "upstream u", ChargeRule.WHOLE, List.of(new MeteredLimit(LimitMeasure.REQUESTS, limit)));

  private record Sent(long writtenAt, List<Charge> charges) {}

  private List<Charge> taken(long now) {
    List<Charge> charges = new ArrayList<>();
    assertThat(quota.take(Cost.ofInput(1), now, charges)).isTrue();
    return charges;
  }

  @ParameterizedTest
  @ValueSource(longs = {100, 1_000, 1_900})
  void requestsWrittenLate_neverArriveInMoreThanTheLimit(long mostMillis) {
    TrailingChecker provider = new TrailingChecker(60, WINDOW);
    PriorityQueue<Sent> way = new PriorityQueue<>(Comparator.comparingLong(Sent::writtenAt));
    Random random = new Random(mostMillis);
    long passed = 0;
    long now = 0;
    while (now < 20 * WINDOW) {
      List<Charge> charges = new ArrayList<>();
      if (quota.take(Cost.ofInput(1), now, charges)) {
        passed++;
        way.add(new Sent(now + random.nextLong(mostMillis * 1_000_000), charges));
        continue;
      }
      long goes = Math.max(limit.roomFreeAt(1, now), limit.paceAllowsAt(1, now));
      Sent next = way.peek();
      if (next != null && next.writtenAt() <= goes) {
        way.remove();
        now = next.writtenAt();
        long at = now;
        provider.charge(at, 1);
        next.charges().forEach(charge -> charge.written(at));
      } else {
        assertThat(goes).isGreaterThan(now);
        now = goes;
      }
    }
    assertThat(provider.most()).isLessThanOrEqualTo(60);
    assertThat(passed).isGreaterThan((long) (0.94 * 20 * 60));
  }

  @Test
  void requestWrittenWithinTheGuard_countsFromItsRelease() {
    Charge charge = taken(SECOND - 1).getFirst();
    charge.written(SECOND - 1 + GUARD);
    assertThat(limit.balance(SECOND + WINDOW + GUARD - 1).charged()).isEqualTo(1);
    assertThat(limit.balance(SECOND + WINDOW + GUARD).charged()).isZero();
  }

  @Test
  void requestWrittenLater_countsFromThen_andIsGivenBackFromThere() {
    Charge charge = taken(SECOND - 1).getFirst();
    charge.written(SECOND + GUARD);
    assertThat(limit.balance(2 * SECOND).charged()).isEqualTo(1);
    assertThat(limit.balance(SECOND + WINDOW + GUARD).charged()).isEqualTo(1);
    assertThat(limit.balance(2 * SECOND + WINDOW + GUARD).charged()).isZero();
    charge.giveBack(3 * SECOND);
    assertThat(limit.balance(3 * SECOND).charged()).isZero();
  }

  @Test
  void requestWrittenWhenItCountsNoMore_isNotChargedAgain() {
    Charge charge = taken(0).getFirst();
    charge.written(2 * WINDOW);
    assertThat(limit.balance(2 * WINDOW).charged()).isZero();
  }

  @Test
  void chargesOfOthers_stayWhereTheyAre() {
    Charge first = taken(0).getFirst();
    Charge second = taken(0).getFirst();
    first.written(SECOND);
    second.giveBack(SECOND);
    assertThat(limit.balance(WINDOW + GUARD + SECOND).charged()).isEqualTo(1);
    assertThat(limit.balance(WINDOW + GUARD + 2 * SECOND).charged()).isZero();
  }
}
