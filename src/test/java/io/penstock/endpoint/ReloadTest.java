package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import io.penstock.time.Ticker;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of what a new configuration changes, and what it leaves. */
class ReloadTest {
  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  @Test
  void sameConfiguration_changesNothing() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    submit(endpoint, 100);
    Pending second = submit(endpoint, 60);
    house.apply(House.tokens("/a", 100, 10));
    assertThat(house.endpoint("/a")).isSameAs(endpoint);
    assertThat(waits(second)).isTrue();
    house.at(10 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void largerCapacity_letsWhatFitsGoAtOnceAndCountsWhatIsSpent() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    submit(endpoint, 100);
    Pending second = submit(endpoint, 60);
    Pending third = submit(endpoint, 60);
    house.apply(House.tokens("/a", 200, 10));
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void smallerCapacity_turnsWhatIsSpentIntoDebt() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    submit(endpoint, 100);
    Pending second = submit(endpoint, 30);
    house.apply(House.tokens("/a", 40, 10));
    house.at(20 * SECOND - 1); // 40 are charged and 60 owed: 40 are paid at 10 s, 20 at 20 s
    assertThat(waits(second)).isTrue();
    house.at(30 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void waitingTicketThatCanNeverFitAnyMore_isRefused() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    submit(endpoint, 100);
    Pending large = submit(endpoint, 60);
    Pending small = submit(endpoint, 30);
    house.apply(House.tokens("/a", 40, 10));
    assertThat(refusal(large).reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(waits(small)).isTrue();
  }

  @Test
  void debt_survivesAnotherWindowLength() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    settlement(submit(endpoint, 100)).served(new Usage(200, 0, 0), 0, house.ticker.nanos());
    house.apply(House.tokens("/a", 100, 5));
    Pending second = submit(endpoint, 50);
    house.at(10 * SECOND - 1); // a new window with 100 charged, then one that pays 100
    assertThat(waits(second)).isTrue();
    house.at(10 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void otherAlgorithm_ticketsStayAndFaceTheNewLimit() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    submit(endpoint, 100);
    Pending second = submit(endpoint, 60);
    Pending third = submit(endpoint, 60);
    house.apply(House.strict("/a", 1, 2));
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
    // Each algorithm has a scheduler of its own, so the previous one has no alarm any more.
    assertThat(house.drivers.driver(0).alarm()).isEqualTo(Ticker.NEVER);
    assertThat(house.drivers.driver(1).alarm()).isEqualTo(House.START + 2 * SECOND);
    house.at(2 * SECOND);
    assertThat(went(third)).isTrue();
  }

  @Test
  void otherOrder_whileNobodyWaits_isThatOfThoseThatCome() {
    House.Setup setup = House.strict("/a", 1, 10);
    Endpoint endpoint = house.open(setup);
    submit(endpoint, 1);
    house.open(
        setup,
        new EndpointSpec.Scheduling(Order.LIFO, 0, 64, new EndpointSpec.FairBy.Key()),
        setup.spec().waiting());
    Pending second = submit(endpoint, 1);
    Pending third = submit(endpoint, 1);
    house.at(10 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(waits(second)).isTrue();
  }

  @Test
  void strictRateRaised_nextSlotComesSooner() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 60));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.at(SECOND);
    house.apply(House.strict("/a", 1, 2));
    assertThat(waits(second)).isTrue();
    house.at(2 * SECOND);
    assertThat(went(second)).isTrue();
  }

  @Test
  void removedEndpoint_refusesWhoWaitsAndWhoStillComes() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 60));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.apply(House.none("/b"));
    assertThat(house.registry.find("/a")).isNull();
    assertThat(refusal(second).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    assertThat(refusal(second).reason().status()).isEqualTo(503);
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    House.assertBalanced(endpoint);
    assertThat(endpoint.totals().requests(Fate.WAITING)).isZero();
  }

  @Test
  void upstreamLimitRaised_letsWaitingTicketsGo() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 1, 0)));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    Pending third = submit(endpoint, 1);
    house.apply(House.none("/a").to(upstream("u", 2, 0)));
    assertThat(went(second)).isTrue();
    assertThat(waits(third)).isTrue();
  }

  @Test
  void upstreamAdded_takesWhoWaits() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 1, 0)));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.apply(House.none("/a").to(upstream("u", 1, 0), upstream("v", 1, 0)));
    assertThat(String.valueOf(settlement(second).upstream())).contains("v");
  }

  @Test
  void lastUpstreamDisabled_refusesWhoWaits() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 1, 0)));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    house.apply(House.none("/a").to(upstream("u", 1, 0, Charge.TOTAL, Map.of(), "no key")));
    assertThat(refusal(second).reason()).isEqualTo(Reason.NO_HEALTHY_UPSTREAM);
  }

  @Test
  void smallerQueue_keepsWhoWaitsAndTakesNoMore() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 60));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    Pending third = submit(endpoint, 1);
    house.apply(House.strict("/a", 1, 60).bounds(1, 100, 100));
    assertThat(waits(second)).isTrue();
    assertThat(waits(third)).isTrue();
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.QUEUE_FULL);
  }

  @Test
  void reloadWhileOneHoldsAClaim_nobodyIsStuck() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10).maxSkips(0));
    submit(endpoint, 50);
    Pending large = submit(endpoint, 60);
    Pending small = submit(endpoint, 5);
    assertThat(waits(small)).isTrue();
    house.apply(House.tokens("/a", 100, 10).maxSkips(64));
    assertThat(went(small)).isTrue();
    assertThat(waits(large)).isTrue();
    house.at(10 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void answersThatRunOverAReload_settleIntoTheSameLimit() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 0, 100)));
    Pending first = endpoint.submit(Ask.of(null, new Cost(40, 60, 0), 0, Patience.DEFAULT));
    Pending second = submit(endpoint, 48);
    house.apply(House.none("/a").to(upstream("u", 0, 90)));
    assertThat(waits(second)).isTrue();
    settlement(first).served(new Usage(40, 0, 0), 0, house.ticker.nanos());
    house.drivers.run();
    assertThat(went(second)).isTrue();
  }
}
