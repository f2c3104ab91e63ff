package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static io.penstock.limit.Slices.HEARD;
import static io.penstock.limit.Slices.SECOND;
import static io.penstock.limit.Slices.taken;
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
      case COUNTING -> limit.others(Foreign.none(WINDOW, SHIFT), new Demand(() -> {}), NOW);
      case CUT_OFF -> {
        share();
        limit.cutOff(new Cut.Open());
      }
      case REGIONS -> {
        Abroad nobody = Abroad.of(SPEC, WINDOW, SHIFT, List.of(), Abroad.Denials.NOBODY);
        Regional.bind(limit, nobody, NOW);
      }
    }
  }

  private void share() {
    limit.share(new Demand(() -> {}), NOW);
    limit.granted(
        List.of(new Tally.Counted(7, 100)), HEARD, any -> new Grid.Span(NOW, NOW + WINDOW));
  }

  @ParameterizedTest
  @EnumSource
  void toldALowerLimit_hasNoMoreUntilItIsRestored(Others others) {
    among(others);
    assertThat(limit.restores(NOW)).isEqualTo(NOW);
    limit.told(new Notice(0, NOW, 50, Notice.UNSAID, Notice.UNSAID), NOW);
    assertThat(limit.capacity(NOW)).isEqualTo(50);
    assertThat(limit.capacity()).isEqualTo(120);
    assertThat(limit.spec()).isEqualTo(SPEC);
    assertThat(limit.restores(NOW)).isEqualTo(NOW + LOWERED_NANOS);
    assertThat(limit.capacity(NOW + LOWERED_NANOS)).isEqualTo(120);
  }

  @ParameterizedTest
  @EnumSource
  void widenedAsItIs_staysTheSame(Others others) {
    among(others);
    limit.widen(30_000_000);
    State widened = limit.state();
    limit.widen(30_000_000);
    assertThat(limit.state()).isSameAs(widened);
  }

  @ParameterizedTest
  @EnumSource
  void toldWhatIsLeft_isWhatItLearned(Others others) {
    among(others);
    assertThat(limit.learned(NOW)).isNull();
    Answer.Receipt receipt = taken(limit, 1, NOW);
    limit.told(new Notice(receipt.mark(), NOW, 120, 40, 30 * SECOND), NOW);
    Learned learned = Objects.requireNonNull(limit.learned(NOW));
    assertThat(learned.limit()).isEqualTo(120);
    assertThat(learned.remaining()).isEqualTo(40);
    assertThat(learned.resetNanos()).isEqualTo(NOW + 30 * SECOND);
  }

  @ParameterizedTest
  @EnumSource
  void widened_countsForLonger(Others others) {
    among(others);
    limit.widen(30_000_000);
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
    assertThat(limit.paced(6, NOW)).isEqualTo(NOW + 3 * SECOND);
  }

  @ParameterizedTest
  @EnumSource
  void givenBackByItsCell_isNotOwedAnyMore(Others others) {
    among(others);
    Answer.Receipt receipt = taken(limit, new Weight(4, 6, 4), NOW);
    State given = limit.state().give(receipt.cell(), 3, 5, NOW);
    assertThat(given.balance(NOW)).isEqualTo(new Balance(1, 0, 1));
  }
}
