package io.penstock.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.event.EventBus;
import io.penstock.fake.FakeDrivers;
import io.penstock.fake.FakeTicker;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.sharing.LocalLimitSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Endpoints with meters, on a clock that the test moves. */
final class Metered {
  private static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

  final FakeTicker ticker = new FakeTicker();
  final FakeDrivers drivers = new FakeDrivers(ticker);
  final EventBus events = new EventBus();
  final UpstreamRegistry upstreams;
  final EndpointRegistry endpoints;

  Metered() {
    LocalLimitSource limits = new LocalLimitSource();
    upstreams = UpstreamFixture.registry(limits, WINDOW);
    endpoints =
        new EndpointRegistry(
            EndpointFixture.services(
                upstreams, new ModelQuotas(limits, WINDOW), limits, ticker, drivers, events));
  }

  /** Returns meters for these endpoints; further events must be published by the test. */
  GatewayMeters meters(MeterRegistry registry, List<EndpointSpec> specs) {
    endpoints.apply(specs);
    return new GatewayMeters(registry, endpoints, upstreams, ticker, null);
  }

  /** The same, with exemplars. */
  GatewayMeters meters(
      MeterRegistry registry, List<EndpointSpec> specs, TraceExemplars traceExemplars) {
    endpoints.apply(specs);
    return new GatewayMeters(registry, endpoints, upstreams, ticker, traceExemplars);
  }

  /** An endpoint without a limit of its own. */
  static EndpointSpec endpoint(String path, String... upstreams) {
    return EndpointFixture.none(path)
        .bounds(10, 1_000, 1_000)
        .reading(EndpointSetup.reading(DialectTable.NONE, CostSource.QUERY, 1, 0, 1_000))
        .to(Stream.of(upstreams).map(Metered::upstream).toList())
        .spec();
  }

  /** An upstream with ten requests a window. */
  private static UpstreamSpec upstream(String id) {
    return UpstreamSetup.of(id).limits(10, 0, 0, 0).spec();
  }
}
