package io.penstock.gateway.forward;

import io.penstock.pool.UpstreamSpec;
import java.net.URI;

/** Resolves the address of an upstream. Safe from any thread. */
@FunctionalInterface
public interface UpstreamAddress {
  /** Returns the http or https address of an upstream. */
  URI of(UpstreamSpec upstream);
}
