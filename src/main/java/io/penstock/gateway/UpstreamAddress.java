package io.penstock.gateway;

import io.penstock.pool.UpstreamSpec;
import java.net.URI;

/** Where an upstream is reached; safe from any thread. */
@FunctionalInterface
public interface UpstreamAddress {
  /** Returns the http or https address of an upstream. */
  URI of(UpstreamSpec upstream);
}
