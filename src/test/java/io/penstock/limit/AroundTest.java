package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static io.penstock.limit.HeldShares.taken;
import static io.penstock.limit.LimitContract.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the properties of a trailing window stay when others spend or count it too. */
class AroundTest {
  private static final long NOW = 2_000 * SECOND;
  private static final long WINDOW = 60 * SECOND;
  private static final long LOWERED_NANOS = 120 * SECOND;
  private static final LimitSpec SPEC = new LimitSpec.TrailingWindow(120, WINDOW, 0, 10);

  enum Others {
    NONE,
    SHARING,
    COUNTING,
    CUT_OFF,
    REGIONS
  }

  private final Limit limit = new Limit(SPEC, NOW);

  private void among(Others others) {
    switch (others) {
      case NONE -> {}
      case SHARING -> share();
      case COUNTING ->
          limit
              .sharing()
              .applyPeerCounts(PeerCounts.none(WINDOW, SHIFT), new ShareDemand(() -> {}), NOW);
      case CUT_OFF -> {
        share();
        limit.sharing().cutOff(new OutageCap.Open(), 0);
      }
      case REGIONS -> {
        RegionCounts nobody =
            RegionCounts.of(SPEC, WINDOW, SHIFT, List.of(), (denied, capacity) -> {});
        limit.sharing().bindRegions(nobody, NOW);
      }
    }
  }

  private void share() {
    HeldShares.none(limit, () -> {}, NOW);
    HeldShares.give(limit, 120, NOW);
  }

  @ParameterizedTest
  @EnumSource
  void toldALowerLimit_hasNoMoreUntilItIsRestored(Others others) {
    among(others);
    assertThat(limit.feedback().restoredAt(NOW)).isEqualTo(NOW);
    limit
        .feedback()
        .applyNotice(
            new ProviderNotice(0, NOW, 50, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED), NOW);
    assertThat(limit.capacity(NOW)).isEqualTo(50);
    assertThat(limit.capacity()).isEqualTo(120);
    assertThat(limit.spec()).isEqualTo(SPEC);
    assertThat(limit.feedback().restoredAt(NOW)).isEqualTo(NOW + LOWERED_NANOS);
    assertThat(limit.capacity(NOW + LOWERED_NANOS)).isEqualTo(120);
  }

  @ParameterizedTest
  @EnumSource
  void widenedAsItIs_staysTheSame(Others others) {
    among(others);
    limit.feedback().widen(30_000_000);
    LimitState widened = limit.state();
    limit.feedback().widen(30_000_000);
    assertThat(limit.state()).isSameAs(widened);
  }

  @ParameterizedTest
  @EnumSource
  void toldWhatIsLeft_isWhatItLearned(Others others) {
    among(others);
    assertThat(limit.feedback().learned(NOW)).isNull();
    LimitAnswer.Receipt receipt = taken(limit, 1, NOW);
    limit
        .feedback()
        .applyNotice(new ProviderNotice(receipt.totalTaken(), NOW, 120, 40, 30 * SECOND), NOW);
    LearnedLimit learnedLimit = Objects.requireNonNull(limit.feedback().learned(NOW));
    assertThat(learnedLimit.limit()).isEqualTo(120);
    assertThat(learnedLimit.remaining()).isEqualTo(40);
    assertThat(learnedLimit.resetNanos()).isEqualTo(NOW + 30 * SECOND);
  }

  @ParameterizedTest
  @EnumSource
  void widened_countsForLonger(Others others) {
    among(others);
    limit.feedback().widen(30_000_000);
    taken(limit, 10, NOW);
    long over = NOW + SECOND + WINDOW;
    assertThat(limit.balance(over).charged()).isEqualTo(10);
    assertThat(limit.balance(over + 30_000_000).charged()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = "CUT_OFF", mode = EnumSource.Mode.EXCLUDE)
  void paced_isWhatItWouldBeAlone(Others others) {
    among(others);
    taken(limit, 10, NOW);
    assertThat(limit.paceAllowsAt(6, NOW)).isEqualTo(NOW + 3 * SECOND);
  }

  @ParameterizedTest
  @EnumSource
  void givenBackByItsCell_isNotOwedAnyMore(Others others) {
    among(others);
    LimitAnswer.Receipt receipt = taken(limit, new Weight(4, 6, 4), NOW);
    LimitState given = limit.state().giveBack(receipt, 3, 5, NOW);
    assertThat(given.balance(NOW)).isEqualTo(new LimitBalance(1, 0, 1));
  }
}
