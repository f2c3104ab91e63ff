package io.penstock.provider;

import io.penstock.endpoint.EndpointSpec;

/** Finds in a request body what it weighs. */
interface RequestVisitor extends JsonWalk.Visitor {
  /** Returns what a body that was read to its end weighs. */
  Weighed weigh(EndpointSpec.Reading reading);
}
