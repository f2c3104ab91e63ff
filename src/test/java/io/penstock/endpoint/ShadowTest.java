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
import io.penstock.event.Event;
import io.penstock.queue.Order;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of endpoints in shadow mode, which decide everything and delay nothing. */
class ShadowTest {
  private final LiveLimits limits = new LiveLimits();
  private final House house = new House(limits);

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private static EndpointSpec shadow(EndpointSpec spec, EndpointSpec.Scheduling scheduling) {
    return new EndpointSpec(
        spec.path(),
        spec.path(),
        spec.algorithm(),
        spec.limit(),
        scheduling,
        spec.waiting(),
        spec.reading(),
        new EndpointSpec.Descendants(true, 10),
        true,
        true,
        spec.upstreams(),
        Map.of());
  }

  private static EndpointSpec shadow(House.Setup setup) {
    return shadow(setup.spec(), setup.spec().scheduling());
  }

  private Endpoint open(EndpointSpec spec) {
    house.registry.apply(List.of(spec));
    house.drivers.run();
    return house.endpoint(spec.path());
  }

  private Endpoint open(House.Setup setup) {
    return open(shadow(setup));
  }

  private static Pending ask(Endpoint endpoint, Cost cost) {
    return endpoint.submit(Ask.of(null, cost, 0, Patience.DEFAULT));
  }

  private long now() {
    return house.ticker.nanos();
  }

  /**
   * Returns the events of shadows: the ticket, its wait in seconds, and the reason of a refusal.
   */
  private List<String> told() {
    return house.recorded.of(Event.Shadowed.class).stream()
        .map(
            each -> {
              Refusal why = each.refusal();
              String reason = why == null ? "" : " " + why.reason().code();
              return each.ticket() + " " + each.waitedNanos() / SECOND + reason;
            })
        .toList();
  }

  private static long waiting(Endpoint endpoint) {
    return endpoint.totals().requests(Fate.WAITING);
  }

  @Test
  void requestsOverTheLimit_goAtOnce_andTheirShadowsAtTheirTime() {
    Endpoint endpoint = open(House.strict("/a", 1, 10));
    for (int each = 0; each < 3; each++) {
      Pending pending = submit(endpoint, 1);
      assertThat(settlement(pending).waitedNanos()).isZero();
      settlement(pending).permitted(now());
    }
    assertThat(told()).containsExactly("0 0");
    assertThat(waiting(endpoint)).isZero();
    assertThat(endpoint.oldestWaitNanos()).isZero();
    house.at(20 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 10", "2 20");
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
    assertThat(house.recorded.of(Event.Queued.class)).isEmpty();
    assertThat(house.recorded.of(Event.Settled.class)).hasSize(3);
    assertThat(endpoint.totals().requests(Fate.SERVED)).isEqualTo(3);
    assertThat(endpoint.totals().requests(Fate.OFFERED)).isEqualTo(3);
  }

  @Test
  void whatTheQueueWouldRefuse_isToldWithItsReason() {
    Endpoint endpoint = open(House.tokens("/a", 10, 100).bounds(1, 100, 100).maxWait(30 * SECOND));
    assertThat(went(submit(endpoint, 10))).isTrue();
    assertThat(went(submit(endpoint, 5))).isTrue();
    assertThat(went(submit(endpoint, 5))).isTrue();
    assertThat(went(submit(endpoint, 11))).isTrue();
    house.at(30 * SECOND);
    assertThat(told())
        .containsExactly(
            "0 0", "2 0 queue_full", "3 0 cost_exceeds_capacity", "1 30 queue_timeout");
    assertThat(endpoint.totals().requests(Fate.RUNNING)).isEqualTo(4);
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isZero();
  }

  @Test
  void withoutAWayToGo_itIsRefusedAsEver() {
    Endpoint endpoint =
        open(House.none("/a").to(upstream("u", 1, 0, Charge.TOTAL, Map.of(), "no key")));
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.NO_HEALTHY_UPSTREAM);
    assertThat(endpoint.totals().requests(Fate.REFUSED)).isEqualTo(1);
    assertThat(told()).isEmpty();
  }

