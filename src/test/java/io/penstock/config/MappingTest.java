package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Descendants;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueOrder;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Results of words, and of combinations of settings. */
class MappingTest {
  @TempDir Path directory;

  private EndpointSpec endpoint(String... lines) {
    return new Routes(directory).endpoint(lines);
  }

  @ParameterizedTest
  @CsvSource({
    "rate: 4, rps, 2, 8, 2000000000",
    "rate: 20, rpm, 60, 20, 60000000000",
    // In doubles, 0.57 × 100 is 56.99999999999999.
    "rate: 0.57, rps, 100, 57, 100000000000",
    "rate: 0.1, rps, 30, 3, 30000000000",
    "rate: 0.999999999, rps, 1, 1, 1000000000",
    "rate: 1.99999999, rps, 1, 1, 1000000000",
    "rate: 100, rpm, 1, 1, 1000000000",
    "rate: 3, rps, 0.5, 1, 500000000",
    "rate: 1000000, rps, 1, 1000000, 1000000000"
  })
  void slidingWindow_rateAndLength_holdsTheWholePartOfTheirProductAndAtLeastOne(
      String rate, String unit, String seconds, long capacity, long windowNanos) {
    assertThat(
            endpoint(
                    "algorithm: sliding_window",
                    rate,
                    "unit: " + unit,
                    "window_seconds: " + seconds)
                .limit())
        .isEqualTo(new LimitSpec.SlidingWindow(capacity, windowNanos));
  }

  @Test
  void slidingWindow_withoutLength_isASecond() {
    EndpointSpec endpoint = endpoint("algorithm: sliding_window", "rate: 5");
    assertThat(endpoint.limit()).isEqualTo(new LimitSpec.SlidingWindow(5, 1_000_000_000));
    assertThat(endpoint.entry().shown()).containsEntry("window_seconds", 1L);
  }

  @Test
  void windowAndBurst_ofOtherAlgorithms_areShownWhenSetAlone() {
    assertThat(endpoint().entry().shown()).doesNotContainKeys("window_seconds", "burst_size");
    assertThat(endpoint("algorithm: token_bucket").entry().shown())
        .containsEntry("burst_size", 1L)
        .doesNotContainKey("window_seconds");
    EndpointSpec strict = endpoint("window_seconds: 5", "burst_size: 3");
    assertThat(strict.limit()).isEqualTo(new LimitSpec.Strict(new ExactRate(1, 1), 0));
    assertThat(strict.entry().shown())
        .containsEntry("window_seconds", 5L)
        .containsEntry("burst_size", 3L);
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void scheduler_byItsName_isThatOrder(QueueOrder queueOrder) {
    String name = queueOrder.name().toLowerCase(java.util.Locale.ROOT);
    EndpointSpec endpoint = endpoint("scheduler: " + name);
    assertThat(endpoint.scheduling().order()).isEqualTo(queueOrder);
    assertThat(endpoint.entry().shown()).containsEntry("scheduler", name);
  }

  @ParameterizedTest
  @EnumSource(value = LimitAlgorithm.class, names = "TOKEN_WINDOW", mode = EnumSource.Mode.EXCLUDE)
  void everySettingOfOtherAlgorithms_inDefaults_isAcceptedInheritedAndShown(
      LimitAlgorithm limitAlgorithm) {
    String file =
        "defaults: {rate: 2, burst_size: 7, window_seconds: 9, tokens_per_window: 5,"
            + " latency_compensation: 3}\n"
            + Routes.endpointFile("algorithm: " + limitAlgorithm.text());
    EndpointSpec endpoint =
        new Routes(directory).write("a.yaml", file).good(Map.of()).endpoints().getFirst();
    assertThat(endpoint.algorithm()).isEqualTo(limitAlgorithm);
    assertThat(endpoint.entry().shown())
        .containsEntry("rate", 2L)
        .containsEntry("burst_size", 7L)
        .containsEntry("window_seconds", 9L)
        .containsEntry("tokens_per_window", 5L)
        .containsEntry("latency_compensation", 3L);
  }

  @Test
  void fairBy_eachForm_isWhatItSays() {
    assertThat(endpoint("fair_by: key").scheduling().fairBy()).isEqualTo(new FairBy.Key());
    assertThat(endpoint("fair_by: body:user").scheduling().fairBy())
        .isEqualTo(new FairBy.BodyUser());
    assertThat(endpoint("fair_by: 'header:x-tenant'").scheduling().fairBy())
        .isEqualTo(new FairBy.Header("x-tenant"));
  }

  @Test
  void fairByBodyUser_withoutDialect_isAcceptedUnlessItIsUsed() {
    assertThat(endpoint("fair_by: body:user", "scheduler: fifo").scheduling().order())
        .isEqualTo(QueueOrder.FIFO);
    assertThat(
            endpoint("fair_by: body:user", "scheduler: fair", "dialect: openai")
                .scheduling()
                .fairBy())
        .isEqualTo(new FairBy.BodyUser());
  }

  @Test
  void priorityAging_zero_isOff() {
    assertThat(endpoint("priority_aging_seconds: 0").scheduling().agingNanos()).isZero();
  }

  @Test
  void maxBlocked_withReject_holdsNobodyAndIsShown() {
    EndpointSpec endpoint = endpoint("max_blocked: 5");
    assertThat(endpoint.waiting().maxBlocked()).isZero();
    assertThat(endpoint.entry().shown())
        .containsEntry("max_blocked", 5L)
        .containsEntry("overflow", "reject");
    assertThat(endpoint("max_blocked: 0").waiting().maxBlocked()).isZero();
  }

  @Test
  void queueTimeout_outsideRls_alsoEndsTheWait() {
    EndpointSpec endpoint = endpoint("queue_timeout: 5");
    assertThat(endpoint.waiting().estimateOnly()).isFalse();
    assertThat(endpoint.reading().parameters().lenient()).isFalse();
  }

  @Test
  void descendants_byDefault_areDynamicWithoutUpstreamsAlone() {
    assertThat(endpoint().entry().descendants()).isEqualTo(new Descendants(true, 1000));
    assertThat(endpoint("upstreams: [{id: u, url: 'http://u'}]").entry().descendants())
        .isEqualTo(new Descendants(false, 1000));
    assertThat(
            endpoint("dynamic: true", "upstreams: [{id: u, url: 'http://u'}]")
                .entry()
                .descendants())
        .isEqualTo(new Descendants(true, 1000));
  }

  @Test
  void maxDynamicEndpoints_ofOneFile_isThatOfItsEndpointsAlone() {
    ConfigurationSnapshot snapshot =
        new Routes(directory)
            .write("a.yaml", "defaults: {max_dynamic_endpoints: 7}\nendpoints: [{path: /a}]")
            .write("b.yaml", "endpoints: [{path: /b}]")
            .write("c.yaml", "defaults: {max_dynamic_endpoints: 0}\nendpoints: [{path: /c}]")
            .good(Map.of());
    assertThat(snapshot.endpoints())
        .extracting(endpoint -> endpoint.entry().descendants().most())
        .containsExactly(7, 1000, 0);
  }

  @Test
  void configuredPath_ofAnEndpointInAFile_isItsOwn() {
    assertThat(endpoint().isDynamic()).isFalse();
  }
}
