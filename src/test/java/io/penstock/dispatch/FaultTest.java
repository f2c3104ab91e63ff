package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.submit;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
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
  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final Endpoint endpoint = endpointFixture.open(EndpointFixture.tokens("/a", 10, 10));

  private static void fail() {
    throw new IllegalStateException("a fault");
  }

  @Test
  void receiverThatFails_keepsNobodyElseFromTheirOutcome() {
    submit(endpoint, 10);
    ParkedTicket second = submit(endpoint, 2);
    ParkedTicket third = submit(endpoint, 2);
    List<TicketOutcome> outcomes = new ArrayList<>();
    second.whenDecided(outcome -> fail());
    third.whenDecided(outcomes::add);
    assertThatThrownBy(() -> endpointFixture.at(10 * SECOND)).hasMessage("a fault");
    assertThat(went(second)).isTrue();
    assertThat(outcomes).hasSize(1);
    endpointFixture.drivers.run();
    assertThat(went(submit(endpoint, 6))).isTrue();
    assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isEqualTo(4);
  }

  @Test
  void receiverThatFails_isNotTheTroubleOfWhoComesBy() {
    submit(endpoint, 10);
    ParkedTicket second = submit(endpoint, 10);
    second.whenDecided(outcome -> fail());
    endpointFixture.ticker.advance(10 * SECOND);
    ParkedTicket third = submit(endpoint, 1); // its arrival lets the second go
    assertThat(waits(third)).isTrue();
    assertThatThrownBy(endpointFixture.drivers::run).hasMessage("a fault");
    endpointFixture.at(20 * SECOND);
    assertThat(went(third)).isTrue();
  }

  @Test
  void stepThatFails_isTriedAgainAndThenGoesOn() {
    submit(endpoint, 10);
    ParkedTicket second = submit(endpoint, 2);
    ParkedTicket third = submit(endpoint, 2);
    EventBus.Subscription broken =
        endpointFixture.events.subscribe(
            event -> {
              if (event instanceof Event.Released) {
                fail();
              }
            });
    assertThatThrownBy(() -> endpointFixture.at(10 * SECOND)).hasMessage("a fault");
    broken.close();
    assertThat(went(third)).isFalse();
    endpointFixture.at(12 * SECOND);
    assertThat(went(third)).isTrue();
    assertThat(went(second)).isTrue();
  }

  @Test
  void messageThatFails_doesNotHoldUpThoseBehindIt() {
    endpoint.pause(true);
    endpointFixture.drivers.run();
    EventBus.Subscription broken = endpointFixture.events.subscribe(event -> fail());
    ParkedTicket first = submit(endpoint, 1); // the Queued event cannot be published
    broken.close();
    assertThatThrownBy(endpointFixture.drivers::run).hasMessage("a fault");
    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(went(first)).isTrue();
    assertThat(went(submit(endpoint, 1))).isTrue();
  }

  @Test
  void stepThatFailsAgainAndAgain_isTriedOnceInAWhile() {
    submit(endpoint, 10);
    List<ParkedTicket> all = new ArrayList<>();
    for (int ticket = 0; ticket < 10; ticket++) {
      all.add(submit(endpoint, 1));
    }
    endpointFixture.at(10 * SECOND - 1);
    endpointFixture.events.subscribe(event -> failWith(new AssertionError("a fault")));
    int alarms = endpointFixture.drivers.driver(0).alarms();
    for (long second = 0; second < 5; second++) {
      long now = (10 + second) * SECOND;
      assertThatThrownBy(() -> endpointFixture.at(now)).hasMessage("a fault");
      assertThat(all.stream().filter(EndpointFixture::went).count()).isEqualTo(second + 1);
    }
    assertThat(endpointFixture.drivers.driver(0).alarms() - alarms).isLessThanOrEqualTo(10);
  }

  private static void failWith(Error fault) {
    throw fault;
  }
}
