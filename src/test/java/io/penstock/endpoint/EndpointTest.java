package io.penstock.endpoint;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.WaitForecast;
import io.penstock.event.Event;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Ticket.State;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndpointTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  @Test
  void roomAtArrival_goesOnItsOwnThreadWithoutWaiting() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 1));
    ParkedTicket parkedTicket = submit(endpoint, 1);
    assertThat(went(parkedTicket)).isTrue();
    assertThat(parkedTicket.state()).isEqualTo(State.GRANTED);
    assertThat(settlement(parkedTicket).waitedNanos()).isZero();
    assertThat(endpointFixture.recorded.of(Event.Queued.class)).isEmpty();
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void arrivalWhileAStepRuns_goesNoEarlierThanItCame() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a"));
    List<ParkedTicket> later = new ArrayList<>();
    endpointFixture.events.subscribe(
        event -> {
          if (event instanceof Event.Released && later.isEmpty()) {
            endpointFixture.ticker.advance(5);
            later.add(submit(endpoint, 1));
          }
        });
    submit(endpoint, 1);
    assertThat(settlement(later.getFirst()).waitedNanos()).isZero();
    assertThat(endpointFixture.recorded.of(Event.Released.class).getLast().atNanos())
        .isEqualTo(START + 5);
  }

  @Test
  void noRoomAtArrival_parksAndGoesAtTheExactInstant() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 3, 1));
    submit(endpoint, 1);
    ParkedTicket second = submit(endpoint, 1);
    assertThat(waits(second)).isTrue();
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(START + 333_333_334);
    endpointFixture.at(333_333_333);
    assertThat(waits(second)).isTrue();
    endpointFixture.at(333_333_334);
    assertThat(went(second)).isTrue();
    assertThat(settlement(second).waitedNanos()).isEqualTo(333_333_334);
    assertThat(endpointFixture.recorded.of(Event.Queued.class)).hasSize(1);
  }

  @Test
  void manyWaiting_goOneASlotOldestFirst() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 10, 1));
    List<ParkedTicket> all = new ArrayList<>();
    for (int ticket = 0; ticket < 50; ticket++) {
      all.add(submit(endpoint, 1));
    }
    for (int slot = 0; slot < 50; slot++) {
      endpointFixture.at(slot * SECOND / 10);
      assertThat(all.stream().filter(EndpointFixture::went)).isEqualTo(all.subList(0, slot + 1));
    }
    List<Event.Released> released = endpointFixture.recorded.of(Event.Released.class);
    assertThat(released).extracting(Event.TicketEvent::ticket).isSorted();
    assertThat(settlement(all.getFirst()).queueDepth()).isZero();
    assertThat(settlement(all.get(1)).queueDepth()).isEqualTo(48);
    assertThat(endpointFixture.drivers.driver(0).alarms()).isLessThan(60);
  }

  @Test
  void tokenWindow_smallOnesPassLargerOnesThatDoNotFit() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    assertThat(went(submit(endpoint, 70))).isTrue();
    ParkedTicket large = submit(endpoint, 60);
    ParkedTicket small = submit(endpoint, 30);
    assertThat(went(small)).isTrue();
    assertThat(waits(large)).isTrue();
    endpointFixture.at(10 * SECOND - 1);
    assertThat(waits(large)).isTrue();
    endpointFixture.at(10 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void tokenWindow_windowFullOfTheOldestAtItsStart() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    submit(endpoint, 100);
    ParkedTicket a = submit(endpoint, 60);
    ParkedTicket b = submit(endpoint, 50);
    ParkedTicket c = submit(endpoint, 40);
    endpointFixture.at(10 * SECOND);
    assertThat(went(a)).isTrue();
    assertThat(waits(b)).isTrue();
    assertThat(went(c)).isTrue();
    endpointFixture.at(20 * SECOND);
    assertThat(went(b)).isTrue();
  }

  @Test
  void skippedMaxSkipsTimes_claimsWhatFrees() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10).maxSkips(3));
    submit(endpoint, 50);
    ParkedTicket large = submit(endpoint, 60);
    for (int small = 0; small < 3; small++) {
      assertThat(went(submit(endpoint, 5))).as("small " + small).isTrue();
    }
    ParkedTicket fourth = submit(endpoint, 5);
    assertThat(waits(fourth)).isTrue();
    endpointFixture.at(10 * SECOND);
    assertThat(went(large)).isTrue();
    assertThat(went(fourth)).isTrue();
    assertThat(large.order()).isLessThan(fourth.order());
  }

  @Test
  void claimerLeaves_othersGoAtOnce() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10).maxSkips(0));
    submit(endpoint, 50);
    ParkedTicket large = submit(endpoint, 60);
    ParkedTicket small = submit(endpoint, 5);
    assertThat(waits(small)).isTrue();
    large.cancel();
    endpointFixture.drivers.run();
    assertThat(went(small)).isTrue();
  }

  @Test
  void costThatCanNeverFit_isRefusedAtOnceWithTheReason() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    ParkedTicket parkedTicket = submit(endpoint, 101);
    assertThat(refusal(parkedTicket).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
    assertThat(refusal(parkedTicket).detail())
        .isEqualTo("token cost 101 exceeds window capacity 100");
    assertThat(refusal(parkedTicket).retryAfterMillis()).isEmpty();
    assertThat(went(submit(endpoint, 100))).isTrue();
  }

  @Test
  void expectedOutputAboveCapacity_isCutAndGoes() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 100, 10));
    ParkedTicket parkedTicket = endpoint.submit(RequestFixture.request(null, new Cost(40, 500, 0)));
    assertThat(went(parkedTicket)).isTrue();
    assertThat(waits(submit(endpoint, 1))).isTrue();
  }

  @Test
  void unknownModel_isRefusedAsNotServed() {
    UpstreamSpec only = upstream("u", 0, 0, ChargeRule.TOTAL, Map.of("m", "m"), null);
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(only));
    ParkedTicket known = endpoint.submit(RequestFixture.request("m", Cost.NO_TOKENS));
    ParkedTicket unknown = endpoint.submit(RequestFixture.request("x", Cost.NO_TOKENS));
    assertThat(went(known)).isTrue();
    assertThat(refusal(unknown).reason()).isEqualTo(RefusalReason.NO_UPSTREAM_FOR_MODEL);
  }

  @Test
  void allUpstreamsDisabled_isRefusedAsUnhealthy() {
    UpstreamSpec off = upstream("u", 0, 0, ChargeRule.TOTAL, Map.of(), "its key is not set");
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(off));
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
  }

  @Test
  void twoUpstreams_theLessUsedIsTakenAndBothAreFilled() {
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.none("/a").to(upstream("u", 2, 0), upstream("v", 2, 0)));
    List<String> taken = new ArrayList<>();
    for (int ticket = 0; ticket < 4; ticket++) {
      submit(endpoint, 1);
    }
    endpointFixture
        .recorded
        .of(Event.Released.class)
        .forEach(released -> taken.add(String.valueOf(released.upstream())));
    assertThat(taken).containsExactlyInAnyOrder("u", "u", "v", "v");
    assertThat(taken.get(0)).isNotEqualTo(taken.get(1));
    assertThat(waits(submit(endpoint, 1))).isTrue();
  }

  @Test
  void modelsOfOneUpstream_doNotHoldEachOtherUp() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a").to(upstream("u", 1, 0)));
    assertThat(went(endpoint.submit(RequestFixture.request("m", Cost.NO_TOKENS)))).isTrue();
    assertThat(waits(endpoint.submit(RequestFixture.request("m", Cost.NO_TOKENS)))).isTrue();
    assertThat(went(endpoint.submit(RequestFixture.request("n", Cost.NO_TOKENS)))).isTrue();
  }

  @Test
  void paused_nothingGoesUntilResumed() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a"));
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ParkedTicket parkedTicket = submit(endpoint, 1);
    endpointFixture.at(5 * SECOND);
    assertThat(waits(parkedTicket)).isTrue();
    assertThat(endpoint.paused()).isTrue();
    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(went(parkedTicket)).isTrue();
  }

  @Test
  void expectedWait_isThatBehindAllWhoWait_andEndlessWhilePaused() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.strict("/a", 1, 10));
    assertThat(endpoint.expectedWait()).isEqualTo(WaitForecast.NONE);
    submit(endpoint, 1);
    assertThat(endpoint.expectedWait()).isEqualTo(new WaitForecast(10 * SECOND, false));
    submit(endpoint, 1);
    endpointFixture.at(4 * SECOND);
    assertThat(endpoint.expectedWait()).isEqualTo(new WaitForecast(16 * SECOND, false));
    endpoint.pause(true);
    assertThat(endpoint.expectedWait()).isEqualTo(WaitForecast.UNKNOWN);
  }

  @Test
  void ticketThatWaited_isKnownToHave_onceItWent() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a"));
    assertThat(submit(endpoint, 1).waited()).isFalse();
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ParkedTicket parkedTicket = submit(endpoint, 1);
    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(went(parkedTicket)).isTrue();
    assertThat(parkedTicket.waited()).isTrue();
  }

  @Test
  void refusedBeforeItBecameATicket_isCounted() {
    Endpoint endpoint = endpointFixture.open(EndpointFixture.none("/a"));
    endpoint.refused(
        Cost.ofInput(3), 7, io.penstock.refusal.Refusal.of(RefusalReason.BAD_REQUEST, "not JSON"));
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
    assertThat(endpointFixture.recorded.of(Event.Refused.class)).hasSize(1);
  }
}
