package io.penstock.trace;

import org.springframework.http.HttpHeaders;

/** Follows requests through the gateway. Safe from any thread. */
@FunctionalInterface
public interface Tracing {
  /**
   * Begins to follow one.
   *
   * @param method as the client wrote it
   * @param path the same, without the query
   */
  Trail begin(String method, String path, HttpHeaders headers);
}
