package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointTotals;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.quota.MeteredLimit;
import io.penstock.time.Ticker;
import java.util.Collection;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Tickets, slots and reserved amounts that requests may have left behind. It can be asked after the
 * gateway was stopped.
 */
record LeftOver(Collection<Endpoint> endpoints, Collection<Upstream> upstreams, Ticker ticker) {
  static LeftOver of(ConfigurableApplicationContext context) {
    return new LeftOver(
        List.copyOf(context.getBean(EndpointRegistry.class).all()),
        List.copyOf(context.getBean(UpstreamRegistry.class).all()),
        context.getBean(Ticker.class));
  }

  /**
   * Stops a gateway that runs, and waits until nothing is held without a request; fails if
   * something remains. A request that the stop cut off has no end, and may hold something.
   */
  static void stop(ConfigurableApplicationContext context) {
    if (context.isActive()) {
      LeftOver left = of(context);
      context.close();
      RunningGateway.awaiting().untilAsserted(left::assertNothingWithoutRequest);
    }
  }

  private void assertNothingWithoutRequest() {
    for (Endpoint endpoint : endpoints) {
      assertThat(endpoint.totals().withoutRequest()).as("without a request").isZero();
    }
    if (endpoints.stream().allMatch(LeftOver::isEmpty)) {
      assertNothingHeld();
    }
  }

  private static boolean isEmpty(Endpoint endpoint) {
    EndpointTotals totals = endpoint.totals();
    return totals.requests(TicketFate.WAITING) == 0 && totals.requests(TicketFate.RUNNING) == 0;
  }

  private void assertNothingHeld() {
    long now = ticker.nanos();
    for (Upstream upstream : upstreams) {
      upstream
          .pools()
          .forEach(
              (pool, quota) -> {
                for (MeteredLimit metered : quota.limits()) {
                  assertThat(metered.limit().balance(now).reserved())
                      .as("held of %s %s", upstream, pool)
                      .isZero();
                }
              });
    }
  }

  /** Fails unless nothing is left and all requests are accounted for. */
  void assertBalance() {
    endpoints.forEach(LeftOver::assertBalance);
    assertNothingHeld();
  }

  private static void assertBalance(Endpoint endpoint) {
    EndpointTotals endpointTotals = endpoint.totals();
    assertThat(endpointTotals.withoutRequest()).as("without a request").isZero();
    assertThat(endpointTotals.requests(TicketFate.WAITING)).as("waiting").isZero();
    assertThat(endpointTotals.requests(TicketFate.RUNNING)).as("running").isZero();
    long requests = 0;
    long tokens = 0;
    long bytes = 0;
    for (TicketFate fate : TicketFate.values()) {
      if (fate != TicketFate.OFFERED) {
        requests += endpointTotals.requests(fate);
        tokens += endpointTotals.tokens(fate);
        bytes += endpointTotals.bytes(fate);
      }
    }
    assertThat(requests).as("requests").isEqualTo(endpointTotals.requests(TicketFate.OFFERED));
    assertThat(tokens).as("tokens").isEqualTo(endpointTotals.tokens(TicketFate.OFFERED));
    assertThat(bytes).as("bytes").isEqualTo(endpointTotals.bytes(TicketFate.OFFERED));
    assertThat(
            endpointTotals.tokens(TicketFate.WAITING) + endpointTotals.tokens(TicketFate.RUNNING))
        .isZero();
    assertThat(endpointTotals.bytes(TicketFate.WAITING) + endpointTotals.bytes(TicketFate.RUNNING))
        .isZero();
  }
}
