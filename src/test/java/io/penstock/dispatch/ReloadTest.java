package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of what a new configuration changes, and what it leaves. */
class ReloadTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  @Test
  void sameConfiguration_changesNothing() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    submit(endpoint, 100);
    ParkedTicket second = submit(endpoint, 60);
    endpointFixture.apply(EndpointFixture.tokens("/a", 100, 10));
    assertThat(endpointFixture.endpoint("/a")).isSameAs(endpoint);
    assertThat(waits(second)).isTrue();
    endpointFixture.at(10 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void largerCapacity_letsWhatFitsGoAtOnceAndCountsWhatIsSpent() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    submit(endpoint, 100);
    ParkedTicket second = submit(endpoint, 60);
    ParkedTicket third = submit(endpoint, 60);
    endpointFixture.apply(EndpointFixture.tokens("/a", 200, 10));
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void smallerCapacity_turnsWhatIsSpentIntoDebt() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    submit(endpoint, 100);
    ParkedTicket second = submit(endpoint, 30);
    endpointFixture.apply(EndpointFixture.tokens("/a", 40, 10));
    endpointFixture.at(
        20 * SECOND - 1); // 40 are charged and 60 owed: 40 are paid at 10 s, 20 at 20 s
    assertThat(waits(second)).isTrue();
    endpointFixture.at(30 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void waitingTicketThatCanNeverFitAnyMore_isRefused() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    submit(endpoint, 100);
    ParkedTicket large = submit(endpoint, 60);
    ParkedTicket small = submit(endpoint, 30);
    endpointFixture.apply(EndpointFixture.tokens("/a", 40, 10));
    assertThat(refusal(large).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
    assertThat(waits(small)).isTrue();
  }

  @Test
  void debt_survivesAnotherWindowLength() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    settlement(submit(endpoint, 100))
        .served(new TokenUsage(200, 0, 0), 0, endpointFixture.ticker.nanos());
    endpointFixture.apply(EndpointFixture.tokens("/a", 100, 5));
    ParkedTicket second = submit(endpoint, 50);
    endpointFixture.at(10 * SECOND - 1); // a new window with 100 charged, then one that pays 100
    assertThat(waits(second)).isTrue();
    endpointFixture.at(10 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void otherAlgorithm_ticketsStayAndFaceTheNewLimit() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    submit(endpoint, 100);
    ParkedTicket second = submit(endpoint, 60);
    ParkedTicket third = submit(endpoint, 60);
    endpointFixture.apply(EndpointFixture.strict("/a", 1, 2));
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
    // Each algorithm has a scheduler of its own, so the previous one has no alarm any more.
    assertThat(endpointFixture.drivers.driver(0).alarm()).isEqualTo(Ticker.NEVER);
    assertThat(endpointFixture.drivers.driver(1).alarm())
        .isEqualTo(EndpointFixture.START + 2 * SECOND);
    endpointFixture.at(2 * SECOND);
    assertThat(went(third)).isTrue();
  }

  @Test
  void otherOrder_whileNobodyWaits_isThatOfThoseThatCome() {
    EndpointSetup setup = EndpointFixture.strict("/a", 1, 10);
    Endpoint endpoint = endpointFixture.open(setup);
    submit(endpoint, 1);
    endpointFixture.open(
        setup,
        new EndpointSpec.Scheduling(QueueOrder.LIFO, 0, 64, new EndpointSpec.FairBy.Key()),
        setup.spec().waiting());
    ParkedTicket second = submit(endpoint, 1);
    ParkedTicket third = submit(endpoint, 1);
    endpointFixture.at(10 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(waits(second)).isTrue();
  }

  @Test
  void strictRateRaised_nextSlotComesSooner() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 60));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.at(SECOND);
    endpointFixture.apply(EndpointFixture.strict("/a", 1, 2));
    assertThat(waits(second)).isTrue();
    endpointFixture.at(2 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void removedEndpoint_refusesWhoWaitsAndWhoStillComes() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 60));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.apply(EndpointFixture.none("/b"));
    assertThat(endpointFixture.registry.find("/a")).isNull();
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    assertThat(refusal(second).reason().status()).isEqualTo(503);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    EndpointFixture.assertBalanced(endpoint);
    assertThat(endpoint.totals().requests(TicketFate.WAITING)).isZero();
  }

  @Test
  void upstreamLimitRaised_letsWaitingTicketsGo() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 1, 0)));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    ParkedTicket third = submit(endpoint, 1);
    endpointFixture.apply(EndpointFixture.none("/a").to(upstream("u", 2, 0)));
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void upstreamAdded_takesWhoWaits() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 1, 0)));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.apply(EndpointFixture.none("/a").to(upstream("u", 1, 0), upstream("v", 1, 0)));
    assertThat(String.valueOf(settlement(second).upstream())).contains("v");
  }

  @Test
  void lastUpstreamDisabled_refusesWhoWaits() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 1, 0)));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    endpointFixture.apply(
        EndpointFixture.none("/a").to(upstream("u", 1, 0, ChargeRule.TOTAL, Map.of(), "no key")));
    assertThat(refusal(second).reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
  }

  @Test
  void smallerQueue_keepsWhoWaitsAndTakesNoMore() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 60));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    ParkedTicket third = submit(endpoint, 1);
    endpointFixture.apply(EndpointFixture.strict("/a", 1, 60).bounds(1, 100, 100));
    assertThat(waits(second)).isTrue();
    assertThat(waits(third)).isTrue();
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.QUEUE_FULL);
  }

  @Test
  void reloadWhileOneHoldsAClaim_nobodyIsStuck() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10).maxSkips(0));
    submit(endpoint, 50);
    ParkedTicket large = submit(endpoint, 60);
    ParkedTicket small = submit(endpoint, 5);
    assertThat(waits(small)).isTrue();
    endpointFixture.apply(EndpointFixture.tokens("/a", 100, 10).maxSkips(64));
    assertThat(went(small)).isTrue();
    assertThat(waits(large)).isTrue();
    endpointFixture.at(10 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void answersThatRunOverAReload_settleIntoTheSameLimit() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 0, 100)));
    ParkedTicket first = endpoint.submit(RequestFixture.request(null, new Cost(40, 60, 0)));
    ParkedTicket second = submit(endpoint, 48);
    endpointFixture.apply(EndpointFixture.none("/a").to(upstream("u", 0, 90)));
    assertThat(waits(second)).isTrue();
    settlement(first).served(new TokenUsage(40, 0, 0), 0, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(went(second)).isTrue();
  }
}
