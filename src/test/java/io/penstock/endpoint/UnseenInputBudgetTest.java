package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.CallEnd;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests what a budget keeps free for input that the body of a request does not contain. */
class UnseenInputBudgetTest {
  private static final long BUDGET = 5_000;
  private static final Cost SMALL = new Cost(4, 1, 100);

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers callers = new FakeCallers();
  private final Endpoint endpoint = endpointFixture.open(none("/a"));

  private FakeCallers.Caller limited(FakeCallers.Caller caller) {
    LimitSpec day = new LimitSpec.Day(BUDGET, null, 0);
    return caller.limit(LimitMeasure.TOKENS, day, RefusalReason.KEY_BUDGET);
  }

  private FakeCallers.Caller rejecting() {
    return limited(callers.rejecting("alice"));
  }

  private FakeCallers.Caller waiting() {
    return limited(callers.waiting("alice"));
  }

  private static Cost adding(long unseen) {
    return SMALL.withUnseen(unseen);
  }

  private void end(ParkedTicket ticket, long input) {
    settlement(ticket).served(new TokenUsage(input, 0, 1), 1, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void manyAtOnce_thatMayUseMoreThanAllOfIt_goOneAtATime() {
    FakeCallers.Caller alice = rejecting();
    for (long round = 0; round < 4; round++) {
      List<ParkedTicket> running = new ArrayList<>();
      for (int each = 0; each < 40; each++) {
        ParkedTicket ticket = alice.submit(endpoint, adding(200_000));
        if (went(ticket)) {
          running.add(ticket);
        }
      }
      assertThat(running).hasSize(1);
      end(running.getFirst(), 999);
      assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture))
          .isEqualTo(1_000 * (round + 1));
      assertThat(alice.held(LimitMeasure.TOKENS, endpointFixture)).isZero();
    }
  }

  @Test
  void whileOneRuns_anotherIsToldToTryAgainSoon() {
    FakeCallers.Caller alice = rejecting();
    ParkedTicket first = alice.submit(endpoint, adding(200_000));
    for (Cost each : List.of(adding(200_000), new Cost(4, 1, 3_000))) {
      Refusal refusal = refusal(alice.submit(endpoint, each));
      assertThat(refusal.detail()).contains("and requests that run keep them");
      assertThat(refusal.retryUseless()).isFalse();
      assertThat(refusal.retryAfterNanos()).isEqualTo(SECOND);
    }
    end(first, 10);
    assertThat(went(alice.submit(endpoint, SMALL))).isTrue();
    assertThat(went(alice.submit(endpoint, adding(200_000)))).as("beside a plain one").isTrue();
  }

