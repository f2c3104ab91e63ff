package io.penstock.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.TokenUsage;
import io.penstock.usage.UsageLedger.Row;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UsageLedgerTest {
  private static final LocalDate DAY = LocalDate.of(2026, 3, 1);
  private static final long MIDNIGHT = DAY.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();

  private final AtomicLong clock = new AtomicLong(MIDNIGHT);
  private final UsageLedger ledger = new UsageLedger(clock::get, 300);

  private static TokenUsage used(long input, long output) {
    return new TokenUsage(input, 0, output);
  }

  @Test
  void cachedInput_isAddedUpApart_whoeverCountedIt() {
    ledger.add("k", "g", "m", new TokenUsage(100, 50, 30, 20, 7, 0));
    ledger.add("k", "g", "m", new TokenUsage(10, 1, 2, 0, 7, 0));
    ledger.add("k", "g", "m", used(5, 0));
    ledger.restore(
        List.of(new Row(DAY, "k", "g", "m", 1, 1_000, 0, new CachedInput(300, 200, 100))));
    Row row = ledger.rows().getFirst();
    assertThat(row)
        .isEqualTo(new Row(DAY, "k", "g", "m", 4, 1_115, 14, new CachedInput(351, 232, 120)));
    assertThat(row.uncachedInput()).isEqualTo(1_115 - 351 - 232);
  }

  @Test
  void cachedParts_areNeverMoreThanTheInput() {
    assertThat(new Row(DAY, "k", "", "m", 1, 10, 0, new CachedInput(7, 9, 8)).cached())
        .isEqualTo(new CachedInput(7, 3, 3));
    assertThat(new Row(DAY, "k", "", "m", 1, 10, 0, new CachedInput(70, 9, 8)).cached())
        .isEqualTo(new CachedInput(10, 0, 0));
    assertThatThrownBy(() -> new CachedInput(0, 1, 2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void usage_isAddedUpByDayKeyGroupAndModel() {
    ledger.add("k", "g", "m", used(10, 1));
    ledger.add("k", "g", "m", used(20, 2));
    ledger.add("k", null, null, used(5, 0));
    clock.addAndGet(-1);
    ledger.add("k", "g", "m", used(7, 7));
    assertThat(ledger.rows())
        .containsExactly(
            new Row(DAY.minusDays(1), "k", "g", "m", 1, 7, 7, CachedInput.NONE),
            new Row(DAY, "k", "", "", 1, 5, 0, CachedInput.NONE),
            new Row(DAY, "k", "g", "m", 2, 30, 3, CachedInput.NONE));
    assertThat(ledger.rows(DAY, DAY)).hasSize(2);
    assertThat(ledger.rows(DAY, DAY.minusDays(1))).isEmpty();
  }

  @Test
  void tokensOfKeysAndGroups_areThoseOfTheRunningDayOrMonth() {
    ledger.add("k", "g", "m", used(100, 10));
    clock.addAndGet(86_400_000);
    ledger.add("k", "g", "m", used(20, 2));
    ledger.add("k", null, "other", used(5, 0));
    ledger.add("other", "g", "m", used(3, 1));
    assertThat(ledger.ofKey("k")).isEqualTo(27);
    assertThat(ledger.ofGroup("g", false)).isEqualTo(26);
    assertThat(ledger.ofGroup("g", true)).isEqualTo(136);
    clock.addAndGet(-86_400_001);
    assertThat(ledger.ofGroup("g", true)).as("in the last month").isZero();
    long most = Long.MAX_VALUE;
    ledger.restore(
        List.of(new Row(ledger.today(), "huge", "", "m", 1, most, most, CachedInput.NONE)));
    assertThat(ledger.ofKey("huge")).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void modelsThatClientsMakeUp_shareOneRow() {
    IntStream.range(0, 100).forEach(i -> ledger.add("k", "g", "m" + i, used(1, 1)));
    assertThat(ledger.rows()).hasSize(100);
    IntStream.range(100, 1_000).forEach(i -> ledger.add("k", "g", "m" + i, used(1, 1)));
    assertThat(ledger.rows())
        .hasSize(101)
        .contains(new Row(DAY, "k", "g", UsageLedger.OTHER, 900, 900, 900, CachedInput.NONE));
    ledger.add("k", "g", "m7", used(1, 1));
    ledger.add("another", "g", "m200", used(1, 1));
    assertThat(ledger.rows())
        .hasSize(102)
        .contains(new Row(DAY, "k", "g", "m7", 2, 2, 2, CachedInput.NONE))
        .contains(new Row(DAY, "another", "g", "m200", 1, 1, 1, CachedInput.NONE));
  }

  @Test
  void rowsOfADay_areBounded_andNothingIsLost() {
    IntStream.range(0, 300).forEach(i -> ledger.add("k" + i, null, "m", used(1, 2)));
    assertThat(ledger.rows()).hasSize(300);
    IntStream.range(300, 5_000).forEach(i -> ledger.add("k" + i, null, "m", used(1, 2)));
    assertThat(ledger.rows())
        .hasSize(301)
        .contains(
            new Row(
                DAY,
                UsageLedger.OTHER,
                "",
                UsageLedger.OTHER,
                4_700,
                4_700,
                9_400,
                CachedInput.NONE));
    clock.addAndGet(86_400_000);
    ledger.add("k4999", null, "m", used(1, 2));
    assertThat(ledger.rows())
        .contains(new Row(DAY.plusDays(1), "k4999", "", "m", 1, 1, 2, CachedInput.NONE));
  }

  @Test
  void oldDays_goAfter400() {
    ledger.add("k", null, "m", used(1, 1));
    clock.addAndGet(399 * 86_400_000L);
    assertThat(ledger.rows()).hasSize(1);
    clock.addAndGet(86_400_000L);
    assertThat(ledger.rows()).isEmpty();
  }

  @Test
  void rowsOfAnEarlierProcess_areGoneOnWith() {
    ledger.restore(
        List.of(
            new Row(DAY, "k", "g", "m", 3, 30, 300, CachedInput.NONE),
            new Row(DAY.minusDays(399), "k", "g", "m", 1, 1, 1, CachedInput.NONE),
            new Row(DAY.minusDays(400), "k", "g", "m", 1, 1, 1, CachedInput.NONE),
            new Row(DAY.plusDays(1), "k", "g", "m", 1, 1, 1, CachedInput.NONE)));
    ledger.restore(List.of(new Row(DAY, "k", "g", "m", 1, 1, Long.MAX_VALUE, CachedInput.NONE)));
    assertThat(ledger.rows())
        .containsExactly(
            new Row(DAY.minusDays(399), "k", "g", "m", 1, 1, 1, CachedInput.NONE),
            new Row(DAY, "k", "g", "m", 4, 31, Long.MAX_VALUE, CachedInput.NONE),
            new Row(DAY.plusDays(1), "k", "g", "m", 1, 1, 1, CachedInput.NONE));
  }

  @Test
  void names_canBeWrittenAnywhere() {
    ledger.add("a\nb\u0000\ud800c", null, "ü\ud83d\ude00".repeat(200), used(1, 1));
    Row row = ledger.rows().getFirst();
    assertThat(row.key()).isEqualTo("a?b??c");
    assertThat(row.model()).hasSizeLessThanOrEqualTo(256).startsWith("ü\ud83d\ude00ü");
  }

  @Test
  void namesOfNothingThatCanBeWritten_areQuestionMarks() {
    ledger.add("\n\u001f", "\u007f\u0080", "\u2028\u2029", used(1, 1));
    assertThat(ledger.rows())
        .containsExactly(new Row(DAY, "??", "??", "??", 1, 1, 1, CachedInput.NONE));
  }

  @Test
  void tooOldWhenItIsRestored_isGone_alsoOnceTheClockIsSetBack() {
    Row old = new Row(DAY.minusDays(400), "k", "g", "m", 1, 1, 1, CachedInput.NONE);
    ledger.restore(List.of(old));
    clock.addAndGet(-86_400_000L);
    assertThat(ledger.rows()).isEmpty();
    ledger.restore(List.of(old));
    assertThat(ledger.rows()).containsExactly(old);
  }

  @Test
  void ledgerOfOneRowADay_hasOneMoreForTheRest() {
    UsageLedger small = new UsageLedger(clock::get, 1);
    small.add("k", null, "m", used(1, 1));
    small.add("l", null, "m", used(2, 2));
    small.add("k", null, "m", used(4, 4));
    assertThat(small.rows())
        .containsExactly(
            new Row(DAY, "k", "", "m", 2, 5, 5, CachedInput.NONE),
            new Row(DAY, UsageLedger.OTHER, "", UsageLedger.OTHER, 1, 2, 2, CachedInput.NONE));
  }

  @Test
  void fromManyThreads_nothingIsLost() throws InterruptedException {
    List<Thread> threads =
        IntStream.range(0, 8)
            .mapToObj(
                t ->
                    Thread.ofPlatform()
                        .start(
                            () ->
                                IntStream.range(0, 5_000)
                                    .forEach(
                                        i -> ledger.add("k" + i % 400, null, "m", used(1, 2)))))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(ledger.rows()).hasSize(301);
    assertThat(ledger.rows().stream().mapToLong(Row::requests).sum()).isEqualTo(40_000);
    assertThat(ledger.rows().stream().mapToLong(Row::output).sum()).isEqualTo(80_000);
  }

  @Test
  void noRowsAtAll_isRefused() {
    assertThatThrownBy(() -> new UsageLedger(clock::get, 0))
        .hasMessageContaining("expected at least 1");
  }
}
