package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Ticket.State;
import io.penstock.refusal.Reason;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndpointTest {
  private final House house = new House();

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  @Test
  void roomAtArrival_goesOnItsOwnThreadWithoutWaiting() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 1));
    Pending pending = submit(endpoint, 1);
    assertThat(went(pending)).isTrue();
    assertThat(pending.state()).isEqualTo(State.GRANTED);
    assertThat(settlement(pending).waitedNanos()).isZero();
    assertThat(house.recorded.of(Event.Queued.class)).isEmpty();
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void arrivalWhileAStepRuns_goesNoEarlierThanItCame() {
    Endpoint endpoint = house.open(House.none("/a"));
    List<Pending> later = new ArrayList<>();
    house.events.subscribe(
        event -> {
          if (event instanceof Event.Released && later.isEmpty()) {
            house.ticker.advance(5);
            later.add(submit(endpoint, 1));
          }
        });
    submit(endpoint, 1);
    assertThat(settlement(later.getFirst()).waitedNanos()).isZero();
    assertThat(house.recorded.of(Event.Released.class).getLast().atNanos()).isEqualTo(START + 5);
  }

  @Test
  void noRoomAtArrival_parksAndGoesAtTheExactInstant() {
    Endpoint endpoint = house.open(House.strict("/a", 3, 1));
    submit(endpoint, 1);
    Pending second = submit(endpoint, 1);
    assertThat(waits(second)).isTrue();
    assertThat(house.drivers.nextAlarm()).isEqualTo(START + 333_333_334);
    house.at(333_333_333);
    assertThat(waits(second)).isTrue();
    house.at(333_333_334);
    assertThat(went(second)).isTrue();
    assertThat(settlement(second).waitedNanos()).isEqualTo(333_333_334);
    assertThat(house.recorded.of(Event.Queued.class)).hasSize(1);
  }

  @Test
  void manyWaiting_goOneASlotOldestFirst() {
    Endpoint endpoint = house.open(House.strict("/a", 10, 1));
    List<Pending> all = new ArrayList<>();
    for (int ticket = 0; ticket < 50; ticket++) {
      all.add(submit(endpoint, 1));
    }
    for (int slot = 0; slot < 50; slot++) {
      house.at(slot * SECOND / 10);
      assertThat(all.stream().filter(House::went)).isEqualTo(all.subList(0, slot + 1));
    }
    List<Event.Released> released = house.recorded.of(Event.Released.class);
    assertThat(released).extracting(Event.TicketEvent::ticket).isSorted();
    assertThat(settlement(all.getFirst()).queueDepth()).isZero();
    assertThat(settlement(all.get(1)).queueDepth()).isEqualTo(48);
    assertThat(house.drivers.driver(0).alarms()).isLessThan(60);
  }

  @Test
  void tokenWindow_smallOnesPassLargerOnesThatDoNotFit() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    assertThat(went(submit(endpoint, 70))).isTrue();
    Pending large = submit(endpoint, 60);
    Pending small = submit(endpoint, 30);
    assertThat(went(small)).isTrue();
    assertThat(waits(large)).isTrue();
    house.at(10 * SECOND - 1);
    assertThat(waits(large)).isTrue();
    house.at(10 * SECOND);
    assertThat(went(large)).isTrue();
  }

  @Test
  void tokenWindow_windowFullOfTheOldestAtItsStart() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    submit(endpoint, 100);
    Pending a = submit(endpoint, 60);
    Pending b = submit(endpoint, 50);
    Pending c = submit(endpoint, 40);
    house.at(10 * SECOND);
    assertThat(went(a)).isTrue();
    assertThat(waits(b)).isTrue();
    assertThat(went(c)).isTrue();
    house.at(20 * SECOND);
    assertThat(went(b)).isTrue();
  }

  @Test
  void skippedMaxSkipsTimes_claimsWhatFrees() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10).maxSkips(3));
    submit(endpoint, 50);
    Pending large = submit(endpoint, 60);
    for (int small = 0; small < 3; small++) {
      assertThat(went(submit(endpoint, 5))).as("small " + small).isTrue();
    }
    Pending fourth = submit(endpoint, 5);
    assertThat(waits(fourth)).isTrue();
    house.at(10 * SECOND);
    assertThat(went(large)).isTrue();
    assertThat(went(fourth)).isTrue();
    assertThat(large.order()).isLessThan(fourth.order());
  }

  @Test
  void claimerLeaves_othersGoAtOnce() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10).maxSkips(0));
    submit(endpoint, 50);
    Pending large = submit(endpoint, 60);
    Pending small = submit(endpoint, 5);
    assertThat(waits(small)).isTrue();
    endpoint.cancel(large);
    house.drivers.run();
    assertThat(went(small)).isTrue();
  }

  @Test
  void costThatCanNeverFit_isRefusedAtOnceWithTheReason() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    Pending pending = submit(endpoint, 101);
    assertThat(refusal(pending).reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(refusal(pending).detail()).isEqualTo("token cost 101 exceeds window capacity 100");
    assertThat(refusal(pending).retryAfterMillis()).isEmpty();
    assertThat(went(submit(endpoint, 100))).isTrue();
  }

  @Test
  void expectedOutputAboveCapacity_isCutAndGoes() {
    Endpoint endpoint = house.open(House.tokens("/a", 100, 10));
    Pending pending = endpoint.submit(Ask.of(null, new Cost(40, 500, 0), 0, Patience.DEFAULT));
    assertThat(went(pending)).isTrue();
    assertThat(waits(submit(endpoint, 1))).isTrue();
  }

  @Test
  void unknownModel_isRefusedAsNotServed() {
    UpstreamSpec only = upstream("u", 0, 0, Charge.TOTAL, Map.of("m", "m"), null);
    Endpoint endpoint = house.open(House.none("/a").to(only));
    Pending known = endpoint.submit(Ask.of("m", Cost.NO_TOKENS, 0, Patience.DEFAULT));
    Pending unknown = endpoint.submit(Ask.of("x", Cost.NO_TOKENS, 0, Patience.DEFAULT));
    assertThat(went(known)).isTrue();
    assertThat(refusal(unknown).reason()).isEqualTo(Reason.NO_UPSTREAM_FOR_MODEL);
  }

  @Test
  void allUpstreamsDisabled_isRefusedAsUnhealthy() {
    UpstreamSpec off = upstream("u", 0, 0, Charge.TOTAL, Map.of(), "its key is not set");
    Endpoint endpoint = house.open(House.none("/a").to(off));
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.NO_HEALTHY_UPSTREAM);
  }

  @Test
  void twoUpstreams_theLessUsedIsTakenAndBothAreFilled() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 2, 0), upstream("v", 2, 0)));
    List<String> taken = new ArrayList<>();
    for (int ticket = 0; ticket < 4; ticket++) {
      submit(endpoint, 1);
    }
    house
        .recorded
        .of(Event.Released.class)
        .forEach(released -> taken.add(String.valueOf(released.upstream())));
    assertThat(taken).containsExactlyInAnyOrder("u", "u", "v", "v");
    assertThat(taken.get(0)).isNotEqualTo(taken.get(1));
    assertThat(waits(submit(endpoint, 1))).isTrue();
  }

  @Test
  void modelsOfOneUpstream_doNotHoldEachOtherUp() {
    Endpoint endpoint = house.open(House.none("/a").to(upstream("u", 1, 0)));
    assertThat(went(endpoint.submit(Ask.of("m", Cost.NO_TOKENS, 0, Patience.DEFAULT)))).isTrue();
    assertThat(waits(endpoint.submit(Ask.of("m", Cost.NO_TOKENS, 0, Patience.DEFAULT)))).isTrue();
    assertThat(went(endpoint.submit(Ask.of("n", Cost.NO_TOKENS, 0, Patience.DEFAULT)))).isTrue();
  }

  @Test
  void paused_nothingGoesUntilResumed() {
    Endpoint endpoint = house.open(House.none("/a"));
    endpoint.pause(true);
    house.drivers.run();
    Pending pending = submit(endpoint, 1);
    house.at(5 * SECOND);
    assertThat(waits(pending)).isTrue();
    assertThat(endpoint.paused()).isTrue();
    endpoint.pause(false);
    house.drivers.run();
    assertThat(went(pending)).isTrue();
  }

  @Test
  void expectedWait_isThatBehindAllWhoWait_andEndlessWhilePaused() {
    Endpoint endpoint = house.open(House.strict("/a", 1, 10));
    assertThat(endpoint.expectedWaitNanos()).isZero();
    submit(endpoint, 1);
    assertThat(endpoint.expectedWaitNanos()).isEqualTo(10 * SECOND);
    submit(endpoint, 1);
    house.at(4 * SECOND);
    assertThat(endpoint.expectedWaitNanos()).isEqualTo(16 * SECOND);
    endpoint.pause(true);
    assertThat(endpoint.expectedWaitNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void ticketThatWaited_isKnownToHave_onceItWent() {
    Endpoint endpoint = house.open(House.none("/a"));
    assertThat(submit(endpoint, 1).waited()).isFalse();
    endpoint.pause(true);
    house.drivers.run();
    Pending pending = submit(endpoint, 1);
    endpoint.pause(false);
    house.drivers.run();
    assertThat(went(pending)).isTrue();
    assertThat(pending.waited()).isTrue();
  }

  @Test
  void refusedBeforeItBecameATicket_isCounted() {
    Endpoint endpoint = house.open(House.none("/a"));
    endpoint.refused(
        Cost.ofInput(3), 7, io.penstock.refusal.Refusal.of(Reason.BAD_REQUEST, "not JSON"));
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
    assertThat(house.recorded.of(Event.Refused.class)).hasSize(1);
  }
}
