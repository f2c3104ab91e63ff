package io.penstock.metrics;

import static io.penstock.metrics.Metered.endpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.event.Event;
import io.penstock.pool.Addition;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.quota.Charge;
import io.penstock.quota.ProviderStatus;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GatewayMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Metered metered = new Metered();
  private final GatewayMeters gatewayMeters =
      metered.meters(registry, List.of(endpoint("/a", "u")));

  private static Event released(String endpoint, String upstream, @Nullable String model) {
    return new Event.Released(0, endpoint, 1, upstream, model, Cost.ofInput(7), 2_000_000_000L);
  }

  private static Event refused(String endpoint, RefusalReason refusalReason) {
    return new Event.Refused(0, endpoint, 1, Refusal.of(refusalReason, "no"));
  }

  private double counted(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }

  @Test
  void eachFate_isCountedUnderItsReason() {
    gatewayMeters.publish(new Event.Served(0, "/a", 1));
    gatewayMeters.publish(new Event.Cancelled(0, "/a", 1));
    gatewayMeters.publish(refused("/a", RefusalReason.QUEUE_FULL));
    gatewayMeters.publish(refused("/a", RefusalReason.QUEUE_FULL));
    gatewayMeters.publish(refused("/a", RefusalReason.BAD_REQUEST));
    Refusal late = Refusal.of(RefusalReason.QUEUE_TIMEOUT, "no");
    gatewayMeters.publish(new Event.Expired(0, "/a", 1, late));
    String name = "penstock.tickets";
    assertThat(counted(name, "outcome", "served", "reason", "none")).isEqualTo(1);
    assertThat(counted(name, "outcome", "cancelled", "reason", "none")).isEqualTo(1);
    assertThat(counted(name, "outcome", "refused", "reason", "queue_full")).isEqualTo(2);
    assertThat(counted(name, "outcome", "refused", "reason", "bad_request")).isEqualTo(1);
    assertThat(counted(name, "outcome", "expired", "reason", "queue_timeout")).isEqualTo(1);
  }

  @Test
  void shadows_areCountedUnderTheirReason_andWaitInAHistogramOfTheirOwn() {
    gatewayMeters.publish(new Event.Shadowed(0, "/a", 1, 2_000_000_000L, null));
    gatewayMeters.publish(new Event.Shadowed(0, "/a", 2, 3_000_000_000L, null));
    gatewayMeters.publish(
        new Event.Shadowed(0, "/a", 3, 9, Refusal.of(RefusalReason.QUEUE_FULL, "no")));
    String name = "penstock.tickets";
    assertThat(counted(name, "outcome", "shadowed", "reason", "none")).isEqualTo(2);
    assertThat(counted(name, "outcome", "shadowed", "reason", "queue_full")).isEqualTo(1);
    assertThat(registry.get("penstock.shadow.wait").timer().count()).isEqualTo(2);
    assertThat(registry.get("penstock.shadow.wait").timer().totalTime(TimeUnit.SECONDS))
        .isEqualTo(5);
    assertThat(registry.find("penstock.wait").timer()).isNull();
    metered.endpoints.apply(List.of());
    gatewayMeters.publish(new Event.Reloaded(0, true, "0 endpoints"));
    assertThat(registry.find("penstock.shadow.wait").timer()).isNull();
  }

  @Test
  void tokens_areCountedAtReleaseAndWhenSettled() {
    gatewayMeters.publish(released("/a", "u", "m"));
    gatewayMeters.publish(new Event.Settled(0, "/a", 1, "u", "m", 7, 12, 5));
    gatewayMeters.publish(new Event.Settled(0, "/a", 1, null, null, 7, 3, 0));
    String name = "penstock.tokens";
    assertThat(counted(name, "kind", "reserved", "upstream", "u", "model", "m")).isEqualTo(7);
    assertThat(counted(name, "kind", "used", "upstream", "u", "model", "m")).isEqualTo(12);
    assertThat(counted(name, "kind", "used", "upstream", "none", "model", "none")).isEqualTo(3);
    assertThat(counted("penstock.overrun.tokens", "upstream", "u")).isEqualTo(5);
    assertThat(registry.get("penstock.wait").timer().totalTime(TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void tokens_thatWereReserved_areUsedOrRefunded_andTheRestOfWhatIsUsedIsDebt() {
    gatewayMeters.publish(released("/a", "u", "m"));
    gatewayMeters.publish(new Event.Settled(0, "/a", 1, "u", "m", 7, 3, 0));
    gatewayMeters.publish(released("/a", "u", "m"));
    gatewayMeters.publish(new Event.Settled(0, "/a", 2, "u", "m", 7, 12, 5));
    gatewayMeters.publish(released("/a", "u", "m"));
    gatewayMeters.publish(new Event.Returned(0, "/a", 3, "u", "m", 7));
    String name = "penstock.tokens";
    assertThat(counted(name, "kind", "reserved")).isEqualTo(21);
    assertThat(counted(name, "kind", "used")).isEqualTo(15);
    assertThat(counted(name, "kind", "refunded")).isEqualTo(4 + 7);
    assertThat(counted(name, "kind", "debt")).isEqualTo(5);
  }

  private static Event called(
      Dialect dialect, @Nullable String error, @Nullable TokenUsage tokenUsage) {
    ModelOperation modelOperation =
        dialect.equals(DialectTable.GEMINI) ? ModelOperation.GENERATION : ModelOperation.CHAT;
    return new Event.Called(
        0, "/a", "u", "m", dialect, modelOperation, 2_000_000_000L, tokenUsage, error);
  }

  @Test
  void firstOutputOfAStream_isMeasuredByUpstreamAndModel() {
    for (String upstream : List.of("u", "u", "v")) {
      gatewayMeters.publish(
          new Event.FirstOutput(
              0, "/a", upstream, "m", DialectTable.AZURE, ModelOperation.CHAT, 300_000_000L));
    }
    gatewayMeters.publish(
        new Event.FirstOutput(
            0, "/a", "u", "m", DialectTable.NONE, ModelOperation.CHAT, 300_000_000L));
    Timer timer =
        registry
            .get("gen_ai.client.operation.time_to_first_chunk")
            .tags("gen_ai.operation.name", "chat", "gen_ai.request.model", "m")
            .tags("gen_ai.provider.name", "azure.ai.openai", "upstream", "u")
            .timer();
    assertThat(timer.count()).isEqualTo(2);
    assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(600);
  }

  @Test
  void calls_areMeasuredInTheWordsOfOpenTelemetry() {
    gatewayMeters.publish(called(DialectTable.GEMINI, null, new TokenUsage(30, 10, 7)));
    gatewayMeters.publish(called(DialectTable.AZURE, "503", null));
    gatewayMeters.publish(called(DialectTable.AZURE, "what a client made up", null));
    gatewayMeters.publish(called(DialectTable.NONE, null, new TokenUsage(30, 10, 7)));
    assertThat(
            registry
                .get("gen_ai.client.token.usage")
                .tags("gen_ai.operation.name", "generate_content")
                .tags("gen_ai.provider.name", "gcp.gemini", "gen_ai.request.model", "m")
                .tags("gen_ai.token.type", "output")
                .summary()
                .totalAmount())
        .isEqualTo(7);
    assertThat(duration("503").totalTime(TimeUnit.SECONDS)).isEqualTo(2);
    assertThat(duration("_OTHER").count()).isEqualTo(1);
    assertThat(duration("").count()).isEqualTo(1);
    assertThat(registry.find("gen_ai.client.token.usage").summaries())
        .as("none where an answer says nothing")
        .hasSize(2);
  }

  private Timer duration(String error) {
    return registry.get("gen_ai.client.operation.duration").tags("error.type", error).timer();
  }

  @Test
  void estimate_isRecordedAsWhatWasUsedForEachTokenThatWasExpected() {
    gatewayMeters.publish(new Event.Estimated(0, "/a", "m", 100, 110));
    gatewayMeters.publish(new Event.Estimated(0, "/a", "m", 100, 90));
    gatewayMeters.publish(new Event.Estimated(0, "/a", "m", 0, 90));
    var ratio = registry.get("penstock.estimate.error.ratio").tags("model", "m").summary();
    assertThat(ratio.count()).isEqualTo(2);
    assertThat(ratio.totalAmount()).isCloseTo(2, within(1e-9));
    assertThat(ratio.max()).isCloseTo(1.1, within(1e-9));
  }

  @Test
  void parametersThatWereNotRead_areCountedByTheirNames_untilTheEndpointIsGone() {
    gatewayMeters.publish(new Event.ParametersIgnored(0, "/a", List.of("?timeout", "X-Priority")));
    gatewayMeters.publish(new Event.ParametersIgnored(0, "/a", List.of("X-Priority")));
    gatewayMeters.publish(new Event.ParametersIgnored(0, "/gone", List.of("X-Priority")));
    String name = "penstock.parameters.ignored";
    assertThat(counted(name, "endpoint", "/a", "parameter", "?timeout")).isEqualTo(1);
    assertThat(counted(name, "endpoint", "/a", "parameter", "X-Priority")).isEqualTo(2);
    assertThat(registry.find(name).counters()).hasSize(2);
    metered.endpoints.apply(List.of());
    gatewayMeters.publish(new Event.Reloaded(0, true, "0 endpoints"));
    assertThat(registry.find(name).counters()).isEmpty();
  }

  @Test
  void moreModelsThanLabels_areOneTogether() {
    for (int each = 0; each < GatewayMeters.MAX_MODELS + 10; each++) {
      upstream().pool("m" + each, 0);
      gatewayMeters.publish(released("/a", "u", "m" + each));
    }
    int labels = GatewayMeters.MAX_MODELS + 1;
    assertThat(registry.find("penstock.tokens").tag("kind", "used").counters()).hasSize(labels);
    assertThat(registry.find("penstock.utilization").tag("scope", "local").gauges())
        .hasSize(labels);
    assertThat(registry.find("penstock.utilization").tag("scope", "global").gauges())
        .hasSize(labels);
    assertThat(counted("penstock.tokens", "kind", "reserved", "model", "other")).isEqualTo(70);
  }

  @Test
  void utilization_isThatOfThePool_andOfTheFullestOfAllOthers() {
    for (int each = 0; each <= GatewayMeters.MAX_MODELS; each++) {
      gatewayMeters.publish(released("/a", "u", "m" + each));
    }
    take("m0", 3);
    take("m" + GatewayMeters.MAX_MODELS, 4);
    take("unseen", 5);
    assertThat(utilization("m0")).isCloseTo(0.3, within(1e-9));
    assertThat(utilization("m1")).isEqualTo(0);
    assertThat(utilization("other")).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void upstream_showsThrottlingDriftAndHealth() {
    gatewayMeters.publish(released("/a", "u", "m"));
    List<Charge> charges = new ArrayList<>();
    Quota pool = upstream().pool("m", 0);
    pool.take(Cost.NO_TOKENS, 0, charges);
    List<ProviderStatus> standings =
        List.of(new ProviderStatus(LimitMeasure.REQUESTS, 8, 5, 1_000_000_000L));
    assertThat(drift("requests")).isNaN();
    pool.learn(standings, charges, 0);
    AttemptHistory first = UpstreamFixture.attempt("m", 1, 0);
    upstream()
        .judge(first, new ProviderLesson(429, standings, 0, ProviderLesson.ErrorCause.RATE), 0);
    assertThat(drift("requests")).isCloseTo((9 - 5) / 8.0, within(1e-9));
    assertThat(drift("tokens")).isNaN();
    assertThat(
            registry
                .get("penstock.upstream.throttled")
                .tags("upstream", "u", "model", "m")
                .functionCounter()
                .count())
        .isEqualTo(1);
    assertThat(healthy()).isEqualTo(1);
    upstream()
        .judge(first, new ProviderLesson(429, List.of(), -1, ProviderLesson.ErrorCause.SPENT), 0);
    assertThat(healthy()).isZero();
    assertThat(gauge("penstock.upstream.account.refused")).isOne();
    upstream().retry();
    assertThat(gauge("penstock.upstream.account.refused")).isZero();
    upstream().judge(first, ProviderLesson.silent(200), 0);
    assertThat(gauge("penstock.upstream.models.lost")).isZero();
    upstream()
        .judge(
            first,
            new ProviderLesson(404, List.of(), -1, ProviderLesson.ErrorCause.MODEL_NOT_FOUND),
            0);
    assertThat(gauge("penstock.upstream.models.lost")).isOne();
    assertThat(healthy()).isEqualTo(1);
  }

  @Test
  void usageThatAnUpstreamRefuses_isCountedByModel() {
    gatewayMeters.publish(released("/a", "u", "m"));
    gatewayMeters.publish(released("/a", "u", "n"));
    for (Addition each : List.of(Addition.STREAM_USAGE, Addition.MAX_TOKENS, Addition.TRACE)) {
      AttemptHistory without = UpstreamFixture.without("m", each);
      upstream().judge(without, ProviderLesson.silent(200), 0);
      upstream().judge(without, ProviderLesson.silent(200), 0);
    }
    assertThat(refusals("m")).isEqualTo(1);
    assertThat(refusals("n")).isZero();
    assertThat(
            registry
                .get("penstock.upstream.addition.refused")
                .tags("upstream", "u")
                .functionCounter()
                .count())
        .isEqualTo(3);
  }

  private double refusals(String model) {
    return registry
        .get("penstock.upstream.usage.refused")
        .tags("upstream", "u", "model", model)
        .functionCounter()
        .count();
  }

  private double drift(String measure) {
    return registry
        .get("penstock.upstream.drift.ratio")
        .tags("upstream", "u", "model", "m", "measure", measure)
        .gauge()
        .value();
  }

  private double healthy() {
    return gauge("penstock.upstream.healthy");
  }

  private double gauge(String name) {
    return registry.get(name).tag("upstream", "u").gauge().value();
  }

  private Upstream upstream() {
    return Objects.requireNonNull(metered.upstreams.find("u"));
  }

  private void take(String model, int requests) {
    for (int each = 0; each < requests; each++) {
      upstream().pool(model, 0).take(Cost.NO_TOKENS, 0, new ArrayList<>());
    }
  }

  private double utilization(String model) {
    return registry
        .get("penstock.utilization")
        .tags("model", model, "scope", "local")
        .gauge()
        .value();
  }

  @Test
  void reload_removesWhatIsGone_andLateEventsBringNothingBack() {
    gatewayMeters.publish(released("/a", "u", "m"));
    metered.endpoints.apply(List.of(endpoint("/b", "v")));
    gatewayMeters.publish(refused("/a", RefusalReason.ENDPOINT_REMOVED));
    gatewayMeters.publish(new Event.Reloaded(0, true, "1 endpoint"));
    gatewayMeters.publish(refused("/a", RefusalReason.ENDPOINT_REMOVED));
    gatewayMeters.publish(released("/a", "u", "m2"));
    gatewayMeters.publish(refused("/b/below", RefusalReason.QUEUE_FULL));
    assertThat(registry.getMeters())
        .extracting(Meter::getId)
        .noneMatch(id -> "/a".equals(id.getTag("endpoint")))
        .noneMatch(id -> "/b/below".equals(id.getTag("endpoint")))
        .noneMatch(id -> "u".equals(id.getTag("upstream")))
        .anyMatch(id -> "/b".equals(id.getTag("endpoint")));
    assertThat(counted("penstock.config.reloads", "result", "applied")).isEqualTo(1);
  }

  @Test
  void refusedReload_isCounted_andChangesNothing() {
    gatewayMeters.publish(new Event.Reloaded(0, false, "a fault"));
    assertThat(counted("penstock.config.reloads", "result", "refused")).isEqualTo(1);
    assertThat(registry.find("penstock.queue.depth").tag("endpoint", "/a").gauge()).isNotNull();
  }

  @Test
  void endpointOfTheSamePathAsOneBefore_showsItsOwnQueue() {
    metered.endpoints.apply(List.of());
    gatewayMeters.publish(new Event.Reloaded(0, true, "0 endpoints"));
    metered.endpoints.apply(List.of(endpoint("/a", "u")));
    // The endpoint works before its reload is reported.
    gatewayMeters.publish(new Event.Served(0, "/a", 1));
    gatewayMeters.publish(new Event.Reloaded(0, true, "1 endpoint"));
    assertThat(counted("penstock.tickets", "endpoint", "/a", "outcome", "served")).isEqualTo(1);
  }
}
