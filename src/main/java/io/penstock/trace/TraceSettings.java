package io.penstock.trace;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * Where traces go.
 *
 * @param endpoint takes OTLP as protobuf over HTTP
 * @param headers sent along; secret
 * @param timeout for one batch of spans, sent again or not; more than 0
 * @param share of traces that begin here and are kept, 0 to 1; others are as whoever began them
 *     says
 * @param service the name of this program
 */
public record TraceSettings(
    URI endpoint, Map<String, String> headers, Duration timeout, double share, String service) {
  @Override
  public String toString() {
    return "TraceSettings[" + endpoint.getHost() + "]";
  }
}
