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
import io.penstock.endpoint.LiveLimits;
import io.penstock.event.Event;
import io.penstock.queue.QueueOrder;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of endpoints in shadow mode, which decide everything and delay nothing. */
class ShadowTicketTest {
  private final LiveLimits limits = new LiveLimits();
  private final EndpointFixture endpointFixture = new EndpointFixture(limits);

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private static EndpointSpec shadow(EndpointSetup setup) {
    return setup.descendants(true, 10).shadow(true).spec();
  }

  private Endpoint open(EndpointSpec spec) {
    endpointFixture.registry.apply(List.of(spec));
    endpointFixture.drivers.run();
    return endpointFixture.endpoint(spec.path());
  }

  private Endpoint open(EndpointSetup setup) {
    return open(shadow(setup));
  }

  private static EndpointSetup ordered(EndpointSetup setup, QueueOrder order) {
    return setup.scheduling(
        new EndpointSpec.Scheduling(order, 0, 64, new EndpointSpec.FairBy.Key()));
  }

  private static ParkedTicket ask(Endpoint endpoint, Cost cost) {
    return endpoint.submit(RequestFixture.request(null, cost));
  }

  private long now() {
    return endpointFixture.ticker.nanos();
  }

  /**
   * Returns the events of shadows: the ticket, its wait in seconds, and the reason of a refusal.
   */
  private List<String> told() {
    return endpointFixture.recorded.of(Event.Shadowed.class).stream()
        .map(
            each -> {
              Refusal why = each.refusal();
              String reason = why == null ? "" : " " + why.reason().code();
              return each.ticket() + " " + each.waitedNanos() / SECOND + reason;
            })
        .toList();
  }

  private static long waiting(Endpoint endpoint) {
    return endpoint.totals().requests(TicketFate.WAITING);
  }

