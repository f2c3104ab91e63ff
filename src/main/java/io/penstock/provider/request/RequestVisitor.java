package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;

/** Collects from a request body what is needed to estimate its cost. */
public interface RequestVisitor extends JsonWalk.Visitor {
  /** Returns the request with its estimated cost, after the body was read to its end. */
  WeighedRequest weigh(EndpointSpec.Reading reading);
}
