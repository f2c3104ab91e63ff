package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.Algorithm;
import io.penstock.endpoint.CostFrom;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.Registry;
import io.penstock.event.Event;
import io.penstock.fake.FakeDrivers;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.Scrape;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Bounds;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.ModelQuotas;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExemplarsTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  private final Exemplars exemplars = new Exemplars();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(
          PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM, exemplars);
  private final FakeTicker ticker = new FakeTicker();
  private final LocalLimitSource limits = new LocalLimitSource();
  private final Upstreams upstreams = new Upstreams(limits, TimeUnit.MINUTES.toNanos(1));
  private final Registry endpoints =
      new Registry(
          new Endpoint.House(
              upstreams,
              new ModelQuotas(limits, 60_000_000_000L),
              limits,
              ticker,
              new FakeDrivers(ticker),
              event -> {},
              new AtomicLong()));
  private final Meters meters = started();

  private Meters started() {
    EndpointSpec spec =
        new EndpointSpec(
            "/a",
            "/a",
            Algorithm.NONE,
            new LimitSpec.Unlimited(),
            EndpointSpec.Scheduling.fifo(64),
            EndpointSpec.Waiting.of(new Bounds(10, 1_000, 1_000), 0, 0),
            new EndpointSpec.Reading(Dialect.NONE, CostFrom.QUERY, 1, 0, 1_000, false),
            EndpointSpec.Descendants.SERVED,
            false,
            true,
            List.of(),
            Map.of());
    endpoints.apply(List.of(spec));
    return new Meters(registry, endpoints, upstreams, ticker, exemplars);
  }

  private Scrape scrape(String accept) {
    return Scrape.parse(registry.scrape(accept));
  }

  private static List<String> of(Scrape scrape, String name) {
    return scrape.of(name).stream().map(Scrape.Sample::exemplar).filter(e -> !e.isEmpty()).toList();
  }

  private void goesAndIsServed(long ticket) {
    Cost cost = Cost.ofInput(1);
    meters.publish(new Event.Released(0, "/a", ticket, null, null, cost, 2_000_000_000L));
    meters.publish(new Event.Served(0, "/a", ticket));
  }

  @Test
  void ticketThatIsTraced_isTheExampleOfItsWaitAndItsEnd_inOpenMetricsAlone() {
    exemplars.begun(7, TRACE, SPAN);
    goesAndIsServed(7);
    Scrape open = scrape(Scrape.OPEN_METRICS);
    assertThat(of(open, "penstock_wait_seconds_bucket"))
        .singleElement()
        .asString()
        .contains("trace_id=\"" + TRACE + "\"", "span_id=\"" + SPAN + "\"");
    assertThat(of(open, "penstock_tickets_total")).hasSize(1);
    assertThat(scrape("text/plain").text()).doesNotContain(TRACE);
  }

  @Test
  void ticketThatIsNotTraced_orNoMore_isNoExample() {
    exemplars.begun(7, TRACE, SPAN);
    exemplars.ended(7);
    goesAndIsServed(7);
    goesAndIsServed(8);
    assertThat(scrape(Scrape.OPEN_METRICS).text()).doesNotContain(TRACE);
  }

  @Test
  void moreTracedTicketsThanAreKept_areNoExamples() {
    for (long ticket = 0; ticket < Exemplars.MOST; ticket++) {
      exemplars.begun(ticket, "another", SPAN);
    }
    exemplars.begun(Exemplars.MOST, TRACE, SPAN);
    goesAndIsServed(Exemplars.MOST);
    assertThat(scrape(Scrape.OPEN_METRICS).text()).doesNotContain(TRACE);
  }
}