  @Test
  void requestsOverTheLimit_goAtOnce_andTheirShadowsAtTheirTime() {
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 10));
    for (int each = 0; each < 3; each++) {
      ParkedTicket parkedTicket = submit(endpoint, 1);
      assertThat(settlement(parkedTicket).waitedNanos()).isZero();
      settlement(parkedTicket).permitted(now());
    }
    assertThat(told()).containsExactly("0 0");
    assertThat(waiting(endpoint)).isZero();
    assertThat(endpoint.oldestWaitNanos()).isZero();
    endpointFixture.at(20 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 10", "2 20");
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
    assertThat(endpointFixture.recorded.of(Event.Queued.class)).isEmpty();
    assertThat(endpointFixture.recorded.of(Event.Settled.class)).hasSize(3);
    assertThat(endpoint.totals().requests(TicketFate.SERVED)).isEqualTo(3);
    assertThat(endpoint.totals().requests(TicketFate.OFFERED)).isEqualTo(3);
  }

  @Test
  void whatTheQueueWouldRefuse_isToldWithItsReason() {
    Endpoint endpoint =
        open(EndpointFixture.tokens("/a", 10, 100).bounds(1, 100, 100).maxWait(30 * SECOND));
    assertThat(went(submit(endpoint, 10))).isTrue();
    assertThat(went(submit(endpoint, 5))).isTrue();
    assertThat(went(submit(endpoint, 5))).isTrue();
    assertThat(went(submit(endpoint, 11))).isTrue();
    endpointFixture.at(30 * SECOND);
    assertThat(told())
        .containsExactly(
            "0 0", "2 0 queue_full", "3 0 cost_exceeds_capacity", "1 30 queue_timeout");
    assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isEqualTo(4);
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isZero();
  }

  @Test
  void withoutAWayToGo_itIsRefusedAsEver() {
    Endpoint endpoint =
        open(
            EndpointFixture.none("/a")
                .to(upstream("u", 1, 0, ChargeRule.TOTAL, Map.of(), "no key")));
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.NO_HEALTHY_UPSTREAM);
    assertThat(endpoint.totals().requests(TicketFate.REFUSED)).isEqualTo(1);
    assertThat(told()).isEmpty();
  }

  @Test
  void leastUsedUpstream_isTaken() {
    Endpoint endpoint =
        open(EndpointFixture.none("/a").to(upstream("u", 2, 0), upstream("v", 8, 0)));
    List<String> taken =
        List.of(1, 2, 3, 4).stream()
            .map(each -> Objects.requireNonNull(settlement(submit(endpoint, 1)).upstream()))
            .map(each -> each.spec().id())
            .toList();
    assertThat(taken).containsExactly("u", "v", "v", "v");
  }

  @Test
  void usage_isSettledInTheShadowsLimits_whenTheRequestEndsAfterItsShadowWent() {
    Endpoint endpoint = open(EndpointFixture.tokens("/a", 100, 10));
    TicketSettlement first = settlement(ask(endpoint, new Cost(40, 60, 0)));
    assertThat(endpoint.utilization()).isEqualTo(1);
    first.served(new TokenUsage(40, 0, 10), 10, now());
    first.served(new TokenUsage(99, 0, 99), 99, now());
    assertThat(endpoint.utilization()).isEqualTo(0.5);
  }

  @Test
  void usage_isSettledWhenTheShadowGoes_ifTheRequestEndedBefore() {
    Endpoint endpoint = open(EndpointFixture.tokens("/a", 100, 10));
    settlement(submit(endpoint, 100)).served(new TokenUsage(100, 0, 0), 0, now());
    settlement(submit(endpoint, 60)).served(new TokenUsage(25, 0, 0), 0, now());
    endpointFixture.at(10 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 10");
    assertThat(endpoint.utilization()).isEqualTo(0.25);
    endpointFixture.at(20 * SECOND);
    assertThat(endpoint.utilization()).isZero();
  }

  @Test
  void usageBelowTheCost_letsTheNextShadowGoAtOnce() {
    Endpoint endpoint = open(EndpointFixture.tokens("/a", 100, 10));
    TicketSettlement first = settlement(submit(endpoint, 100));
    submit(endpoint, 60);
    assertThat(told()).containsExactly("0 0");
    endpointFixture.at(2 * SECOND);
    first.served(new TokenUsage(40, 0, 0), 0, now());
    endpointFixture.drivers.run();
    assertThat(told()).containsExactly("0 0", "1 2");
  }

  @Test
  void outputAsItIsProduced_isChargedToTheShadowsLimits() {
    Endpoint endpoint = open(EndpointFixture.tokens("/a", 100, 10));
    TicketSettlement first = settlement(ask(endpoint, new Cost(10, 30, 0)));
    first.produced(30, now());
    first.produced(70, now() + SECOND);
    assertThat(endpoint.utilization()).isEqualTo(0.8);
    first.failed(Refusal.of(RefusalReason.UPSTREAM_TIMEOUT, "late"), 70, now() + SECOND);
    assertThat(endpoint.utilization()).isEqualTo(0.8);
  }

  @Test
  void clientThatGoesAway_takesItsShadowWithIt() {
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 10));
    submit(endpoint, 1);
    settlement(submit(endpoint, 1)).cancelled(CallEnd.answered(null, 3), now());
    ParkedTicket third = submit(endpoint, 1);
    third.cancel();
    endpointFixture.at(30 * SECOND);
    assertThat(told()).containsExactly("0 0");
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(2);
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void whatNeverRan_givesBackWhatItsShadowTook() {
    Endpoint endpoint = open(EndpointFixture.tokens("/a", 100, 10));
    ParkedTicket first = submit(endpoint, 100);
    submit(endpoint, 50);
    first.cancel();
    endpointFixture.drivers.run();
    assertThat(told()).containsExactly("0 0", "1 0");
    assertThat(endpoint.utilization()).isEqualTo(0.5);
  }

  @Test
  void shadowsAreInTheOrderThatIsConfigured() {
    Endpoint endpoint = open(ordered(EndpointFixture.strict("/a", 1, 10), QueueOrder.LIFO));
    for (int each = 0; each < 3; each++) {
      submit(endpoint, 1);
    }
    endpointFixture.at(20 * SECOND);
    assertThat(told()).containsExactly("0 0", "2 10", "1 20");
  }

  @Test
  void fairShadows_areChargedForWhatTheirRequestsUse() {
    Endpoint endpoint = open(ordered(EndpointFixture.tokens("/a", 100, 10), QueueOrder.FAIR));
    for (String flow : List.of("x", "y", "x", "y", "x")) {
      TicketRequest ticketRequest =
          RequestFixture.of(null, Cost.ofInput(100)).flow(new TicketRequest.Flow(flow, 1)).made();
      TokenUsage usage = new TokenUsage(flow.equals("x") ? 10 : 100, 0, 0);
      settlement(endpoint.submit(ticketRequest)).served(usage, 0, now());
    }
    endpointFixture.at(40 * SECOND);
    // x uses a tenth of what it asks for, so it has got less than y even after its second.
    assertThat(told()).containsExactly("0 0", "1 10", "2 20", "4 30", "3 40");
  }

  @Test
  void paused_shadowsWaitAndRequestsDoNot() {
    Endpoint endpoint = open(EndpointFixture.none("/a"));
    endpoint.pause(true);
    endpointFixture.drivers.run();
    assertThat(went(submit(endpoint, 1))).isTrue();
    endpointFixture.at(5 * SECOND);
    assertThat(told()).isEmpty();
    endpoint.pause(false);
    endpointFixture.drivers.run();
    assertThat(told()).containsExactly("0 5");
  }

  @Test
  void shadowNoMore_requestsWaitBehindTheShadowsThatAreLeft() {
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 10));
    submit(endpoint, 1);
    submit(endpoint, 1);
    endpointFixture.apply(EndpointFixture.strict("/a", 1, 10));
    ParkedTicket third = submit(endpoint, 1);
    assertThat(waits(third)).isTrue();
    endpointFixture.at(10 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 10");
    assertThat(waits(third)).isTrue();
    endpointFixture.at(20 * SECOND);
    assertThat(went(third)).isTrue();
  }

  @Test
  void removedEndpoint_tellsItsShadowsToo() {
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 10));
    submit(endpoint, 1);
    submit(endpoint, 1);
    endpointFixture.apply(EndpointFixture.none("/b"));
    assertThat(told()).containsExactly("0 0", "1 0 endpoint_removed");
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
    assertThat(endpointFixture.drivers.nextAlarm()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void gatewayThatStops_refusesHereAsElsewhere() {
    Endpoint endpoint = open(EndpointFixture.strict("/a", 1, 10));
    submit(endpoint, 1);
    submit(endpoint, 1);
    endpoint.refuseAll(Refusal.of(RefusalReason.SHUTTING_DOWN, "stopping"));
    endpointFixture.drivers.run();
    assertThat(told()).containsExactly("0 0", "1 0 shutting_down");
    assertThat(refusal(submit(endpoint, 1)).reason()).isEqualTo(RefusalReason.SHUTTING_DOWN);
  }

  @Test
  void dynamicShadow_isReclaimedOnlyWhenItsShadowsAreGone() {
    open(EndpointFixture.strict("/a", 1, 3_600));
    Endpoint child = Objects.requireNonNull(endpointFixture.registry.enter("/a/b"));
    for (int each = 0; each < 2; each++) {
      settlement(submit(child, 1)).permitted(now());
    }
    ParkedTicket third = submit(child, 1);
    child.leave();
    endpointFixture.at(3_600 * SECOND);
    assertThat(told()).containsExactly("0 0", "1 3600");
    assertThat(endpointFixture.registry.dynamic()).containsExactly(child);
    settlement(third).cancelled(CallEnd.answered(null, 0), now());
    endpointFixture.at(2 * 3_600 * SECOND - 1); // until then its limit is not full
    assertThat(endpointFixture.registry.dynamic()).containsExactly(child);
    endpointFixture.at(2 * 3_600 * SECOND);
    assertThat(endpointFixture.registry.dynamic()).isEmpty();
    assertThat(limits.live()).hasSize(1);
    assertThat(endpointFixture.endpoint("/a").totals().requests(TicketFate.SERVED)).isEqualTo(2);
    assertThat(endpointFixture.endpoint("/a").totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
  }
}
