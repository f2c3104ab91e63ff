package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.RegionCells;
import io.penstock.limit.RegionCounts;
import io.penstock.limit.ShareDemand;
import io.penstock.queue.Ticket;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests charges at arrival to the quotas of a key and its group. */
class CallerAccountChargeTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;

  private final List<Long> denials = new ArrayList<>();
  private final Limit ofKey = window(100);
  private final Limit ofGroup = window(100);
  private final Quota key =
      Quota.ofKey(
          "key k", List.of(new MeteredLimit(LimitMeasure.TOKENS, ofKey, RefusalReason.KEY_TPM)));
  private final Quota group =
      new Quota(
          "group g",
          ChargeRule.TOTAL,
          List.of(new MeteredLimit(LimitMeasure.TOKENS, ofGroup, RefusalReason.GROUP_TPM)));
  private final CallerAccount callerAccount = account(key, group);

  private static Limit window(long capacity) {
    return new Limit(new LimitSpec.FixedWindow(capacity, WINDOW), 0);
  }

  private static CallerAccount account(Quota... quotas) {
    return new CallerAccount("k", false, (model, now) -> List.of(quotas));
  }

  private static Ticket ticket(long order, long input, long output) {
    return new Ticket(order, new Cost(input, output, 0), 0, 0, Ticker.NEVER);
  }

  private static Refusal refusal(CallerAccount.ChargeResult charged) {
    assertThat(charged).isInstanceOf(CallerAccount.Denied.class);
    return ((CallerAccount.Denied) charged).refusal();
  }

  /**
   * Waiter with one ticket, which is older than all others and may be skipped {@code most} times.
   */
  private static final class First extends WokenWaiters {
    private final Quota quota;
    private final int most;
    private int skips;

    First(Quota quota, int most) {
      this.quota = quota;
      this.most = most;
      quota.waitList().join(this);
    }

    @Override
    public boolean precedes(Ticket released) {
      return true;
    }

    @Override
    public boolean unskippable(Ticket released) {
      return skips >= most;
    }

    @Override
    public void skip(Ticket released) {
      skips++;
    }

    @Override
    public Quota claim(Ticket released, long now) {
      quota.waitList().claim(this, ticket(0, 1, 0));
      return quota;
    }

    @Override
    public boolean hasWaiting(Ticket ticket) {
      return true;
    }
  }

  @Test
  void bothHaveRoom_keyAndGroupAreChargedInputAndExpectedOutput() {
    CallerAccount.ChargeResult charged = callerAccount.charge(null, ticket(1, 30, 20), 0);
    assertThat(charged).isInstanceOf(CallerAccount.Taken.class);
    CallerAccount.Taken taken = (CallerAccount.Taken) charged;
    assertThat(taken.givers()).containsExactly(key, group);
    assertThat(taken.charges()).hasSize(2);
    assertThat(ofKey.balance(0).charged()).isEqualTo(50);
    assertThat(ofGroup.balance(0).charged()).isEqualTo(50);
    taken.charges().forEach(spend -> spend.settle(null, 5, 0));
    assertThat(ofKey.balance(0).charged()).isEqualTo(35);
    assertThat(ofGroup.balance(0).charged()).isEqualTo(35);
  }

  @Test
  void groupHasNoRoom_isRefusedUntilItHas_andKeyIsChargedNothing() {
    ofGroup.charge(90, 0, 0);
    assertThat(refusal(callerAccount.charge(null, ticket(1, 11, 0), SECOND)))
        .isEqualTo(
            new Refusal(RefusalReason.GROUP_TPM, "group g: 100 tokens a minute", WINDOW - SECOND));
    assertThat(ofKey.balance(0).charged()).isZero();
  }

  @Test
  void oneOfTheGroupWaits_isSkippedByWhatIsTaken_andNotByWhatIsRefused() {
    First first = new First(group, 2);
    assertThat(callerAccount.charge(null, ticket(1, 80, 0), 0))
        .isInstanceOf(CallerAccount.Taken.class);
    assertThat(first.skips).isEqualTo(1);
    assertThat(callerAccount.charge(null, ticket(2, 80, 0), 0))
        .isInstanceOf(CallerAccount.Denied.class);
    assertThat(first.skips).isEqualTo(1);
  }

  @Test
  void oneOfTheGroupMayNotBeSkipped_isRefused_becauseTheGroupIsKept() {
    First first = new First(group, 0);
    assertThat(refusal(callerAccount.charge(null, ticket(1, 1, 0), 0)))
        .isEqualTo(group.claimRefusal());
    assertThat(first.skips).isZero();
    assertThat(first.times).isEqualTo(1);
    assertThat(ofKey.balance(0).charged()).isZero();
    assertThat(ofGroup.balance(0).charged()).isZero();
  }

  @Test
  void groupWhoseLimitsWentMeanwhile_isKeptForNobody() {
    assertThat(new Quota("group g", ChargeRule.TOTAL, List.of()).claimRefusal()).isNull();
  }

  @Test
  void oneOfTheKeyWaits_isNeitherSkippedNorKeptAnythingFor() {
    First first = new First(key, 0);
    assertThat(callerAccount.charge(null, ticket(1, 1, 0), 0))
        .isInstanceOf(CallerAccount.Taken.class);
    assertThat(first.skips).isZero();
    assertThat(key.waitList().isClaimed()).isFalse();
  }

  @Test
  void shareOfTheGroupLacks_isUndecided_andNothingIsTaken() {
    ShareDemand demand = HeldShares.none(ofGroup, () -> {}, 0);
    assertThat(callerAccount.charge(null, ticket(1, 1, 0), 0))
        .isEqualTo(new CallerAccount.AwaitingShare(demand, Ticker.NEVER));
    assertThat(ofKey.balance(0).charged()).isZero();
  }

  @Test
  void shareOfTheGroupIsUsedUp_isUndecidedUntilItsWindowEnds() {
    ShareDemand demand = HeldShares.none(ofGroup, () -> {}, 0);
    HeldShares.give(ofGroup, 50, 0);
    ofGroup.charge(50, 0, 0);
    assertThat(callerAccount.charge(null, ticket(1, 1, 0), 0))
        .isEqualTo(new CallerAccount.AwaitingShare(demand, WINDOW));
    assertThat(callerAccount.charge(null, ticket(2, 1, 0), WINDOW))
        .isInstanceOf(CallerAccount.Taken.class);
  }

  @Test
  void shareOfTheKeyLacks_andTheGroupHasNoRoom_isRefused() {
    HeldShares.none(ofKey, () -> {}, 0);
    ofGroup.charge(100, 0, 0);
    assertThat(refusal(callerAccount.charge(null, ticket(1, 1, 0), 0)).reason())
        .isEqualTo(RefusalReason.GROUP_TPM);
  }

  private void shareWithRegions(Limit limit) {
    LimitSpec spec = limit.spec();
    RegionCounts regionCounts =
        RegionCounts.of(
            spec, RegionCells.cellNanos(spec), 0, List.of(), (cell, capacity) -> denials.add(cell));
    limit.sharing().bindRegions(regionCounts, 0);
    limit.charge(100, 0, 0);
  }

  @Test
  void refusedOfALimitOfAllRegions_othersAreTold() {
    shareWithRegions(ofGroup);
    assertThat(callerAccount.charge(null, ticket(1, 1, 0), 0))
        .isInstanceOf(CallerAccount.Denied.class);
    assertThat(denials).containsExactly(0L);
  }

  @Test
  void waitsForALimitOfAllRegions_othersAreTold() {
    shareWithRegions(ofGroup);
    callerAccount.reportDenials(null, Cost.NO_TOKENS, 0);
    assertThat(denials).as("what asks for no tokens would pass").isEmpty();
    callerAccount.reportDenials(null, Cost.ofInput(1), 0);
    assertThat(denials).containsExactly(0L);
  }

  @Test
  void foreseenRefusalOfALimitOfAllRegions_othersAreTold() {
    Limit requests = window(100);
    shareWithRegions(requests);
    Quota most =
        new Quota(
            "group g",
            ChargeRule.TOTAL,
            List.of(new MeteredLimit(LimitMeasure.REQUESTS, requests, RefusalReason.GROUP_RPM)));
    Refusal refusal = account(most).certainRefusal(new PromiseHolder("a", ""), 0);
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).isEqualTo(RefusalReason.GROUP_RPM);
    assertThat(denials).containsExactly(0L);
  }
}
