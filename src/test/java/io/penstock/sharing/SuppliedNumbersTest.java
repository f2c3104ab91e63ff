package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceStore.Ask;
import io.penstock.sharing.SliceStore.Member;
import io.penstock.sharing.SliceStore.Run;
import io.penstock.usage.SnapshotStore;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests the ranges of the numbers that members and stores exchange. */
class SuppliedNumbersTest {
  private static final long MILLI = 1_000_000;
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(100, MILLI);
  private static final LimitId ID = id(MILLI);

  private static LimitId id(long durationNanos) {
    return new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, durationNanos);
  }

  private static void assertRefused(ThrowingCallable making, String message) {
    assertThatThrownBy(making)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static Ask ask(long from, long head, long wanted, CellAmount... uses) {
    return new Ask(ID, SPEC, from, List.of(uses), head, wanted, Ask.NONE, Ask.NONE);
  }

  private static SliceStore.Answer answer(long lostNanos) {
    Run run = new Run("run", 0, 0, 0);
    return new SliceStore.Answer(0, "life", run, 1, List.of(), List.of(), List.of(), lostNanos);
  }

  @Test
  void ask_lacksAndWantsNothingOrMore_ofCellsThatItReports() {
    assertThat(ask(7, 0, 0, new CellAmount(7, 0)).uses()).containsExactly(new CellAmount(7, 0));
    assertRefused(() -> ask(7, -1, 0), "head is -1");
    assertRefused(() -> ask(7, 0, -1), "wanted is -1");
    assertRefused(
        () -> ask(7, 0, 0, new CellAmount(7, 1), new CellAmount(6, 1)), "use is of cell 6");
    assertRefused(() -> new CellAmount(7, -1), "amount is -1");
  }

  @Test
  void round_isOfSomebody_andAsksOnceOfALimit() {
    assertRefused(() -> SliceFixture.round(" ", 1, List.of()), "member is blank");
    assertRefused(
        () -> SliceFixture.round("a", 1, List.of(ask(0, 0, 0), ask(1, 1, 1))),
        "is asked for twice");
  }

  @Test
  void timesOfAnAnswer_areNotBelowZero() {
    assertThat(answer(0).sinceLossNanos()).isZero();
    assertRefused(() -> answer(-1), "lostNanos is -1");
    assertRefused(() -> new Run("run", -1, 0, 0), "ageNanos is -1");
    assertRefused(() -> new Run("run", 0, -1, 0), "gapNanos is -1");
    assertRefused(() -> new Run("run", 0, 0, -1), "kept is -1");
    assertRefused(() -> new Member("a", -1, 0, 0, false), "silentNanos is -1");
    assertRefused(() -> new Member("a", 0, -1, 0, false), "wholeNanos is -1");
    assertRefused(() -> new Member("a", 0, 0, -1, false), "awareNanos is -1");
  }

  private static SliceStore.Grant grant(long amount) {
    List<CellAmount> slices = List.of(new CellAmount(3, amount));
    return new SliceStore.Grant(ID, 10, 0, slices, Ask.NONE, 0, 0);
  }

  @Test
  void slice_isOfSomething() {
    assertThat(grant(1).slices()).containsExactly(new CellAmount(3, 1));
    assertRefused(() -> grant(0), "amount is 0");
    assertRefused(() -> new CellAmount(3, -1), "amount is -1");
  }

  @Test
  void supply_handsOutSlicesThatLast() {
    assertThat(new MemorySliceStore(() -> 0, 1, "life")).isNotNull();
    assertRefused(() -> new MemorySliceStore(() -> 0, 0, "life"), "ttlNanos is 0");
  }

  @Test
  void count_isOfAMillisecondOrMore_andOfNothingOrMore() {
    assertThat(new CountStore.Count(id(MILLI), 7, 0).expiresAtMillis()).isEqualTo(9);
    assertRefused(
        () -> new CountStore.Count(id(MILLI - 1), 7, 0), "expected a limit with a window");
    assertRefused(() -> new CountStore.Count(id(MILLI), 7, -1), "is -1");
  }

  @Test
  void denial_isOfAMillisecondOrMore_ofAnyCell_andOfALimit() {
    assertThat(new DenialStore.Denial("n", "i", 1, 0, 1).expiresAtMillis()).isEqualTo(2);
    assertRefused(() -> new DenialStore.Denial("n", "i", 0, 0, 1), "denial is of 0 ms");
    assertRefused(() -> new DenialStore.Denial("n", "i", 1, -1, 1), "cell -1");
    assertRefused(() -> new DenialStore.Denial("n", "i", 1, 0, 0), "limit 0");
  }

  @Test
  void spent_isOfSomething_sinceTheEpoch() {
    assertThat(new SnapshotStore.Spent(0, 1).unixNanos()).isZero();
    assertRefused(() -> new SnapshotStore.Spent(-1, 1), "1 was charged at -1");
    assertRefused(() -> new SnapshotStore.Spent(0, 0), "0 was charged at 0");
  }

  @Test
  void sharing_isWrittenInSmallLetters() {
    assertThat(SharingMode.values())
        .extracting(SharingMode::text)
        .containsExactly("exact", "eventual", "local");
  }
}
