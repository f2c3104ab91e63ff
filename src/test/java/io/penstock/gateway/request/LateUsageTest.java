package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.TokenUsage;
import io.penstock.cost.UsageBound;
import io.penstock.usage.UsageLedger;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LateUsageTest {
  private static final TokenUsage EXPECTED = new TokenUsage(10, 0, 250);
  private static final TokenUsage STATED = new TokenUsage(100, 64, 9_000);
  private static final LateUsage.Payer ALICE = new LateUsage.Payer("alice", "g", null, "m");
  private static final LateUsage.Payer BOB = new LateUsage.Payer("bob", null, null, "m");

  private final UsageLedger ledger = new UsageLedger(() -> 1_800_000_000_000L, 100);
  private final LateUsage lateUsage = new LateUsage(ledger);

  private void answered(LateUsage.Payer payer, String id, long now) {
    ledger.add(payer.key(), payer.group(), payer.model(), EXPECTED);
    lateUsage.answered(id, payer, false, UsageBound.CONTEXT, EXPECTED, now);
  }

  private void asked(LateUsage.Payer payer, String id, TokenUsage usage, long now) {
    lateUsage.stated(id, payer, true, usage, 0, now);
  }

  private UsageLedger.@Nullable Row row(String key) {
    return ledger.rows().stream().filter(row -> row.key().equals(key)).findFirst().orElse(null);
  }

  private void assertUsed(String key, long requests, long input, long cached, long output) {
    UsageLedger.Row row = row(key);
    assertThat(row).isNotNull();
    assertThat(List.of(row.requests(), row.input(), row.cached().read(), row.output()))
        .containsExactly(requests, input, cached, output);
  }

  @Test
  void usageThatComesLater_replacesWhatWasCounted_once() {
    answered(ALICE, "resp_1", 0);
    for (int i = 0; i < 3; i++) {
      asked(ALICE, "resp_1", STATED, i);
      assertUsed("alice", 1, 100, 64, 9_000);
    }
  }

  @Test
  void lessThanExpected_lowersWhatWasCounted() {
    answered(ALICE, "resp_1", 0);
    asked(ALICE, "resp_1", new TokenUsage(3, 0, 1), 1);
    assertUsed("alice", 1, 3, 0, 1);
  }

  @Test
  void anotherKeyThatAsks_paysNothing() {
    answered(ALICE, "resp_1", 0);
    asked(BOB, "resp_1", STATED, 1);
    asked(ALICE, "resp_1", STATED, 2);
    assertUsed("alice", 1, 100, 64, 9_000);
    assertThat(row("bob")).isNull();
  }

  @Test
  void idOfAnotherInstance_isPaidByWhoAsks_once_unlessItIsNoneOfTheLastDay() {
    lateUsage.stated("resp_1", BOB, false, STATED, 0, 0);
    assertThat(row("bob")).isNull();
    asked(BOB, "resp_1", STATED, 1);
    asked(ALICE, "resp_1", STATED, 2);
    assertUsed("bob", 0, 100, 64, 9_000);
    assertThat(row("alice")).isNull();
  }

  @Test
  void answerThatStatedItsUsage_isNotChargedAgain() {
    ledger.add("alice", "g", "m", STATED);
    lateUsage.answered("resp_1", ALICE, true, UsageBound.CONTEXT, STATED, 0);
    asked(ALICE, "resp_1", STATED, 1);
    asked(BOB, "resp_1", STATED, 2);
    assertUsed("alice", 1, 100, 64, 9_000);
    assertThat(row("bob")).isNull();
  }

  @Test
  void usageBeyondTheBoundOfItsRequest_countsAsFarAsItIsPossible() {
    lateUsage.answered("resp_1", ALICE, false, new UsageBound(300), EXPECTED, 0);
    ledger.add("alice", "g", "m", EXPECTED);
    asked(ALICE, "resp_1", STATED, 1);
    assertUsed("alice", 1, 100, 64, 300);
  }

  @Test
  void id_isRememberedForADay_andIsAsGoodAsUnknownThen() {
    answered(ALICE, "resp_1", 0);
    answered(ALICE, "resp_2", 0);
    asked(ALICE, "resp_1", STATED, LateUsage.KEPT_NANOS - 1);
    assertUsed("alice", 2, 110, 64, 9_250);
    lateUsage.stated("resp_2", BOB, false, STATED, 0, LateUsage.KEPT_NANOS);
    assertUsed("alice", 2, 110, 64, 9_250);
    asked(BOB, "resp_2", STATED, LateUsage.KEPT_NANOS);
    assertUsed("bob", 0, 100, 64, 9_000);
  }

  @Test
  void idsOfOneKey_pushOutItsOwn_andLeaveThoseOfAnother() {
    answered(BOB, "of-bob", 0);
    for (int i = 0; i < 2 * LateUsage.MOST_IDS; i++) {
      lateUsage.answered("a" + i, ALICE, false, UsageBound.CONTEXT, EXPECTED, i);
    }
    lateUsage.stated("of-bob", BOB, false, STATED, 0, 1);
    assertUsed("bob", 1, 100, 64, 9_000);
    lateUsage.stated("a0", ALICE, false, STATED, 0, 1);
    assertThat(row("alice")).isNull();
  }

  @Test
  void allIdsWithinTheBound_areRemembered() {
    int many = LateUsage.MOST_IDS / 2; // they spread over parts of a table
    for (int i = 0; i < many; i++) {
      lateUsage.answered("a" + i, ALICE, false, UsageBound.CONTEXT, TokenUsage.NONE, i);
    }
    for (int i = 0; i < many; i++) {
      lateUsage.stated("a" + i, ALICE, false, new TokenUsage(1, 0, 1), 0, many);
    }
    assertUsed("alice", 0, many, 0, many);
  }

  @Test
  void manyWhoAskAtOnce_chargeItOnce() {
    answered(ALICE, "resp_1", 0);
    List<CompletableFuture<Void>> askers =
        IntStream.range(0, 50)
            .mapToObj(i -> CompletableFuture.runAsync(() -> asked(BOB, "resp_1", STATED, i)))
            .toList();
    askers.forEach(CompletableFuture::join);
    assertUsed("alice", 1, 100, 64, 9_000);
  }

  @Test
  void oddIds_areIgnored() {
    for (String id : List.of("", "x".repeat(257))) {
      lateUsage.answered(id, ALICE, false, UsageBound.CONTEXT, EXPECTED, 0);
      asked(ALICE, id, STATED, 1);
    }
    assertThat(ledger.rows()).isEmpty();
  }
}
