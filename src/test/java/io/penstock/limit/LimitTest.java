package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of limits that nobody else spends or counts, without statements of a provider. */
class LimitTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long START = LimitContract.START;
  private static final long WINDOW = 10 * SECOND;
  private static final Refusal REFUSAL = Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "It is away.");

  /** Returns limits with a capacity of five. */
  static Stream<LimitSpec> fives() {
    return Stream.of(
        new LimitSpec.TokenBucket(new ExactRate(5, 10), 5),
        new LimitSpec.SlidingWindow(5, WINDOW),
        new LimitSpec.FixedWindow(5, WINDOW),
        new LimitSpec.TrailingWindow(5, WINDOW, 0, 5),
        new LimitSpec.Concurrency(5),
        new LimitSpec.Day(5, null, 0));
  }

  @ParameterizedTest
  @MethodSource("fives")
  void exactlyItsCapacity_isNotTooMuch(LimitSpec spec) {
    Limit limit = new Limit(spec, START);
    assertThat(limit.decide(Weight.exactly(5), START)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.decide(Weight.exactly(6), START)).isEqualTo(new LimitAnswer.Refuse(5));
    assertThat(limit.take(Weight.exactly(4), START)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.decide(Weight.exactly(1), START)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void requestThatMayAddInput_runsInACopyToo_whichWaitsForItsEnd() {
    Limit limit = new Limit(new LimitSpec.Day(5, null, 0), START);
    assertThat(limit.dryCopy(START).dependsOnEvents(START)).isFalse();
    assertThat(limit.beginUnseen()).isTrue();
    assertThat(limit.beginUnseen()).isFalse();
    Limit copy = limit.dryCopy(START);
    assertThat(copy.dependsOnEvents(START)).isTrue();
    copy.endUnseen();
    assertThat(copy.runsUnseen()).isFalse();
    assertThat(limit.runsUnseen()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("fives")
  void partlyUsed_saysHowMuchIsLeftAndWhenAllIs(LimitSpec spec) {
    Limit limit = new Limit(spec, START);
    assertThat(limit.remainder(START)).isEqualTo(new LimitRemainder(5, START));
    limit.take(Weight.exactly(2), START);
    assertThat(limit.remainder(START)).isEqualTo(new LimitRemainder(3, limit.roomFreeAt(5, START)));
    assertThat(limit.utilization(START)).isEqualTo(0.4);
    assertThat(limit.feedback().restoredAt(START)).isEqualTo(START);
  }

  @ParameterizedTest
  @MethodSource("fives")
  void sharedWithNobody_nothingOfThatChangesIt(LimitSpec spec) {
    Limit limit = new Limit(spec, START);
    limit.take(Weight.exactly(2), START);
    limit.sharing().cutOff(new OutageCap.Shut(REFUSAL), 0);
    assertThat(limit.sharing().refusal()).isNull();
    limit.sharing().rejoin();
    limit.sharing().dropPeerCounts();
    limit.sharing().unshare(START);
    limit.feedback().widen(0);
    assertThat(limit.sharing().demand()).isNull();
    assertThat(limit.room(START)).isEqualTo(3);
    assertThat(limit.spec()).isEqualTo(spec);
  }

  @Test
  void onlyWhatNeverOpensByItself_isLacking() {
    Limit permits = new Limit(new LimitSpec.Concurrency(2), START);
    assertThat(permits.sharing().needsLargerShare(2, START)).isFalse();
    permits.take(new Weight(0, 1, 0), START);
    assertThat(permits.sharing().needsLargerShare(1, START)).isFalse();
    assertThat(permits.sharing().needsLargerShare(2, START)).isTrue();
    Limit window = new Limit(new LimitSpec.FixedWindow(2, WINDOW), START);
    window.take(Weight.exactly(2), START);
    assertThat(window.sharing().needsLargerShare(2, START)).isFalse();
  }

  /** The share is enough, so no more is asked for. */
  @Test
  void sharedAndOpen_lacksNothing() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), START);
    ShareDemand shareDemand = HeldShares.none(limit, () -> {}, START);
    HeldShares.give(limit, 50, START);
    assertThat(limit.admittedAt(50, START)).isEqualTo(START);
    assertThat(shareDemand.most()).isZero();
    limit.recordDemand(50, START);
    assertThat(shareDemand.most()).isZero();
    limit.recordDemand(51, START);
    assertThat(shareDemand.most()).isEqualTo(51);
  }

  @Test
  void remembered_isMoreThanNothing() {
    assertThat(new ChargedCell(START, 1).by(START - 1)).isEqualTo(new ChargedCell(START - 1, 1));
    assertThat(new ChargedCell(START, 1).by(START)).isEqualTo(new ChargedCell(START, 1));
    assertThatThrownBy(() -> new ChargedCell(START, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("amount is 0, expected more than 0");
  }

  @Test
  void notice_saysWhatIsLeftOnlyWithAReset() {
    assertThat(new ProviderNotice(0, START, 5, 0, 0).statesRemaining()).isTrue();
    assertThat(new ProviderNotice(0, START, 5, -1, 0).statesRemaining()).isFalse();
    assertThat(new ProviderNotice(0, START, 5, 0, -1).statesRemaining()).isFalse();
    assertThat(new ProviderNotice(0, START, 1, 0, 0).statesLimit()).isTrue();
    assertThat(new ProviderNotice(0, START, 0, 0, 0).statesLimit()).isFalse();
  }
}
