package io.penstock.gateway.request;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the WebSockets that are open or about to be, of all tenants and of each, and bounds them.
 * A tenant is a key, or a client address where there are no keys. Safe from any thread.
 */
public final class OpenWebSockets {
  private final WebSocketSettings settings;

  @SharedState("WebSockets")
  private final Map<Object, Integer> ofTenants = new HashMap<>();

  private int open;

  public OpenWebSockets(WebSocketSettings settings, MeterRegistry meters) {
    this.settings = settings;
    Gauge.builder("penstock.websockets.open", this, OpenWebSockets::open)
        .description("WebSockets that are open")
        .register(meters);
    Gauge.builder("penstock.websockets.limit", settings, WebSocketSettings::maxOpen)
        .description("The most that may be open")
        .register(meters);
  }

  /** Returns how many there are. */
  public synchronized int open() {
    return open;
  }

  /** Returns the refusal of one more WebSocket of a tenant, or null when there may be one. */
  public synchronized @Nullable Refusal refusal(Object tenant) {
    int ofTenant = ofTenants.getOrDefault(tenant, 0);
    if (ofTenant >= settings.maxOpenOfTenant()) {
      return refusal("this client has " + ofTenant + " open WebSockets, the most that it may have");
    }
    return open >= settings.maxOpen()
        ? refusal("there are " + open + " open WebSockets, the most that there may be")
        : null;
  }

  private static Refusal refusal(String detail) {
    return Refusal.of(RefusalReason.TOO_MANY_WEBSOCKETS, detail);
  }

  /** Counts one more WebSocket of a tenant, or returns why there may not be one. */
  public synchronized @Nullable Refusal enter(Object tenant) {
    Refusal refusal = refusal(tenant);
    if (refusal == null) {
      open++;
      ofTenants.merge(tenant, 1, Integer::sum);
    }
    return refusal;
  }

  /** Ends what {@link #enter} began. */
  public synchronized void leave(Object tenant) {
    open--;
    ofTenants.computeIfPresent(tenant, (key, count) -> count == 1 ? null : count - 1);
  }
}
