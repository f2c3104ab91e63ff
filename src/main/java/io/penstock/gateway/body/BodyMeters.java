package io.penstock.gateway.body;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.refusal.RefusalReason;
import java.util.function.ToDoubleFunction;

/** Registers the meters of the body budget. */
public final class BodyMeters {
  private BodyMeters() {}

  public static void register(BodyBudget bodies, MeterRegistry meters) {
    gauge(meters, bodies, "bytes", "Bytes of bodies in memory", BodyBudget::heldBytes);
    gauge(meters, bodies, "limit.bytes", "The most they may be", BodyBudget::mostBytes);
    gauge(meters, bodies, "parked.bytes", "Those that wait in queues", BodyBudget::parkedBytes);
    gauge(meters, bodies, "waiting", "Bodies that wait to be read", BodyBudget::waiting);
    gauge(meters, bodies, "waiting.bytes", "The room they wait for", BodyBudget::waitingBytes);
    counter(meters, bodies, RefusalReason.BODY_TIMEOUT, BodyBudget::late);
    counter(meters, bodies, RefusalReason.QUEUE_FULL, BodyBudget::notParked);
  }

  private static void gauge(
      MeterRegistry meters,
      BodyBudget bodies,
      String name,
      String description,
      ToDoubleFunction<BodyBudget> value) {
    Gauge.builder("penstock.body." + name, bodies, value).description(description).register(meters);
  }

  private static void counter(
      MeterRegistry meters,
      BodyBudget bodies,
      RefusalReason refusalReason,
      ToDoubleFunction<BodyBudget> count) {
    FunctionCounter.builder("penstock.body.refused", bodies, count)
        .description("Requests that were refused because of how their body came, or for its size")
        .tag("reason", refusalReason.code())
        .register(meters);
  }
}
