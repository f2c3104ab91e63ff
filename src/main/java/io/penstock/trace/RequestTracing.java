package io.penstock.trace;

import org.springframework.http.HttpHeaders;

/** Records the way of requests through the gateway. Safe from any thread. */
@FunctionalInterface
public interface RequestTracing {
  /**
   * Begins to record a request.
   *
   * @param method as the client wrote it
   * @param path as the client wrote it, without the query
   */
  RequestTrail begin(String method, String path, HttpHeaders headers);
}
