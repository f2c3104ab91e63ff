package io.penstock.gateway.request;

import java.time.Duration;

/**
 * The settings of WebSockets.
 *
 * @param idleTimeout how long one may pass nothing in either direction before it is closed, above 0
 * @param maxOpen how many there may be, ≥ 1
 * @param tenantShare the part of them that one tenant may have, above 0 and at most 1
 */
public record WebSocketSettings(Duration idleTimeout, int maxOpen, double tenantShare) {
  /** Returns how many one tenant may have: at least one. */
  int maxOpenOfTenant() {
    return (int) Math.max(1, maxOpen * tenantShare);
  }
}
