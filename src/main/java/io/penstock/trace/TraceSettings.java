package io.penstock.trace;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * Settings for sending traces.
 *
 * @param endpoint accepts OTLP as protobuf over HTTP
 * @param headers sent along; secret
 * @param timeout for one batch of spans, including retries; more than 0
 * @param share fraction of the traces begun here that are sampled, 0 to 1; for other traces the
 *     caller has decided
 * @param service the name of this program
 */
public record TraceSettings(
    URI endpoint, Map<String, String> headers, Duration timeout, double share, String service) {
  @Override
  public String toString() {
    return "TraceSettings[" + endpoint.getHost() + "]";
  }
}
