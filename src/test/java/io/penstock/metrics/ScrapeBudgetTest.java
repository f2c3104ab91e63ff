package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ScrapeBudgetTest {
  @Test
  void room_isTakenToTheLastByte_andGivenBack() {
    ScrapeBudget scrapeBudget = new ScrapeBudget(10);
    assertThat(scrapeBudget.take(6)).isTrue();
    assertThat(scrapeBudget.take(5)).isFalse();
    assertThat(scrapeBudget.take(4)).isTrue();
    assertThat(scrapeBudget.take(1)).isFalse();
    scrapeBudget.give(4);
    assertThat(scrapeBudget.take(4)).isTrue();
  }

  @Test
  void endlessRoom_neverEnds() {
    assertThat(ScrapeBudget.ENDLESS.take(Long.MAX_VALUE)).isTrue();
    assertThat(ScrapeBudget.ENDLESS.take(Long.MAX_VALUE)).isTrue();
  }

  @Test
  void line_isNoLongerThanWasTaken_whateverItsLabelsAre() {
    Tags tags = Tags.of("endpoint", "/\"\\é\n\u202e" + "x".repeat(100), "outcome", "served");
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Counter.builder("penstock.tickets").tags(tags).register(registry).increment(1.2345678e12);
    String line =
        Arrays.stream(registry.scrape().split("\n"))
            .filter(each -> each.startsWith("penstock"))
            .findFirst()
            .orElseThrow();
    long bytes = line.getBytes(java.nio.charset.StandardCharsets.UTF_8).length + 1L;
    assertThat(bytes).isLessThanOrEqualTo(ScrapeBudget.lines(1, "penstock.tickets", tags));
  }
}
