package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogLines;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests the statistics of database requests, and when the database counts as failing. */
@Isolated("it reads what is logged")
class LedgerTest {
  private static final String SICK =
      "WARN regions: the database fails, limits go on with what is known: it failed"
          + " (IllegalStateException)";
  private static final String WELL = "INFO regions: the database is well again";

  private final Ledger ledger = new Ledger();
  private final LogLines lines = LogLines.of("io.penstock.region");

  @AfterEach
  void stopListening() {
    lines.close();
  }

  private void fail(int what) {
    ledger.failed(what, new IllegalStateException("sick"));
  }

  @Test
  void answers_areCountedWithTheTimeTheyTook() {
    ledger.answered(Ledger.COUNTS, 30);
    ledger.answered(Ledger.LOOKS, 12);
    assertThat(ledger.answered()).isEqualTo(2);
    assertThat(ledger.answeredNanos()).isEqualTo(42);
  }

  @Test
  void failures_areCountedApartFromWhatTookTooLong() {
    fail(Ledger.COUNTS);
    ledger.failed(Ledger.COUNTS, null);
    ledger.failed(Ledger.COUNTS, new TimeoutException("late"));
    assertThat(ledger.failed()).isEqualTo(2);
    assertThat(ledger.timedOut()).isEqualTo(1);
    assertThat(ledger.answered()).isZero();
  }

  @Test
  void healthyDatabase_isNotSaidToBeWellAgain() {
    ledger.answered(Ledger.COUNTS, 1);
    ledger.answered(Ledger.LOOKS, 1);
    assertThat(lines.text()).isEmpty();
  }

  @Test
  void sickDatabase_isSaidOnce_andOnceThatItIsWellAgain() {
    fail(Ledger.COUNTS);
    fail(Ledger.COUNTS);
    fail(Ledger.LOOKS);
    assertThat(lines.text()).isEqualTo(SICK);
    ledger.answered(Ledger.COUNTS, 1);
    ledger.answered(Ledger.LOOKS, 1);
    ledger.answered(Ledger.LOOKS, 1);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL);
    fail(Ledger.LOOKS);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL + "\n" + SICK);
  }

  @Test
  void databaseOfWhichOnePartFailsStill_isNotWell() {
    fail(Ledger.LOOKS);
    fail(Ledger.SWEEPS);
    ledger.answered(Ledger.COUNTS, 1);
    ledger.answered(Ledger.LOOKS, 1);
    assertThat(lines.text()).isEqualTo(SICK);
    ledger.answered(Ledger.SWEEPS, 1);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL);
  }

  @Test
  void failedDenials_areWellAgain_whenCountsAre_butNotWhenLooksAre() {
    fail(Ledger.DENIALS);
    ledger.answered(Ledger.LOOKS, 1);
    assertThat(lines.text()).isEqualTo(SICK);
    ledger.answered(Ledger.COUNTS, 1);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL);
  }

  @Test
  void writtenDenials_doNotTellForCounts() {
    fail(Ledger.COUNTS);
    ledger.answered(Ledger.DENIALS, 1);
    assertThat(lines.text()).isEqualTo(SICK);
  }
}
