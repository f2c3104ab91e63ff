package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.cost.Cost;
import io.penstock.event.Event;
import io.penstock.fake.MetricsScrape;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceExemplarsTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  private final TraceExemplars exemplars = new TraceExemplars();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(
          PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM, exemplars);
  private final GatewayMeters gatewayMeters =
      new Metered().meters(registry, List.of(Metered.endpoint("/a")), exemplars);

  private MetricsScrape scrape(String accept) {
    return MetricsScrape.parse(registry.scrape(accept));
  }

  private static List<String> of(MetricsScrape metricsScrape, String name) {
    return metricsScrape.of(name).stream()
        .map(MetricsScrape.Sample::exemplar)
        .filter(e -> !e.isEmpty())
        .toList();
  }

  private void goesAndIsServed(long ticket) {
    Cost cost = Cost.ofInput(1);
    gatewayMeters.publish(new Event.Released(0, "/a", ticket, null, null, cost, 2_000_000_000L));
    gatewayMeters.publish(new Event.Served(0, "/a", ticket));
  }

  @Test
  void ticketThatIsTraced_isTheExampleOfItsWaitAndItsEnd_inOpenMetricsAlone() {
    exemplars.begun(7, TRACE, SPAN);
    goesAndIsServed(7);
    MetricsScrape open = scrape(MetricsScrape.OPEN_METRICS);
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
    assertThat(scrape(MetricsScrape.OPEN_METRICS).text()).doesNotContain(TRACE);
  }

  @Test
  void moreTracedTicketsThanAreKept_areNoExamples() {
    for (long ticket = 0; ticket < TraceExemplars.MOST; ticket++) {
      exemplars.begun(ticket, "another", SPAN);
    }
    exemplars.begun(TraceExemplars.MOST, TRACE, SPAN);
    goesAndIsServed(TraceExemplars.MOST);
    assertThat(scrape(MetricsScrape.OPEN_METRICS).text()).doesNotContain(TRACE);
  }
}
