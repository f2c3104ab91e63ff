package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static io.penstock.limit.CountedTrailingTest.cell;
import static io.penstock.limit.HeldShares.taken;
import static io.penstock.limit.LimitContract.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;

/** Tests of limits that others spend or count too, during an outage. */
class OutageCapOffTest {
  private static final long NOW = 4 * SECOND;
  private static final long WINDOW = 10 * SECOND;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, WINDOW);

  /** Windows of ten seconds; the one with number 7 begins three seconds after the origin. */
  private static final long GRID = 3 * SECOND;

  private static final Refusal AWAY = Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "away");
  private static final OutageCap OPEN = new OutageCap.Open();
  private static final OutageCap SHUT = new OutageCap.Shut(AWAY);
  private static final long END = 3 * SECOND + WINDOW;

  private static Limit shared(LimitSpec spec) {
    Limit limit = new Limit(spec, NOW);
    HeldShares.none(limit, () -> {}, NOW);
    return limit;
  }

  /** Returns a fixed window on the grid with a share of 50. */
  private static Limit fixed() {
    Limit limit = shared(FIXED);
    HeldShares.give(limit, 50, GRID, NOW);
    return limit;
  }

  /** Returns a trailing window with a pace of one a second and a count of 40 by others. */
  private static Limit counted(long burst) {
    Limit limit = new Limit(new LimitSpec.TrailingWindow(60, 6 * WINDOW, 0, burst), NOW);
    PeerCounts peerCounts =
        PeerCounts.none(6 * WINDOW, SHIFT)
            .withReport(cell(6 * WINDOW, NOW), 40, NOW - SECOND, SHIFT, NOW);
    limit.sharing().applyPeerCounts(peerCounts, new ShareDemand(() -> {}), NOW);
    return limit;
  }

  @Test
  void shut_passesNothing_andNobodyIsToWait() {
    Limit limit = fixed();
    assertThat(limit.sharing().refusal()).isNull();
    limit.sharing().cutOff(SHUT, 0);
    assertThat(limit.sharing().refusal()).isEqualTo(AWAY);
    assertThat(limit.room(NOW)).isZero();
    assertThat(limit.take(Weight.exactly(1), NOW)).isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    assertThat(limit.roomFreeAt(0, NOW)).isEqualTo(NOW);
    assertThat(limit.sharing().needsLargerShare(1, NOW)).isTrue();
    assertThat(limit.fullyFreeAt(NOW)).isEqualTo(NOW);
    limit.sharing().rejoin();
    assertThat(limit.sharing().refusal()).isNull();
    assertThat(limit.room(NOW)).isEqualTo(50);
  }

  @Test
  void shut_saysThePaceItWouldHave() {
    Limit limit = counted(10);
    taken(limit, 10, NOW);
    limit.sharing().cutOff(SHUT, 0);
    assertThat(limit.paceAllowsAt(5, NOW)).isEqualTo(NOW + 5 * SECOND);
  }

  @Test
  void open_passesAllThatComes_atNoPace_andNobodyOwesAnythingForIt() {
    Limit limit = counted(10);
    limit.sharing().cutOff(OPEN, 0);
    assertThat(limit.room(NOW)).isEqualTo(Long.MAX_VALUE);
    for (int round = 0; round < 3; round++) {
      assertThat(limit.paceAllowsAt(60, NOW)).isEqualTo(NOW);
      taken(limit, 60, NOW);
    }
    assertThat(limit.roomFreeAt(60, NOW)).isEqualTo(NOW);
    assertThat(limit.sharing().needsLargerShare(60, NOW)).isFalse();
    assertThat(limit.balance(NOW).charged()).isEqualTo(180);
    assertThat(limit.cells(NOW)).extracting(ChargedCell::amount).containsExactly(180L);
  }

  @Test
  void openWindowThatIsShared_countsAllInTheWindowItWasSpentIn() {
    Limit limit = fixed();
    limit.sharing().cutOff(OPEN, 0);
    LimitAnswer.Receipt receipt = limit.charge(170, 0, NOW);
    assertThat(receipt.taken()).isEqualTo(170);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(170, 0, 0));
    taken(limit, 100, NOW);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(270, 0, 0));
    assertThat(limit.balance(END)).isEqualTo(LimitBalance.ZERO);
    limit.sharing().rejoin();
    assertThat(limit.room(NOW)).isZero();
    assertThat(limit.room(END)).isEqualTo(50);
  }

  @Test
  void openWindowThatIsCounted_countsAllInTheWindowItWasSpentIn() {
    Limit limit = new Limit(FIXED, NOW);
    limit.sharing().applyPeerCounts(PeerCounts.none(WINDOW, SHIFT), new ShareDemand(() -> {}), NOW);
    limit.sharing().cutOff(OPEN, 0);
    limit.charge(170, 0, NOW);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(170, 0, 0));
  }

  @Test
  void shutWindow_owesWhatRunsOver() {
    Limit limit = fixed();
    limit.sharing().cutOff(SHUT, 0);
    limit.charge(170, 0, NOW);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(100, 70, 0));
  }

  @Test
  void givenMeanwhile_isThereWhenItRejoins() {
    Limit limit = fixed();
    limit.sharing().cutOff(SHUT, 0);
    HeldShares.give(limit, 70, GRID, NOW);
    assertThat(limit.room(NOW)).isZero();
    limit.sharing().rejoin();
    assertThat(limit.room(NOW)).isEqualTo(70);
  }

  @Test
  void heardOfOthersMeanwhile_isKnownWhenItRejoins() {
    Limit limit = counted(60);
    ShareDemand shareDemand = new ShareDemand(() -> {});
    limit.sharing().cutOff(SHUT, 0);
    PeerCounts more =
        PeerCounts.none(6 * WINDOW, SHIFT)
            .withReport(cell(6 * WINDOW, NOW), 50, NOW - SECOND, SHIFT, NOW);
    limit.sharing().applyPeerCounts(more, shareDemand, NOW);
    assertThat(limit.room(NOW)).isZero();
    assertThat(limit.sharing().demand()).isSameAs(shareDemand);
    limit.sharing().rejoin();
    assertThat(limit.room(NOW)).isEqualTo(10);
  }

  @Test
  void cutOffOnceMoreInAnotherWay_isWhatWasSaidLast() {
    Limit limit = fixed();
    limit.sharing().cutOff(SHUT, 0);
    limit.sharing().cutOff(OPEN, 0);
    assertThat(limit.sharing().refusal()).isNull();
    assertThat(limit.room(NOW)).isEqualTo(Long.MAX_VALUE);
    limit.sharing().rejoin();
    assertThat(limit.room(NOW)).isEqualTo(50);
  }

  @Test
  void givenBackMeanwhile_isThereWhenItRejoins() {
    Limit limit = fixed();
    LimitAnswer.Receipt receipt = taken(limit, 20, NOW);
    limit.sharing().cutOff(SHUT, 0);
    limit.giveBack(receipt, 15, 0, NOW);
    limit.giveBack(receipt, 0, 0, NOW);
    limit.sharing().rejoin();
    assertThat(limit.room(NOW)).isEqualTo(45);
  }

  @Test
  void resized_staysCutOff() {
    Limit limit = fixed();
    limit.sharing().cutOff(SHUT, 0);
    limit.resize(new LimitSpec.FixedWindow(120, WINDOW), NOW);
    assertThat(limit.capacity()).isEqualTo(120);
    assertThat(limit.sharing().refusal()).isEqualTo(AWAY);
    limit.sharing().rejoin();
    assertThat(limit.room(NOW)).isEqualTo(50);
  }

  @Test
  void sharedOrCountedNoMore_isCutOffFromNobody() {
    Limit held = fixed();
    held.sharing().cutOff(SHUT, 0);
    held.sharing().dropPeerCounts();
    assertThat(held.sharing().refusal()).as("it is shared still").isEqualTo(AWAY);
    held.sharing().unshare(NOW);
    assertThat(held.sharing().refusal()).isNull();
    assertThat(held.room(NOW)).isEqualTo(Long.MAX_VALUE);
    Limit counted = counted(60);
    counted.sharing().cutOff(SHUT, 0);
    counted.sharing().unshare(NOW);
    assertThat(counted.sharing().refusal()).as("it is counted still").isEqualTo(AWAY);
    counted.sharing().dropPeerCounts();
    assertThat(counted.sharing().refusal()).isNull();
    assertThat(counted.room(NOW)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void limitOfNobodyElse_isCutOffFromNobody() {
    Limit limit = new Limit(FIXED, NOW);
    limit.sharing().cutOff(SHUT, 0);
    assertThat(limit.sharing().refusal()).isNull();
    assertThat(limit.room(NOW)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void toldByAProviderMeanwhile_isKnownWhenItRejoins() {
    Limit limit =
        shared(new LimitSpec.TrailingWindow(100, 6 * WINDOW, 0, LimitSpec.TrailingWindow.UNPACED));
    limit.sharing().cutOff(SHUT, 0);
    ProviderNotice notice =
        new ProviderNotice(0, NOW, 50, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED);
    assertThat(limit.feedback().applyNotice(notice, NOW)).isFalse();
    assertThat(limit.capacity(NOW)).isEqualTo(50);
    limit.sharing().rejoin();
    assertThat(limit.capacity(NOW)).isEqualTo(50);
    assertThat(limit.capacity()).isEqualTo(100);
  }
}
