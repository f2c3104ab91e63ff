package io.penstock.operator;

import io.penstock.config.ConfigurationReloader;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.EventBus;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Routes of the console, and of the data that only the console reads. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class ConsoleConfiguration {
  @Bean
  InstanceView instanceView(
      SharingView sharing,
      SharingPeers sharingPeers,
      ApplicationAvailability availability,
      ConfigurationReloader reloader,
      Ticker ticker) {
    return new InstanceView(
        sharing,
        sharingPeers,
        () -> availability.getReadinessState() == ReadinessState.REFUSING_TRAFFIC,
        reloader,
        ticker,
        WallClock.system());
  }

  @Bean
  LiveStream liveStream(
      EndpointRegistry registry,
      UpstreamRegistry upstreamRegistry,
      EventBus events,
      SharingView sharing,
      InstanceView instance,
      ConfigurationReloader reloader,
      Ticker ticker) {
    RecentWaits recentWaits = new RecentWaits();
    UpstreamsHandler providers = new UpstreamsHandler(upstreamRegistry, ticker, WallClock.system());
    EndpointsHandler endpoints =
        new EndpointsHandler(registry, upstreamRegistry, reloader, ticker, WallClock.system());
    LiveRows rows = new LiveRows(registry, endpoints, recentWaits, sharing, ticker);
    LiveChanges liveChanges =
        new LiveChanges(rows::rows, () -> OperatorJson.text(providers.views()), instance::json);
    return new LiveStream(liveChanges, recentWaits, events);
  }

  /** Ordered before the operator routes, because their last route matches everything. */
  @Bean
  @Order(0)
  RouterFunction<ServerResponse> consoleRoutes(LiveStream live) {
    return RouterFunctions.route()
        .GET("/live", live::open)
        .path("/live", () -> ProblemAnswer.only("GET"))
        .add(ConsolePage.routes())
        .build();
  }
}
