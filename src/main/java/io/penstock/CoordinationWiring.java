package io.penstock;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.MemoryCoordination;
import io.penstock.coordination.ObjectBounds;
import io.penstock.park.SchedulerAlarm;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisPlace;
import io.penstock.redis.coordination.RedisCoordination;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import org.jspecify.annotations.Nullable;

/** Creates the coordination objects of this instance, alone or shared through Redis. */
final class CoordinationWiring {
  private CoordinationWiring() {}

  /**
   * Returns the coordination of this instance, with its meters.
   *
   * @param place where objects are shared with other instances; null when this one is alone
   */
  static CoordinationService open(
      ObjectBounds bounds, @Nullable RedisPlace place, Ticker ticker, MeterRegistry meters) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-coordination", ticker);
    CoordinationService coordinationService =
        place == null
            ? new MemoryCoordination(bounds, ticker, WallClock.system(), alarm)
            : shared(bounds, place, alarm, ticker, meters);
    Gauge.builder(
            "penstock.coordination.waiters", coordinationService, CoordinationService::waiting)
        .description("Programs that wait at objects of the coordination API")
        .register(meters);
    Gauge.builder(
            "penstock.coordination.objects", coordinationService, CoordinationService::objects)
        .description("Objects of the coordination API")
        .register(meters);
    Gauge.builder("penstock.coordination.bytes", coordinationService, CoordinationService::bytes)
        .baseUnit("bytes")
        .description("Memory that objects of the coordination API may take")
        .register(meters);
    return coordinationService;
  }

  private static CoordinationService shared(
      ObjectBounds bounds,
      RedisPlace place,
      SchedulerAlarm alarm,
      Ticker ticker,
      MeterRegistry meters) {
    RedisLink link =
        new RedisLink(place.address(), place.trust(), RedisCoordination.TIMEOUT_MILLIS, ticker);
    SchedulerAlarm beats = new SchedulerAlarm("penstock-coordination-beats", ticker);
    RedisCoordination shared =
        new RedisCoordination(
            link, place.namespace(), LimitWiring.member(), bounds, ticker, alarm, beats);
    LimitWiring.meter(
        meters,
        "coordination",
        () -> {
          RedisCoordination.Figures figures = shared.figures();
          return new LimitWiring.Shown(
              figures.answered(), figures.answeredNanos(), LimitWiring.errors(shared.troubles()));
        });
    shared.start();
    return shared;
  }
}
