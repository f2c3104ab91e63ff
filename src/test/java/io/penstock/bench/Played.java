package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.Outcome;
import io.penstock.endpoint.Patience;
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
record Played(Request request, long endNanos, boolean went) {
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
  static List<Played> of(EndpointSpec spec, List<Request> load) {
    Core core = new Core(spec, event -> {});
    List<Played> played = new ArrayList<>();
    for (Request request : load) {
      core.until(request.atNanos());
      Cost cost = Cost.ofInput(request.tokens());
      Patience patience = new Patience(Patience.UNSAID, request.patienceNanos());
      Ask.Flow flow = new Ask.Flow(request.flow(), 1);
      core.endpoint()
          .submit(new Ask(null, cost, 0, patience, request.priority(), flow))
          .whenDecided(outcome -> played.add(decided(request, outcome, core.now())));
    }
    while (played.size() < load.size()) {
      core.next();
    }
    played.sort(Comparator.comparingLong(each -> each.request().atNanos()));
    return played;
  }

  private static Played decided(Request request, Outcome outcome, long now) {
    if (outcome instanceof Outcome.Granted(var settlement)) {
      settlement.permitted(now);
      return new Played(request, now, true);
    }
    return new Played(request, now, false);
  }
}
