package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PromQlTest {
  private static final MetricsScrape SCRAPE =
      MetricsScrape.parse(
          """
          # TYPE a_total counter
          a_total{kind="x",path="/"} 1.0
          # TYPE b_seconds histogram
          b_seconds_bucket{le="+Inf"} 2
          """);

  private static List<String> faults(String expression) {
    return PromQl.of(expression).faults(SCRAPE);
  }

  @Test
  void whatIsThere_hasNoFault() {
    assertThat(faults("sum by (path) (rate(a_total{kind=\"x\", path=~\"$p\"}[5m])) / 1e3 > 0.5"))
        .isEmpty();
    assertThat(faults("histogram_quantile(0.9, sum by (le) (rate(b_seconds_bucket[1m])))"))
        .isEmpty();
    assertThat(faults("count(a_total) < max_over_time(count(a_total)[1h:1m])")).isEmpty();
    assertThat(faults("sum by (instance) (a_total)")).isEmpty();
  }

  @Test
  void nameThatIsMisspelt_isAFault() {
    assertThat(faults("rate(a_totals[5m])")).containsExactly("no metric a_totals");
    assertThat(faults("a_total / b_second_bucket")).containsExactly("no metric b_second_bucket");
  }

  @Test
  void labelThatIsMisspelt_isAFault() {
    assertThat(faults("a_total{kin=\"x\"}")).contains("no label kin at a_total");
    assertThat(faults("a_total{kind=\"y\"}")).containsExactly("no kind is y at a_total");
    assertThat(faults("sum by (pat) (a_total)")).containsExactly("no label pat to go by");
    assertThat(faults("sum by (kind) (b_seconds_bucket)"))
        .containsExactly("no label kind to go by");
  }

  @Test
  void expressionWithoutAMetric_isAFault() {
    assertThatThrownBy(() -> PromQl.of("1 > 2")).hasMessageContaining("names no metric");
  }
}
