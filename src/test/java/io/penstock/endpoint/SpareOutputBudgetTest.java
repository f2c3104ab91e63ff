package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests budgets that need only have room for the answers that are expected. They keep more free
 * while the requests run, and say how long the answers may become.
 */
class SpareOutputBudgetTest {
  private static final long BUDGET = 100_000;

  /** A call of a coding agent: a long prompt, and the largest maximum that there is. */
  private static final Cost CALL = new Cost(21_000, 1_024, 64_000).withMostOutput(64_000);

  /** A call that states no maximum. */
  private static final Cost BOUNDLESS = new Cost(10, 1_024, 0).withMostOutput(200_000);

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();
  private final Endpoint endpoint = endpointFixture.open(none("/a"));

  private FakeCallers.Caller limited(FakeCallers.Caller caller) {
    return caller.limit(
        LimitMeasure.TOKENS, new LimitSpec.Day(BUDGET, null, 0), RefusalReason.KEY_BUDGET);
  }

  private void end(ParkedTicket ticket, long output) {
    TokenUsage usage = new TokenUsage(ticket.cost().inputTokens(), 0, output);
    settlement(ticket).served(usage, output, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
  }

  private long charged(FakeCallers.Caller caller) {
    return caller.charged(LimitMeasure.TOKENS, endpointFixture);
  }

  private long held(FakeCallers.Caller caller) {
    return caller.held(LimitMeasure.TOKENS, endpointFixture);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void callsOf21400_withABudgetOf100000_fourPass_theFifthIsToldWhatIsLeftAndWhatFits(
      boolean waits) {
    FakeCallers.Caller alice =
        limited(waits ? callers.waiting("alice") : callers.rejecting("alice"));
    List<Long> most = new ArrayList<>();
    for (int each = 0; each < 4; each++) {
      ParkedTicket ticket = alice.submit(endpoint, CALL);
      assertThat(went(ticket)).isTrue();
      most.add(settlement(ticket).keptOutput());
      end(ticket, 400);
    }
    assertThat(most).containsExactly(64_000L, 57_600L, 36_200L, 14_800L);
    assertThat(charged(alice)).isEqualTo(4 * 21_400);
    assertThat(held(alice)).isZero();
    Refusal refusal = refusal(alice.submit(endpoint, CALL));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.KEY_BUDGET);
    assertThat(refusal.detail())
        .isEqualTo(
            "key alice: 100000 tokens a day, 14400 of them left; the request needs 21000 of"
                + " input and 1024 of output, and at most 13376 of input fit");
    assertThat(refusal.usedUp()).isTrue();
    assertThat(refusal.retryAfterNanos()).isEqualTo(LimitSpec.Day.NANOS);
    assertThat(went(alice.submit(endpoint, new Cost(13_376, 1_024, 0)))).isTrue();
  }

  @Test
  void twoAtOnce_theSecondIsToldThatTheFirstKeepsTheRest_andGoesAfterIt() {
    FakeCallers.Caller alice = limited(callers.rejecting("alice"));
    ParkedTicket first = alice.submit(endpoint, CALL);
    Refusal refusal = refusal(alice.submit(endpoint, CALL));
    assertThat(refusal.detail())
        .isEqualTo(
            "key alice: 100000 tokens a day, 77976 of them left, and requests that run keep"
                + " them");
    assertThat(refusal.retryUseless()).isFalse();
    assertThat(refusal.retryAfterNanos()).isEqualTo(SECOND);
    end(first, 400);
    assertThat(went(alice.submit(endpoint, CALL))).isTrue();
  }

  @Test
  void smallCall_goesBesideALargeOne_withWhatThatLeaves() {
    FakeCallers.Caller alice = limited(callers.rejecting("alice"));
    alice.submit(endpoint, CALL);
    ParkedTicket small =
        alice.submit(endpoint, new Cost(1_000, 256, 64_000).withMostOutput(64_000));
    assertThat(settlement(small).keptOutput()).isEqualTo(15_000 - 1_000);
    assertThat(held(alice) + charged(alice)).isEqualTo(BUDGET);
  }

  @Test
  void withoutAMaximum_allThatIsLeftIsKept_atMostTheContext() {
    FakeCallers.Caller alice = limited(callers.rejecting("alice"));
    ParkedTicket first = alice.submit(endpoint, BOUNDLESS);
    assertThat(held(alice) + charged(alice)).isEqualTo(BUDGET);
    assertThat(refusal(alice.submit(endpoint, BOUNDLESS)).detail()).contains("requests that run");
    end(first, 300);
    assertThat(held(alice)).isZero();
    FakeCallers.Caller bob =
        callers
            .rejecting("bob")
            .limit(
                LimitMeasure.TOKENS,
                new LimitSpec.Day(10 * BUDGET, null, 0),
                RefusalReason.KEY_BUDGET);
    for (int each = 0; each < 5; each++) {
      assertThat(went(bob.submit(endpoint, BOUNDLESS))).isTrue();
    }
    assertThat(went(bob.submit(endpoint, BOUNDLESS))).isFalse();
  }

  @Test
  void budgetOfTheGroup_boundsTheAnswerToo() {
    FakeCallers.Caller group =
        callers
            .rejecting("team")
            .limit(
                LimitMeasure.TOKENS,
                new LimitSpec.Day(30_000, null, 0),
                RefusalReason.GROUP_BUDGET);
    FakeCallers.Caller alice = limited(callers.rejecting("alice")).in(group);
    ParkedTicket ticket = alice.submit(endpoint, CALL);
    assertThat(settlement(ticket).keptOutput()).isEqualTo(9_000);
    end(ticket, 400);
    assertThat(refusal(alice.submit(endpoint, CALL)).detail())
        .contains("team: 30000 tokens a day, 8600 of them left");
  }

  @Test
  void keyWaits_theSecondGoesWhenTheFirstHasEnded_andIsRefusedOnceTooLittleIsLeft() {
    FakeCallers.Caller alice = limited(callers.waiting("alice"));
    ParkedTicket first = alice.submit(endpoint, CALL);
    ParkedTicket second = alice.submit(endpoint, CALL);
    ParkedTicket third = alice.submit(endpoint, CALL);
    assertThat(waits(second)).isTrue();
    assertThat(waits(third)).isTrue();
    end(first, 400);
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
    end(second, 57_600);
    assertThat(refusal(third).detail()).isEqualTo("key alice: 100000 tokens a day");
  }

  @Test
  void usedUp_evenWhileOneRuns_saysWhenItIsThereAgain() {
    for (FakeCallers.Caller caller :
        List.of(limited(callers.rejecting("alice")), limited(callers.waiting("bob")))) {
      ParkedTicket first = caller.submit(endpoint, CALL);
      settlement(first).produced(90_000, endpointFixture.ticker.nanos());
      end(first, 90_000);
      Refusal refusal = refusal(caller.submit(endpoint, CALL));
      assertThat(refusal.detail()).endsWith(": 100000 tokens a day");
      assertThat(refusal.usedUp()).isTrue();
      assertThat(refusal.retryAfterNanos()).isEqualTo(LimitSpec.Day.NANOS);
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whateverIsAsked_neverMoreIsUsedThanTheBudgetHas(boolean waits) {
    SplittableRandom random = new SplittableRandom(11);
    for (int round = 0; round < 200; round++) {
      FakeCallers.Caller alice =
          limited(waits ? callers.waiting("alice") : callers.rejecting("alice"));
      List<ParkedTicket> running = new ArrayList<>();
      long used = 0;
      for (int step = 0; step < 100; step++) {
        if (random.nextBoolean() || running.isEmpty()) {
          long stated = random.nextLong(1_000, 64_000);
          Cost cost = new Cost(random.nextLong(1, 2_000), random.nextLong(0, 1_000), stated);
          ParkedTicket ticket = alice.submit(endpoint, cost.withMostOutput(stated));
          ticket.whenDecided(outcome -> {});
          running.add(ticket);
        } else {
          ParkedTicket ticket = running.remove(random.nextInt(running.size()));
          if (went(ticket)) {
            long most =
                Math.min(settlement(ticket).keptOutput(), ticket.cost().statedOutputTokens());
            long output = random.nextLong(0, most + 1);
            used += ticket.cost().inputTokens() + output;
            end(ticket, output);
          } else {
            ticket.cancel();
            endpointFixture.drivers.run();
          }
        }
        assertThat(used).isLessThanOrEqualTo(BUDGET);
      }
    }
  }
}
