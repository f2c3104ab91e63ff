package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.EndpointSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The outcome of a request that was simulated with the core on a fake clock.
 *
 * @param request the request
 * @param endNanos when it was released or gave up
 * @param went whether it was released
 */
record SimulatedOutcome(Request request, long endNanos, boolean went) {
  /**
   * One request of a load.
   *
   * @param atNanos its arrival
   * @param flow its flow
   * @param tokens its cost
   * @param priority its priority
   * @param patienceNanos how long it is willing to wait
   */
  record Request(long atNanos, String flow, long tokens, int priority, long patienceNanos) {}

  double waitSeconds() {
    return (endNanos - request.atNanos()) / 1e9;
  }

  /**
   * Simulates a load at an endpoint until all requests were released or have given up; returns them
   * in order of arrival.
   */
  static List<SimulatedOutcome> of(EndpointSpec spec, List<Request> load) {
    BenchCore benchCore = new BenchCore(spec, event -> {});
    List<SimulatedOutcome> played = new ArrayList<>();
    for (Request request : load) {
      benchCore.until(request.atNanos());
      Cost cost = Cost.ofInput(request.tokens());
      WaitPatience patience = new WaitPatience(WaitPatience.UNSTATED, request.patienceNanos());
      TicketRequest.Flow flow = new TicketRequest.Flow(request.flow(), 1);
      benchCore
          .endpoint()
          .submit(
              RequestFixture.of(null, cost)
                  .patience(patience)
                  .priority(request.priority())
                  .flow(flow)
                  .made())
          .whenDecided(
              ticketOutcome -> played.add(decided(request, ticketOutcome, benchCore.now())));
    }
    while (played.size() < load.size()) {
      benchCore.next();
    }
    played.sort(Comparator.comparingLong(each -> each.request().atNanos()));
    return played;
  }

  private static SimulatedOutcome decided(Request request, TicketOutcome ticketOutcome, long now) {
    if (ticketOutcome instanceof TicketOutcome.Granted(var settlement)) {
      settlement.permitted(now);
      return new SimulatedOutcome(request, now, true);
    }
    return new SimulatedOutcome(request, now, false);
  }
}
