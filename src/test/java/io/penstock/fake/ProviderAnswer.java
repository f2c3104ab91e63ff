package io.penstock.fake;

import java.util.Map;

/**
 * An answer of a fake provider.
 *
 * @param latencyMillis from the request to the answer's first byte
 * @param pieces number of pieces of the body; 1 means at once
 * @param durationMillis from the first byte to the last
 */
record ProviderAnswer(
    int status,
    String contentType,
    Map<String, String> headers,
    String body,
    int latencyMillis,
    int pieces,
    int durationMillis) {
  static final String JSON = "application/json";
  static final String SSE = "text/event-stream";

  static ProviderAnswer refusal(String body) {
    return new ProviderAnswer(429, JSON, Map.of("retry-after", "1"), body, 0, 1, 0);
  }
}
