package io.penstock.gateway.identify;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.ShortParameter;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports requests with short parameters that their endpoint does not read: all of them are
 * counted, and the first at each configured endpoint is logged. Dynamic endpoints, which clients
 * create, add no lines: the setting to change is that of their ancestor. Safe from any thread.
 */
final class IgnoredParameterReport {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.parameters");

  private final EndpointRegistry registry;

  IgnoredParameterReport(EndpointRegistry registry) {
    this.registry = registry;
  }

  /** Counts a request, and logs it if it is the first. */
  void report(Endpoint endpoint, Set<ShortParameter> ignored) {
    endpoint.ignored(ignored);
    String configured = endpoint.spec().entry().path();
    Endpoint ancestor = registry.at(configured);
    if ((ancestor == null ? endpoint : ancestor).ignoredParameters().claimReport()) {
      // in the order in which the parameters are declared
      Set<ShortParameter> ordered = EnumSet.copyOf(ignored);
      LOG.warn(
          "endpoint {}: a request carries {}, left to the upstream unread; if that is meant for the"
              + " gateway, the client has to send {} instead, or the endpoint needs"
              + " short_parameters: true; later requests are only counted"
              + " (penstock_parameters_ignored_total)",
          configured,
          ordered.stream().map(ShortParameter::text).collect(Collectors.joining(", ")),
          ordered.stream()
              .map(ShortParameter::longName)
              .distinct()
              .collect(Collectors.joining(", ")));
    }
  }
}