  @Test
  void leastUsedUpstream_isTaken() {
    Endpoint endpoint = open(House.none("/a").to(upstream("u", 2, 0), upstream("v", 8, 0)));
    List<String> taken =
        List.of(1, 2, 3, 4).stream()
            .map(each -> Objects.requireNonNull(settlement(submit(endpoint, 1)).upstream()))
            .map(each -> each.spec().id())
            .toList();
    assertThat(taken).containsExactly("u", "v", "v", "v");
  }

  @Test
  void usage_isSettledInTheShadowsLimits_whenTheRequestEndsAfterItsShadowWent() {
    Endpoint endpoint = open(House.tokens("/a", 100, 10));
    Settlement first = settlement(ask(endpoint, new Cost(40, 60, 0)));
    assertThat(endpoint.utilization()).isEqualTo(1);
    first.served(new Usage(40, 0, 10), 10, now());
    first.served(new Usage(99, 0, 99), 99, now());
    assertThat(endpoint.utilization()).isEqualTo(0.5);
  }

  @Test
  void usage_isSettledWhenTheShadowGoes_ifTheRequestEndedBefore() {
    Endpoint endpoint = open(House.tokens("/a", 100, 10));
    settlement(submit(endpoint, 100)).served(new Usage(100, 0, 0), 0, now());
    settlement(submit(endpoint, 60)).served(new Usage(25, 0, 0), 0, now());
    house.at(10 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 10");
    assertThat(endpoint.utilization()).isEqualTo(0.25);
    house.at(20 * SECOND);
    assertThat(endpoint.utilization()).isZero();
  }

  @Test
  void usageBelowTheCost_letsTheNextShadowGoAtOnce() {
    Endpoint endpoint = open(House.tokens("/a", 100, 10));
    Settlement first = settlement(submit(endpoint, 100));
    submit(endpoint, 60);
    assertThat(told()).containsExactly("0 0");
    house.at(2 * SECOND);
    first.served(new Usage(40, 0, 0), 0, now());
    house.drivers.run();
    assertThat(told()).containsExactly("0 0", "1 2");
  }

  @Test
  void outputAsItIsProduced_isChargedToTheShadowsLimits() {
    Endpoint endpoint = open(House.tokens("/a", 100, 10));
    Settlement first = settlement(ask(endpoint, new Cost(10, 30, 0)));
    first.produced(30, now());
    first.produced(70, now() + SECOND);
    assertThat(endpoint.utilization()).isEqualTo(0.8);
    first.failed(Refusal.of(Reason.UPSTREAM_TIMEOUT, "late"), 70, now() + SECOND);
    assertThat(endpoint.utilization()).isEqualTo(0.8);
  }

  @Test
  void clientThatGoesAway_takesItsShadowWithIt() {
    Endpoint endpoint = open(House.strict("/a", 1, 10));
    submit(endpoint, 1);
    settlement(submit(endpoint, 1)).cancelled(null, 3, now());
    Pending third = submit(endpoint, 1);
    endpoint.cancel(third);
    house.at(30 * SECOND);
    assertThat(told()).containsExactly("0 0");
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(2);
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void whatNeverRan_givesBackWhatItsShadowTook() {
    Endpoint endpoint = open(House.tokens("/a", 100, 10));
    Pending first = submit(endpoint, 100);
    submit(endpoint, 50);
    endpoint.cancel(first);
    house.drivers.run();
    assertThat(told()).containsExactly("0 0", "1 0");
    assertThat(endpoint.utilization()).isEqualTo(0.5);
  }

  @Test
  void shadowsAreInTheOrderThatIsConfigured() {
    EndpointSpec spec = House.strict("/a", 1, 10).spec();
    Endpoint endpoint =
        open(
            shadow(
                spec,
                new EndpointSpec.Scheduling(Order.LIFO, 0, 64, new EndpointSpec.FairBy.Key())));
    for (int each = 0; each < 3; each++) {
      submit(endpoint, 1);
    }
    house.at(20 * SECOND);
    assertThat(told()).containsExactly("0 0", "2 10", "1 20");
  }

  @Test
  void fairShadows_areChargedForWhatTheirRequestsUse() {
    EndpointSpec spec = House.tokens("/a", 100, 10).spec();
    Endpoint endpoint =
        open(
            shadow(
                spec,
                new EndpointSpec.Scheduling(Order.FAIR, 0, 64, new EndpointSpec.FairBy.Key())));
    for (String flow : List.of("x", "y", "x", "y", "x")) {
      Ask ask = new Ask(null, Cost.ofInput(100), 0, Patience.DEFAULT, 0, new Ask.Flow(flow, 1));
      Usage usage = new Usage(flow.equals("x") ? 10 : 100, 0, 0);
      settlement(endpoint.submit(ask)).served(usage, 0, now());
    }
    house.at(40 * SECOND);
    // x uses a tenth of what it asks for, so it has got less than y even after its second.
    assertThat(told()).containsExactly("0 0", "1 10", "2 20", "4 30", "3 40");
  }

  @Test
  void paused_shadowsWaitAndRequestsDoNot() {
    Endpoint endpoint = open(House.none("/a"));
    endpoint.pause(true);
    house.drivers.run();
    assertThat(went(submit(endpoint, 1))).isTrue();
    house.at(5 * SECOND);
    assertThat(told()).isEmpty();
    endpoint.pause(false);
    house.drivers.run();
    assertThat(told()).containsExactly("0 5");
  }

  @Test
  void shadowNoMore_requestsWaitBehindTheShadowsThatAreLeft() {
    Endpoint endpoint = open(House.strict("/a", 1, 10));
    submit(endpoint, 1);
    submit(endpoint, 1);
    house.apply(House.strict("/a", 1, 10));
    Pending third = submit(endpoint, 1);
    assertThat(waits(third)).isTrue();
    house.at(10 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 10");
    assertThat(waits(third)).isTrue();
    house.at(20 * SECOND);
    assertThat(went(third)).isTrue();
  }

  @Test
  void removedEndpoint_tellsItsShadowsToo() {
    Endpoint endpoint = open(House.strict("/a", 1, 10));
    submit(endpoint, 1);
    submit(endpoint, 1);
    house.apply(House.none("/b"));
    assertThat(told()).containsExactly("0 0", "1 0 endpoint_removed");
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.ENDPOINT_REMOVED);
    assertThat(house.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void gatewayThatStops_refusesHereAsElsewhere() {
    Endpoint endpoint = open(House.strict("/a", 1, 10));
    submit(endpoint, 1);
    submit(endpoint, 1);
    endpoint.refuseAll(Refusal.of(Reason.SHUTTING_DOWN, "stopping"));
    house.drivers.run();
    assertThat(told()).containsExactly("0 0", "1 0 shutting_down");
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(Reason.SHUTTING_DOWN);
  }

  @Test
  void dynamicShadow_isReclaimedOnlyWhenItsShadowsAreGone() {
    open(House.strict("/a", 1, 3_600));
    Endpoint child = Objects.requireNonNull(house.registry.enter("/a/b"));
    for (int each = 0; each < 2; each++) {
      settlement(submit(child, 1)).permitted(now());
    }
    Pending third = submit(child, 1);
    child.leave();
    house.at(3_600 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 3600");
    assertThat(house.registry.dynamic()).containsExactly(child);
    settlement(third).cancelled(null, 0, now());
    house.at(2 * 3_600 * SECOND - 1); // until then its limit is not full
    assertThat(house.registry.dynamic()).containsExactly(child);
    house.at(2 * 3_600 * SECOND);
    assertThat(house.registry.dynamic()).isEmpty();
    assertThat(limits.live()).hasSize(1);
    assertThat(house.endpoint("/a").totals().requests(Fate.SERVED)).isEqualTo(2);
    assertThat(house.endpoint("/a").totals().requests(Fate.CANCELLED)).isEqualTo(1);
  }
}
