package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.event.Event;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Test of fair shares: ten flows at one endpoint, one of them with nine tenths of the load. */
class FairShareTest {
  private static final int FLOWS = 10;
  private static final int EACH = 120;
  private static final int GREEDY = 9 * (FLOWS - 1) * EACH;
  private static final int LARGEST = 100;

  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final SplittableRandom random = new SplittableRandom(11);
  private final Map<Long, Integer> flows = new HashMap<>();
  private final long[] got = new long[FLOWS];

  private Endpoint open() {
    QueueBounds bounds = new QueueBounds(100_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);
    Scheduling fair = new Scheduling(QueueOrder.FAIR, 0, 64, new FairBy.Header("x-team"));
    return endpointFixture.open(
        EndpointFixture.tokens("/a", 5_000, 1),
        fair,
        EndpointSetup.waiting(bounds, 0, 0, false, 0));
  }

  private void send(Endpoint endpoint, int flow, int weight) {
    Cost cost = Cost.ofInput(1 + random.nextInt(LARGEST));
    TicketRequest.Flow whose = new TicketRequest.Flow("flow-" + flow, weight);
    ParkedTicket sent = endpoint.submit(RequestFixture.of(null, cost).flow(whose).made());
    flows.put(sent.order(), flow);
    sent.whenDecided(
        outcome -> {
          if (outcome instanceof TicketOutcome.Granted(TicketSettlement settlement)) {
            settlement.permitted(endpointFixture.ticker.nanos());
          }
        });
  }

  private static double jain(double[] shares) {
    double sum = 0;
    double squares = 0;
    for (double share : shares) {
      sum += share;
      squares += share * share;
    }
    return sum * sum / (shares.length * squares);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneSendsNineTenths_allGetTheirShareAtEveryInstant(boolean weighted) {
    int[] weights = IntStream.range(0, FLOWS).map(flow -> weighted ? 1 + flow % 4 : 1).toArray();
    Endpoint endpoint = open();
    endpoint.pause(true);
    endpointFixture.drivers.run();
    for (int each = 0; each < GREEDY; each++) {
      send(endpoint, 0, weights[0]);
      if (each % (GREEDY / EACH) == 0) {
        for (int flow = 1; flow < FLOWS; flow++) {
          send(endpoint, flow, weights[flow]);
        }
      }
    }
    int[] left = new int[FLOWS];
    flows.values().forEach(flow -> left[flow]++);
    endpoint.pause(false);
    endpointFixture.drivers.run();
    endpointFixture.at(30 * EndpointFixture.SECOND);
    int releases = 0;
    for (Event.Released released : endpointFixture.recorded.of(Event.Released.class)) {
      int flow = flows.getOrDefault(released.ticket(), -1);
      got[flow] += released.cost().totalTokens();
      left[flow]--;
      if (IntStream.of(left).min().orElse(0) == 0) {
        break; // a flow has nothing waiting any more
      }
      releases++;
      assertShares(weights);
    }
    assertThat(releases).isGreaterThan(400);
    double[] shares = new double[FLOWS];
    for (int flow = 0; flow < FLOWS; flow++) {
      shares[flow] = (double) got[flow] / weights[flow];
    }
    assertThat(jain(shares)).isGreaterThanOrEqualTo(0.99);
  }

  @Test
  void nothingReadAlthoughItWasExpected_theFlowIsChargedAll() {
    Scheduling fair = new Scheduling(QueueOrder.FAIR, 0, 64, new FairBy.Header("x-team"));
    Endpoint endpoint =
        endpointFixture.open(
            EndpointFixture.strict("/a", 1, 1)
                .to(
                    EndpointFixture.upstream(
                        "up", 0, 100_000, ChargeRule.ANTHROPIC, Map.of(), null)),
            fair,
            EndpointFixture.OPEN);
    endpoint.pause(true);
    endpointFixture.drivers.run();
    ask(endpoint, "first", new Cost(100, 0, 0, 90));
    ask(endpoint, "second", new Cost(50, 0, 0));
    ask(endpoint, "first", new Cost(100, 0, 0, 90));
    ask(endpoint, "second", new Cost(50, 0, 0));
    endpoint.pause(false);
    endpointFixture.drivers.run();
    endpointFixture.at(10 * EndpointFixture.SECOND);
    assertThat(endpointFixture.recorded.of(Event.Released.class))
        .extracting(Event.Released::ticket)
        .containsExactly(0L, 1L, 3L, 2L);
  }

  /** Sends a request of which nothing will be read from a cache. */
  private void ask(Endpoint endpoint, String flow, Cost cost) {
    TicketRequest.Flow whose = new TicketRequest.Flow(flow, 1);
    endpoint
        .submit(RequestFixture.of(null, cost).flow(whose).made())
        .whenDecided(
            outcome -> {
              if (outcome instanceof TicketOutcome.Granted(TicketSettlement settlement)) {
                TokenUsage usage = new TokenUsage(cost.inputTokens(), 0, 0);
                settlement.served(usage, 0, endpointFixture.ticker.nanos());
              }
            });
  }

  /**
   * Asserts that no two flows differ by more than 3 times the largest request; with unequal
   * weights, measured in tokens of the lighter one.
   */
  private void assertShares(int[] weights) {
    for (int one = 0; one < FLOWS; one++) {
      for (int other = 0; other < one; other++) {
        double gap =
            Math.abs((double) got[one] / weights[one] - (double) got[other] / weights[other]);
        assertThat(gap * Math.min(weights[one], weights[other])).isLessThanOrEqualTo(3 * LARGEST);
      }
    }
  }
}
