package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;

/** Finds in a request body what it weighs. */
public interface RequestVisitor extends JsonWalk.Visitor {
  /** Returns what a body that was read to its end weighs. */
  Weighed weigh(EndpointSpec.Reading reading);
}
