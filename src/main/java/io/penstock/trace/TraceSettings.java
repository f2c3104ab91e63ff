package io.penstock.trace;

import java.util.HashMap;
import java.util.Map;

/**
 * Settings of OpenTelemetry for sending traces.
 *
 * @param properties by the names of OpenTelemetry's Java system properties, such as {@code
 *     otel.exporter.otlp.endpoint}; some are secret
 */
public record TraceSettings(Map<String, String> properties) {
  /**
   * Defaults of this program. It measures itself with Micrometer, so OpenTelemetry sends neither
   * metrics nor logs. Values of attributes are bounded, because clients may send any length.
   */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "otel.traces.exporter", "otlp",
          "otel.exporter.otlp.protocol", "http/protobuf",
          "otel.traces.sampler", "parentbased_traceidratio",
          "otel.propagators", "tracecontext",
          "otel.attribute.value.length.limit", "512",
          "otel.bsp.max.queue.size", "4096",
          "otel.bsp.schedule.delay", "1000");

  private static final Map<String, String> FIXED =
      Map.of("otel.metrics.exporter", "none", "otel.logs.exporter", "none");

  /** Part of the traces begun here that are sampled, unless a sampler is named. */
  private static final String SHARE = "0.1";

  /** Returns the settings with {@code named} ones, and defaults for others. */
  public static TraceSettings of(Map<String, String> named) {
    Map<String, String> all = new HashMap<>(DEFAULTS);
    if (!named.containsKey("otel.traces.sampler")) {
      all.put("otel.traces.sampler.arg", SHARE);
    }
    if (!named.getOrDefault("otel.resource.attributes", "").contains("service.name=")) {
      all.put("otel.service.name", "penstock");
    }
    all.putAll(named);
    all.putAll(FIXED);
    return new TraceSettings(Map.copyOf(all));
  }

  @Override
  public String toString() {
    return "TraceSettings[]";
  }
}