  @Test
  void whileOneRuns_plainOnesHaveHalfOfWhatIsLeft() {
    FakeCallers.Caller alice = rejecting();
    alice.submit(endpoint, adding(200_000));
    assertThat(alice.held(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(99 + 4_896 / 2);
    Cost quarter = new Cost(4, 1, 1_220);
    assertThat(went(alice.submit(endpoint, quarter))).isTrue();
    assertThat(went(alice.submit(endpoint, quarter))).isTrue();
    assertThat(went(alice.submit(endpoint, SMALL))).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void oneOfUnknownSize_isNotKeptOutByThoseThatFit() {
    FakeCallers.Caller alice = rejecting();
    for (int each = 0; each < 3; each++) {
      assertThat(went(alice.submit(endpoint, adding(300)))).isTrue();
    }
    assertThat(went(alice.submit(endpoint, adding(200_000)))).isTrue();
    assertThat(went(alice.submit(endpoint, adding(300)))).as("it fits beside it").isTrue();
    assertThat(went(alice.submit(endpoint, adding(200_000)))).isFalse();
  }

  @Test
  void moreThanTheWholeBudget_isNotRefusedForGood() {
    for (FakeCallers.Caller caller : List.of(rejecting(), limited(callers.waiting("bob")))) {
      caller.submit(endpoint, SMALL);
      assertThat(went(caller.submit(endpoint, adding(Cost.MAX_TOKENS)))).isTrue();
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void oneOfWhichNobodySaysHowMuchItWas_countsWithAllThatIsLeft_atMostWhatItMayAdd() {
    FakeCallers.Caller alice = rejecting();
    long now = endpointFixture.ticker.nanos();
    settlement(alice.submit(endpoint, adding(1_000)))
        .cancelled(CallEnd.answered(null, 0).usingUnseen(), now);
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(1_004);
    settlement(alice.submit(endpoint, adding(1_000)))
        .served(CallEnd.answered(new TokenUsage(4, 0, 1), 1), now);
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(1_009);
    settlement(alice.submit(endpoint, adding(200_000)))
        .served(CallEnd.answered(null, 0).usingUnseen(), now);
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(BUDGET);
    assertThat(alice.held(LimitMeasure.TOKENS, endpointFixture)).isZero();
    assertThat(went(alice.submit(endpoint, adding(1)))).isFalse();
  }

  @Test
  void twoThatFit_goTogether_andAThirdNot() {
    FakeCallers.Caller alice = rejecting();
    assertThat(went(alice.submit(endpoint, adding(2_000)))).isTrue();
    assertThat(went(alice.submit(endpoint, adding(2_000)))).isTrue();
    assertThat(went(alice.submit(endpoint, adding(2_000)))).isFalse();
    assertThat(went(alice.submit(endpoint, SMALL))).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void roomForLessThanTwo_isForOne_andTheRestForPlainOnes() {
    FakeCallers.Caller alice = rejecting();
    assertThat(went(alice.submit(endpoint, adding(3_000)))).isTrue();
    assertThat(went(alice.submit(endpoint, adding(3_000)))).isFalse();
    assertThat(alice.held(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(3_099);
    assertThat(went(alice.submit(endpoint, SMALL))).isTrue();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void roomThatPlainOnesLeave_isNoRoomForASecond() {
    FakeCallers.Caller alice = rejecting();
    ParkedTicket plain = alice.submit(endpoint, SMALL);
    assertThat(went(alice.submit(endpoint, adding(200_000)))).isTrue();
    end(plain, 4);
    assertThat(went(alice.submit(endpoint, adding(200_000)))).isFalse();
    assertThat(went(alice.submit(endpoint, new Cost(4, 1, 10)))).isTrue();
  }

  @Test
  void keyWaits_theNextGoesWhenTheOneBeforeHasEnded() {
    FakeCallers.Caller alice = waiting();
    List<ParkedTicket> tickets = new ArrayList<>();
    for (int each = 0; each < 4; each++) {
      tickets.add(alice.submit(endpoint, adding(200_000)));
    }
    for (int each = 0; each < 4; each++) {
      assertThat(went(tickets.get(each))).isTrue();
      assertThat(tickets.subList(each + 1, 4)).allMatch(EndpointFixture::waits);
      end(tickets.get(each), 999);
    }
    assertThat(alice.charged(LimitMeasure.TOKENS, endpointFixture)).isEqualTo(4_000);
    assertThat(refusal(alice.submit(endpoint, new Cost(4, 1, 1_000))).detail())
        .contains("1000 of them left");
  }

  static Stream<ObjLongConsumer<ParkedTicket>> endings() {
    Refusal refusal = Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "gone");
    return Stream.of(
        (ticket, now) -> settlement(ticket).served(null, 0, now),
        (ticket, now) -> settlement(ticket).failed(refusal, 0, now),
        (ticket, now) -> settlement(ticket).refused(refusal, now),
        (ticket, now) -> settlement(ticket).abandoned(now));
  }

  @ParameterizedTest
  @MethodSource("endings")
  void howeverOneEnds_theNextGoes(ObjLongConsumer<ParkedTicket> ending) {
    for (FakeCallers.Caller caller : List.of(rejecting(), limited(callers.waiting("bob")))) {
      ParkedTicket first = caller.submit(endpoint, adding(200_000));
      assertThat(went(first)).isTrue();
      ending.accept(first, endpointFixture.ticker.nanos());
      endpointFixture.drivers.run();
      assertThat(went(caller.submit(endpoint, adding(200_000)))).isTrue();
    }
  }

  @Test
  void limitOfTheMinute_keepsNothingFree() {
    LimitSpec minute = new LimitSpec.TrailingWindow(BUDGET, 60 * SECOND, 0, 1L << 60);
    FakeCallers.Caller carol =
        callers.rejecting("carol").limit(LimitMeasure.TOKENS, minute, RefusalReason.KEY_TPM);
    for (int each = 0; each < 40; each++) {
      assertThat(went(carol.submit(endpoint, adding(200_000)))).isTrue();
    }
  }
}
