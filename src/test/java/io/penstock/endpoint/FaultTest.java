package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests of code that throws where it must not: the fault is reported where steps run, and disturbs
 * nothing else.
 */
class FaultTest {
  private final House house = new House();
  private final Endpoint endpoint = house.open(House.tokens("/a", 10, 10));

  private static void fail() {
    throw new IllegalStateException("a fault");
  }

  @Test
  void receiverThatFails_keepsNobodyElseFromTheirOutcome() {
    submit(endpoint, 10);
    Pending second = submit(endpoint, 2);
    Pending third = submit(endpoint, 2);
    List<Outcome> outcomes = new ArrayList<>();
    second.whenDecided(outcome -> fail());
    third.whenDecided(outcomes::add);
    assertThatThrownBy(() -> house.at(10 * SECOND)).hasMessage("a fault");
    assertThat(went(second)).isTrue();
    assertThat(outcomes).hasSize(1);
    house.drivers.run();
    assertThat(went(submit(endpoint, 6))).isTrue();
    assertThat(endpoint.totals().requests(Fate.RUNNING)).isEqualTo(4);
  }

  @Test
  void receiverThatFails_isNotTheTroubleOfWhoComesBy() {
    submit(endpoint, 10);
    Pending second = submit(endpoint, 10);
    second.whenDecided(outcome -> fail());
    house.ticker.advance(10 * SECOND);
    Pending third = submit(endpoint, 1); // its arrival lets the second go
    assertThat(waits(third)).isTrue();
    assertThatThrownBy(house.drivers::run).hasMessage("a fault");
    house.at(20 * SECOND);
    assertThat(went(third)).isTrue();
  }

  @Test
  void stepThatFails_isTriedAgainAndThenGoesOn() {
    submit(endpoint, 10);
    Pending second = submit(endpoint, 2);
    Pending third = submit(endpoint, 2);
    EventBus.Subscription broken =
        house.events.subscribe(
            event -> {
              if (event instanceof Event.Released) {
                fail();
              }
            });
    assertThatThrownBy(() -> house.at(10 * SECOND)).hasMessage("a fault");
    broken.close();
    assertThat(went(third)).isFalse();
    house.at(12 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(went(second)).isTrue();
  }

  @Test
  void messageThatFails_doesNotHoldUpThoseBehindIt() {
    endpoint.pause(true);
    house.drivers.run();
    EventBus.Subscription broken = house.events.subscribe(event -> fail());
    Pending first = submit(endpoint, 1); // the Queued event cannot be published
    broken.close();
    assertThatThrownBy(house.drivers::run).hasMessage("a fault");
    endpoint.pause(false);
    house.drivers.run();
    assertThat(went(first)).isTrue();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void stepThatFailsAgainAndAgain_isTriedOnceInAWhile() {
    submit(endpoint, 10);
    List<Pending> all = new ArrayList<>();
    for (int ticket = 0; ticket < 10; ticket++) {
      all.add(submit(endpoint, 1));
    }
    house.at(10 * SECOND - 1);
    house.events.subscribe(event -> failWith(new AssertionError("a fault")));
    int alarms = house.drivers.driver(0).alarms();
    for (long second = 0; second < 5; second++) {
      long now = (10 + second) * SECOND;
      assertThatThrownBy(() -> house.at(now)).hasMessage("a fault");
      assertThat(all.stream().filter(House::went).count()).isEqualTo(second + 1);
    }
    assertThat(house.drivers.driver(0).alarms() - alarms).isLessThanOrEqualTo(10);
  }

  private static void failWith(Error fault) {
    throw fault;
  }
}
