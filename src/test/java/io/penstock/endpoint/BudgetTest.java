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
 * Tests that no requests together can use more of a budget than it has, even if their answers are
 * much longer than those before, and what those are told that have to do without.
 */
class BudgetTest {
  private static final long BUDGET = 5_000;

  /** The answers before were short, but this one may have 4,000 tokens. */
  private static final Cost LARGE = new Cost(4, 1, 4_000);

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();
  private final Endpoint endpoint = endpointFixture.open(none("/a"));

  private static LimitSpec day() {
    return new LimitSpec.Day(BUDGET, null, 0);
  }

  private FakeCallers.Caller rejecting() {
    return callers.rejecting("alice").limit(LimitMeasure.TOKENS, day(), RefusalReason.KEY_BUDGET);
  }

  private FakeCallers.Caller waiting() {
    return callers.waiting("alice").limit(LimitMeasure.TOKENS, day(), RefusalReason.KEY_BUDGET);
  }

  private void end(ParkedTicket ticket, long output) {
    TokenUsage usage = new TokenUsage(ticket.cost().inputTokens(), 0, output);
    settlement(ticket).served(usage, output, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void manyLargeAnswersAtOnce_onlyAsManyRunAsTheBudgetCanPay() {
    FakeCallers.Caller alice = rejecting();
    List<ParkedTicket> running = new ArrayList<>();
    for (int each = 0; each < 60; each++) {
      ParkedTicket ticket = alice.submit(endpoint, LARGE);
      if (went(ticket)) {
        running.add(ticket);
      }
    }
    assertThat(running).hasSize(1);
    running.forEach(each -> end(each, 4_000));
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(4_004);
    assertThat(alice.held(LimitMeasure.TOKENS, endpointFixture)).isZero();
  }

  @Test
  void restIsKeptForRunningRequests_isToldToTryAgainSoon() {
    FakeCallers.Caller alice = rejecting();
    ParkedTicket first = alice.submit(endpoint, LARGE);
    Refusal refusal = refusal(alice.submit(endpoint, LARGE));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.KEY_BUDGET);
    assertThat(refusal.detail())
        .isEqualTo(
            "key alice: 5000 tokens a day, 4995 of them left, and requests that run keep them");
    assertThat(refusal.retryUseless()).isFalse();
    assertThat(refusal.retryAfterNanos()).isEqualTo(SECOND);
    end(first, 10);
    assertThat(went(alice.submit(endpoint, LARGE))).isTrue();
  }

  @Test
  void maximumAboveWhatIsLeft_isToldHowMuchThatIs_andSmallerOneGoes() {
    FakeCallers.Caller alice = rejecting();
    end(alice.submit(endpoint, LARGE), 3_000);
    Refusal refusal = refusal(alice.submit(endpoint, LARGE));
    assertThat(refusal.detail())
        .isEqualTo(
            "key alice: 5000 tokens a day, 1996 of them left; the request needs 4 of input and"
                + " 4000 of output, and a maximum of output of at most 1992 fits");
    assertThat(refusal.retryUseless()).isTrue();
    assertThat(went(alice.submit(endpoint, new Cost(4, 1, 1_992)))).isTrue();
  }

  @Test
  void usedUp_isToldSo_untilTheDayEnds() {
    FakeCallers.Caller alice = rejecting();
    end(alice.submit(endpoint, LARGE), 6_000);
    Refusal refusal = refusal(alice.submit(endpoint, new Cost(4, 1, 0)));
    assertThat(refusal.detail()).isEqualTo("key alice: 5000 tokens a day");
    assertThat(refusal.retryUseless()).isTrue();
    assertThat(refusal.retryAfterNanos()).isEqualTo(LimitSpec.Day.NANOS);
  }

  @Test
  void keyWaits_goesOnceTheRunningAnswersLeaveEnough() {
    FakeCallers.Caller alice = waiting();
    ParkedTicket first = alice.submit(endpoint, LARGE);
    ParkedTicket second = alice.submit(endpoint, LARGE);
    assertThat(went(first)).isTrue();
    assertThat(waits(second)).isTrue();
    end(first, 10);
    assertThat(went(second)).isTrue();
    end(second, 4_000);
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(4_018);
  }

  @Test
  void maximumAboveTheWholeBudget_goesOnlyAlone() {
    FakeCallers.Caller alice = rejecting();
    Cost huge = new Cost(4, 1, 20_000);
    ParkedTicket ticket = alice.submit(endpoint, huge);
    assertThat(went(ticket)).isTrue();
    assertThat(went(alice.submit(endpoint, new Cost(1, 1, 0)))).isFalse();
    end(ticket, 20_000);
    assertThat(went(alice.submit(endpoint, new Cost(1, 1, 0)))).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whateverIsAsked_neverMoreIsUsedThanTheBudgetHas(boolean waits) {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 200; round++) {
      FakeCallers.Caller alice = waits ? waiting() : rejecting();
      List<ParkedTicket> running = new ArrayList<>();
      long used = 0;
      for (int step = 0; step < 100; step++) {
        if (random.nextBoolean() || running.isEmpty()) {
          Cost cost =
              new Cost(random.nextLong(1, 50), random.nextLong(0, 20), random.nextLong(20, 2_000));
          ParkedTicket ticket = alice.submit(endpoint, cost);
          ticket.whenDecided(outcome -> {});
          running.add(ticket);
        } else {
          ParkedTicket ticket = running.remove(random.nextInt(running.size()));
          if (went(ticket)) {
            long output = random.nextLong(0, ticket.cost().statedOutputTokens() + 1);
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
